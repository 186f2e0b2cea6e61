#include "core/ptx/guarded_body.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/ptx/instruction_effects.h"
#include "core/ptx/opcodes.h"
#include "core/ptx/register_scope.h"

namespace graphd::ptx {
namespace {

bool IsReturn(const Instruction& instruction) {
  return instruction.opcode == "ret" || instruction.opcode == "exit";
}

bool IsLaunchRegister(absl::string_view name) {
  for (const char* prefix : {"%tid.", "%ntid.", "%ctaid.", "%nctaid."}) {
    if (absl::StartsWith(name, prefix)) return true;
  }
  return false;
}

class BodyReader {
 public:
  BodyReader(const Function& entry, const KernelFacts& facts)
      : entry_(entry), facts_(facts) {}

  GuardedBody Read() {
    Flatten(entry_.body, 0);
    CheckOrder();
    if (body_.why_not.empty()) MatchFacts();
    return std::move(body_);
  }

 private:
  template <typename... Parts>
  void Refuse(const Parts&... parts) {
    if (body_.why_not.empty()) body_.why_not = absl::StrCat(parts...);
  }

  void Flatten(const Block& block, int depth) {
    for (const Statement& statement : block.statements) {
      if (const auto* instruction = std::get_if<Instruction>(&statement)) {
        Take(*instruction);
      } else if (const auto* label = std::get_if<Label>(&statement)) {
        labels_[label->name] = body_.code.size();
      } else if (const auto* declared =
                     std::get_if<RegisterDeclaration>(&statement)) {
        // Two blocks may use one name for different registers.
        if (depth > 0) Refuse("an inner block declares registers");
        if (declared->vector_width != 1) {
          Refuse("register ", declared->name, " is a vector");
        }
        scope_.Declare(*declared);
      } else if (const auto* variable = std::get_if<Variable>(&statement)) {
        Refuse("it has a variable of its own, ", variable->name);
      } else if (const auto* raw = std::get_if<RawDirective>(&statement)) {
        if (!absl::StartsWith(raw->text, ".loc") &&
            !absl::StartsWith(raw->text, ".pragma")) {
          Refuse("it has the directive ", raw->text);
        }
      } else {
        Flatten(std::get<Block>(statement), depth + 1);
      }
    }
  }

  void Take(const Instruction& instruction) {
    if (IsReturn(instruction) && instruction.guard.empty()) {
      if (!returned_.has_value()) returned_ = body_.code.size();
      return;
    }
    if (instruction.opcode == "bra" || IsReturn(instruction)) {
      TakeBound(instruction);
      return;
    }
    const bool memory = IsPlainLoad(instruction) || IsPlainStore(instruction);
    if (memory) {
      body_.memory.push_back(body_.code.size());
    } else if (!OnlyComputes(instruction)) {
      Refuse("line ", instruction.line, ": ", instruction.FullName(),
             " does more than compute");
    }
    if (!instruction.guard.empty()) {
      Refuse("line ", instruction.line, ": ", instruction.FullName(),
             " depends on a predicate");
    }
    body_.code.push_back(instruction);
  }

  void TakeBound(const Instruction& instruction) {
    if (instruction.guard.empty() || body_.bound.has_value()) {
      Refuse("line ", instruction.line,
             ": it branches in another way than by one bound of the index");
      return;
    }
    if (instruction.opcode == "bra") {
      target_ = instruction.operands[0].text;
    }
    body_.bound = body_.code.size();
    body_.guard = instruction.guard;
    body_.guard_negated = instruction.guard_negated;
  }

  // Branches lead to the end, nothing follows a return, registers are written
  // before they are read, names are parameters.
  void CheckOrder() {
    if (returned_.value_or(body_.code.size()) != body_.code.size()) {
      Refuse("it has code behind a return");
    }
    if (!target_.empty()) {
      const auto label = labels_.find(target_);
      if (label == labels_.end() || label->second != body_.code.size()) {
        Refuse("its bound does not lead to the end");
      }
    }
    absl::flat_hash_set<absl::string_view> written;
    for (size_t i = 0; i <= body_.code.size(); ++i) {
      if (body_.bound == i && !written.contains(body_.guard)) {
        Refuse("its bound reads ", body_.guard, " before it is written");
      }
      if (i == body_.code.size()) break;
      const Instruction& instruction = body_.code[i];
      for (const Operand& operand : instruction.operands) {
        CheckNames(operand, instruction);
      }
      ForEachRead(instruction, [&](const Operand& reg) {
        if (!written.contains(reg.text)) {
          Refuse("line ", instruction.line, ": it reads ", reg.text,
                 " before it is written");
        }
      });
      ForEachWritten(instruction, [&](const Operand& reg) {
        written.insert(reg.text);
        const std::optional<Type> type = scope_.Find(reg.text);
        if (!type.has_value() || absl::StrContains(reg.text, '.')) {
          Refuse("line ", instruction.line, ": ", reg.text,
                 " is no plain register");
          return;
        }
        body_.registers.emplace(reg.text, *type);
      });
    }
  }

  void CheckNames(const Operand& operand, const Instruction& instruction) {
    if (operand.kind == Operand::Kind::kRegister &&
        IsSpecialRegister(operand.text) && !IsLaunchRegister(operand.text)) {
      Refuse("line ", instruction.line, ": it reads ", operand.text);
    }
    if (operand.kind == Operand::Kind::kSymbol &&
        !ReadsParameter(operand, instruction)) {
      Refuse("line ", instruction.line, ": it names ", operand.text);
    }
    for (const Operand& element : operand.elements) {
      CheckNames(element, instruction);
    }
  }

  // Inside the parameter, and all of it unless it is an array: then a value is
  // never a part of another one.
  bool ReadsParameter(const Operand& symbol,
                      const Instruction& instruction) const {
    if (!instruction.Has("param")) return false;
    const int64_t at = instruction.operands[1].integer + symbol.integer;
    const int64_t size =
        int64_t{SizeBytes(instruction.type())} * Lanes(instruction);
    for (const Signature::Param& param : facts_.signature.params) {
      if (param.name != symbol.text) continue;
      return param.is_array ? at >= 0 && at + size <= param.size_bytes
                            : at == 0 && size == param.size_bytes;
    }
    return false;
  }

  void MatchFacts() {
    bool same = body_.memory.size() == facts_.accesses.size();
    for (size_t i = 0; same && i < body_.memory.size(); ++i) {
      const MemoryAccess& access = facts_.accesses[i];
      same = access.is_store == (body_.code[body_.memory[i]].opcode == "st") &&
             access.guards.size() == (body_.bound.has_value() ? 1 : 0) &&
             (!body_.bound.has_value() || *body_.bound <= body_.memory[i]);
    }
    if (!same) Refuse("its bound does not stand before all it touches");
  }

  const Function& entry_;
  const KernelFacts& facts_;
  GuardedBody body_;
  RegisterScope scope_{nullptr};
  absl::flat_hash_map<std::string, size_t> labels_;  // index of what follows
  std::optional<size_t> returned_;  // index of what follows the first return
  std::string target_;
};

}  // namespace

GuardedBody ReadGuardedBody(const Function& entry, const KernelFacts& facts) {
  return BodyReader(entry, facts).Read();
}

}  // namespace graphd::ptx
