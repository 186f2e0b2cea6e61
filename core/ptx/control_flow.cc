#include "core/ptx/control_flow.h"

#include <algorithm>
#include <variant>

#include "core/base/check.h"

namespace graphd::ptx {
namespace {

bool EndsThread(const Instruction& instruction) {
  return instruction.opcode == "ret" || instruction.opcode == "exit" ||
         instruction.opcode == "trap";
}

bool IsBranch(const Instruction& instruction) {
  return instruction.opcode == "bra" || instruction.opcode == "brx";
}

void MakeUnique(std::vector<uint32_t>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

ControlFlow::ControlFlow(const Function& function) {
  scopes_.emplace_back();
  Flatten(function.body, 0);
  for (const auto& [name, places] : labels_) {
    label_places_.insert(label_places_.end(), places.begin(), places.end());
  }
  MakeUnique(label_places_);
  for (const Instruction* instruction : code_) {
    has_indirect_branch_ |= instruction->opcode == "brx";
  }
  CutBlocks();
  for (uint32_t i = 0; i < code_.size(); ++i) {
    if (!code_[i]->guard.empty()) {
      const uint32_t scope = DeclaringScope(scope_of_[i], code_[i]->guard);
      registers_.try_emplace({scope, code_[i]->guard}, registers_.size());
    }
    for (const Operand& operand : code_[i]->operands) {
      NumberRegisters(i, operand);
    }
  }
}

void ControlFlow::Flatten(const ptx::Block& block, uint32_t scope) {
  for (const Statement& statement : block.statements) {
    if (const auto* instruction = std::get_if<Instruction>(&statement)) {
      code_.push_back(instruction);
      scope_of_.push_back(scope);
    } else if (const auto* label = std::get_if<Label>(&statement)) {
      labels_[label->name].push_back(static_cast<uint32_t>(code_.size()));
    } else if (const auto* variable = std::get_if<Variable>(&statement)) {
      variables_[variable->name] = variable->space;
    } else if (const auto* declared =
                   std::get_if<RegisterDeclaration>(&statement)) {
      scopes_[scope].registers.Declare(*declared);
    } else if (const auto* inner = std::get_if<ptx::Block>(&statement)) {
      scopes_.emplace_back().outer = scope;
      Flatten(*inner, static_cast<uint32_t>(scopes_.size() - 1));
    }
  }
}

absl::Span<const uint32_t> ControlFlow::Targets(uint32_t instruction) const {
  const Instruction& branch = *code_[instruction];
  if (branch.opcode == "brx") return label_places_;
  if (branch.opcode != "bra" || branch.operands.empty()) return {};
  const auto it = labels_.find(branch.operands.back().text);
  if (it == labels_.end()) return {};
  return it->second;
}

void ControlFlow::CutBlocks() {
  const uint32_t size = static_cast<uint32_t>(code_.size());
  std::vector<bool> begins(size + 1, false);
  for (const uint32_t place : label_places_) begins[place] = true;
  for (uint32_t i = 0; i < size; ++i) {
    if (IsBranch(*code_[i]) || EndsThread(*code_[i])) begins[i + 1] = true;
  }
  std::vector<uint32_t> block_at(size + 1, 0);
  for (uint32_t i = 0; i < size; ++i) {
    if (i == 0 || begins[i]) {
      blocks_.push_back({i, i, {}});
    }
    block_at[i] = static_cast<uint32_t>(blocks_.size() - 1);
    blocks_.back().end = i + 1;
  }
  for (Block& block : blocks_) {
    const uint32_t last = block.end - 1;
    const Instruction& instruction = *code_[last];
    for (const uint32_t target : Targets(last)) {
      if (target < size) block.successors.push_back(block_at[target]);
    }
    const bool falls_through =
        !instruction.guard.empty() ||
        (!IsBranch(instruction) && !EndsThread(instruction));
    if (falls_through && block.end < size) {
      block.successors.push_back(block_at[block.end]);
    }
    MakeUnique(block.successors);
  }
}

uint32_t ControlFlow::DeclaringScope(uint32_t scope,
                                     absl::string_view name) const {
  while (scope != 0 && !scopes_[scope].registers.Find(name)) {
    scope = scopes_[scope].outer;
  }
  return scope;
}

void ControlFlow::NumberRegisters(uint32_t instruction,
                                  const Operand& operand) {
  if (operand.kind == Operand::Kind::kRegister) {
    const uint32_t scope = DeclaringScope(scope_of_[instruction], operand.text);
    registers_.try_emplace({scope, operand.text}, registers_.size());
  }
  for (const Operand& element : operand.elements) {
    NumberRegisters(instruction, element);
  }
}

uint32_t ControlFlow::Register(uint32_t instruction,
                               absl::string_view name) const {
  const auto it =
      registers_.find({DeclaringScope(scope_of_[instruction], name), name});
  GRAPHD_CHECK(it != registers_.end());
  return it->second;
}

Space ControlFlow::VariableSpace(const std::string& name) const {
  const auto it = variables_.find(name);
  return it == variables_.end() ? Space::kReg : it->second;
}

}  // namespace graphd::ptx
