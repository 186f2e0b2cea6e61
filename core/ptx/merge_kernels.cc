#include "core/ptx/merge_kernels.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/base/check.h"
#include "core/ptx/dead_code.h"
#include "core/ptx/instruction_effects.h"

namespace graphd::ptx {
namespace {

constexpr char kEnd[] = "$L_end";

// Registers of bits take values of every type of their size, so that one
// declaration serves all parts.
Type RegisterType(Type type) {
  if (type == Type::kPred || type == Type::kF32 || type == Type::kF64) {
    return type;
  }
  switch (SizeBytes(type)) {
    case 1:
      return Type::kB8;
    case 2:
      return Type::kB16;
    case 4:
      return Type::kB32;
    case 8:
      return Type::kB64;
    default:
      return Type::kB128;
  }
}

absl::string_view RegisterPrefix(Type type) {
  switch (type) {
    case Type::kPred:
      return "%p";
    case Type::kB8:
      return "%rb";
    case Type::kB16:
      return "%rs";
    case Type::kB32:
      return "%r";
    case Type::kB64:
      return "%rd";
    case Type::kF32:
      return "%f";
    case Type::kF64:
      return "%fd";
    default:
      return "%rq";
  }
}

bool IsFloat(Type type) { return type == Type::kF32 || type == Type::kF64; }

const Operand& ValueOf(const Instruction& memory) {
  return memory.operands[memory.opcode == "st" ? 1 : 0];
}

// The elements of a load or store, in memory order.
std::vector<Operand> Elements(const Instruction& memory) {
  const Operand& value = ValueOf(memory);
  if (value.kind == Operand::Kind::kVector) return value.elements;
  return {value};
}

Operand Register(std::string name) {
  Operand operand;
  operand.text = std::move(name);
  return operand;
}

Instruction Move(Type type, const Operand& to, const Operand& from) {
  Instruction move;
  move.opcode = "mov";
  move.modifiers = {std::string(Name(type))};
  move.operands = {to, from};
  return move;
}

Type BitsOf(uint32_t size_bytes) {
  return size_bytes == 2   ? Type::kB16
         : size_bytes == 4 ? Type::kB32
                           : Type::kB64;
}

class KernelMerger {
 public:
  KernelMerger(const std::vector<Variable>& parameters,
               const std::vector<MergePart>& parts)
      : parameters_(parameters), parts_(parts) {}

  MergedKernel Merge(const std::string& name) {
    values_.resize(parts_.size());
    for (size_t part = 0; part < parts_.size(); ++part) AddPart(part);
    ShareEqualValues(code_, [&](const std::string& reg) {
      return types_.find(reg)->second;
    });
    RemoveDeadCode(code_);
    MergedKernel merged;
    merged.function.is_entry = true;
    merged.function.linkage = "visible";
    merged.function.name = name;
    merged.function.has_body = true;
    KeepParameters(merged);
    AddBody(merged.function.body);
    return merged;
  }

 private:
  void AddPart(size_t part) {
    const GuardedBody& body = *parts_[part].body;
    values_[part].resize(body.memory.size());
    names_.clear();
    FindSources(part);
    size_t access = 0;
    for (size_t i = 0; i < body.code.size(); ++i) {
      if (body.bound == i) AddBound(part);
      Instruction instruction = body.code[i];
      Rename(part, instruction);
      if (access < body.memory.size() && body.memory[access] == i) {
        AddAccess({static_cast<uint32_t>(part), static_cast<uint32_t>(access)},
                  std::move(instruction));
        ++access;
      } else {
        code_.push_back(std::move(instruction));
      }
    }
  }

  // Later parts' bounds let the same threads pass.
  void AddBound(size_t part) {
    if (part != 0) return;
    Instruction branch;
    branch.opcode = "bra";
    branch.guard = names_[parts_[part].body->guard];
    branch.guard_negated = parts_[part].body->guard_negated;
    Operand label;
    label.kind = Operand::Kind::kSymbol;
    label.text = kEnd;
    branch.operands = {std::move(label)};
    code_.push_back(std::move(branch));
  }

  // Which of the part's accesses a later load wants.
  void FindSources(size_t part) {
    wanted_.assign(parts_[part].body->memory.size(), false);
    for (const MergePart& other : parts_) {
      for (const AccessFate& fate : other.accesses) {
        if (fate.kind == AccessFate::Kind::kForward &&
            fate.source.part == part) {
          wanted_[fate.source.access] = true;
        }
      }
    }
  }

  std::string Fresh(Type type) {
    std::string name = absl::StrCat("%", types_.size());
    types_[name] = type;
    return name;
  }

  // Each result gets a register of its own, so that a value can be read for as
  // long as it is needed.
  void Rename(size_t part, Instruction& instruction) {
    const bool writes = instruction.opcode != "st";
    for (size_t i = writes ? 1 : 0; i < instruction.operands.size(); ++i) {
      RenameRead(part, instruction.operands[i]);
    }
    if (writes) RenameWritten(part, instruction.operands[0]);
  }

  void RenameRead(size_t part, Operand& operand) const {
    const MergePart& from = parts_[part];
    if (operand.kind == Operand::Kind::kRegister) {
      const auto it = names_.find(operand.text);
      if (it != names_.end()) operand.text = it->second;
    } else if (operand.kind == Operand::Kind::kSymbol) {
      for (size_t i = 0; i < from.entry->params.size(); ++i) {
        if (from.entry->params[i].name != operand.text) continue;
        operand.text = ParameterName(from.parameters[i]);
        break;
      }
    }
    for (Operand& element : operand.elements) RenameRead(part, element);
  }

  void RenameWritten(size_t part, Operand& operand) {
    if (operand.kind == Operand::Kind::kRegister) {
      const Type type = parts_[part].body->registers.find(operand.text)->second;
      operand.text = names_[operand.text] = Fresh(RegisterType(type));
    }
    for (Operand& element : operand.elements) RenameWritten(part, element);
  }

  static std::string ParameterName(uint32_t index) {
    return absl::StrCat("p", index);
  }

  void AddAccess(AccessId id, Instruction instruction) {
    const AccessFate& fate = parts_[id.part].accesses[id.access];
    if (fate.kind == AccessFate::Kind::kForward) {
      Forward(fate.source, instruction);
      return;
    }
    if (fate.kind == AccessFate::Kind::kKeepCoherent) {
      std::erase(instruction.modifiers, "nc");
    }
    const bool keeps = fate.kind != AccessFate::Kind::kDrop;
    const bool is_store = instruction.opcode == "st";
    if (keeps && !is_store) code_.push_back(instruction);
    if (wanted_[id.access]) Capture(id, instruction);
    if (keeps && is_store) code_.push_back(std::move(instruction));
  }

  // Remembers what was stored or loaded; a number in a register of its own.
  void Capture(AccessId id, const Instruction& instruction) {
    std::vector<Operand> elements = Elements(instruction);
    for (Operand& element : elements) {
      if (element.kind == Operand::Kind::kRegister) continue;
      const Type stored = instruction.type();
      const Type type =
          IsFloat(stored) ? stored : BitsOf(std::max(SizeBytes(stored), 2u));
      Operand copy = Register(Fresh(type));
      code_.push_back(Move(type, copy, element));
      element = std::move(copy);
    }
    values_[id.part][id.access] = std::move(elements);
  }

  void Forward(AccessId source, const Instruction& load) {
    const std::vector<Operand>& from = values_[source.part][source.access];
    const std::vector<Operand> to = Elements(load);
    const Type element = load.type();
    const uint32_t size = SizeBytes(element);
    for (size_t i = 0; i < to.size(); ++i) {
      if (to[i].kind == Operand::Kind::kDiscard) continue;
      const Type from_type = types_[from[i].text];
      const Type to_type = types_[to[i].text];
      const uint32_t from_size = SizeBytes(from_type);
      const uint32_t to_size = SizeBytes(to_type);
      if (from_size == size && to_size == size) {
        code_.push_back(Move(from_type == to_type ? to_type : BitsOf(size),
                             to[i], from[i]));
        continue;
      }
      // The store cuts the value to `size`, the load widens it again.
      const char sign = Name(element)[0] == 's' ? 's' : 'u';
      Instruction convert;
      convert.opcode = "cvt";
      convert.modifiers = {
          absl::StrCat(std::string(1, sign), 8 * to_size),
          absl::StrCat(std::string(1, sign),
                       8 * (to_size == size ? from_size : size))};
      convert.operands = {to[i], from[i]};
      code_.push_back(std::move(convert));
    }
  }

  void KeepParameters(MergedKernel& merged) const {
    absl::flat_hash_set<std::string> used;
    for (const Instruction& instruction : code_) {
      if (!instruction.Has("param")) continue;
      used.insert(instruction.operands[1].elements[0].text);
    }
    for (uint32_t i = 0; i < parameters_.size(); ++i) {
      const std::string name = ParameterName(i);
      if (!used.contains(name)) continue;
      merged.parameters.push_back(i);
      Variable parameter = parameters_[i];
      parameter.name = name;
      parameter.line = 0;
      merged.function.params.push_back(std::move(parameter));
    }
  }

  // Registers numbered by type in order of appearance.
  void AddBody(Block& body) {
    std::map<Type, uint32_t> counts;
    absl::flat_hash_map<std::string, std::string> final_names;
    const auto final_name = [&](const std::string& reg) {
      const auto [it, is_new] = final_names.try_emplace(reg);
      if (is_new) {
        const Type type = types_.find(reg)->second;
        it->second = absl::StrCat(RegisterPrefix(type), ++counts[type]);
      }
      return it->second;
    };
    for (Instruction& instruction : code_) {
      instruction.line = 0;
      if (!instruction.guard.empty()) {
        instruction.guard = final_name(instruction.guard);
      }
      for (Operand& operand : instruction.operands) {
        NameFinally(operand, final_name);
      }
    }
    for (const auto& [type, count] : counts) {
      RegisterDeclaration declaration;
      declaration.type = type;
      declaration.name = std::string(RegisterPrefix(type));
      declaration.count = count + 1;
      body.statements.push_back(std::move(declaration));
    }
    bool branches = false;
    for (Instruction& instruction : code_) {
      branches = branches || instruction.opcode == "bra";
      body.statements.push_back(std::move(instruction));
    }
    if (branches) body.statements.push_back(Label{kEnd});
    Instruction end;
    end.opcode = "ret";
    body.statements.push_back(std::move(end));
  }

  template <typename NameOfRegister>
  void NameFinally(Operand& operand, const NameOfRegister& name) const {
    if (operand.kind == Operand::Kind::kRegister &&
        types_.contains(operand.text)) {
      operand.text = name(operand.text);
    }
    for (Operand& element : operand.elements) NameFinally(element, name);
  }

  const std::vector<Variable>& parameters_;
  const std::vector<MergePart>& parts_;
  std::vector<Instruction> code_;
  absl::flat_hash_map<std::string, Type> types_;  // of the merged registers
  // By part and access: the registers that hold what it stored or loaded.
  std::vector<std::vector<std::vector<Operand>>> values_;
  // Of the part at hand: what stands for each register now; accesses that are
  // sources.
  absl::flat_hash_map<std::string, std::string> names_;
  std::vector<bool> wanted_;
};

// "sm_75" -> 75; nullopt for anything more.
std::optional<int> PlainTarget(absl::string_view target) {
  int number = 0;
  if (!absl::ConsumePrefix(&target, "sm_") ||
      !absl::SimpleAtoi(target, &number)) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

bool CanForward(const GuardedBody& from, uint32_t source, const GuardedBody& to,
                uint32_t load) {
  const Instruction& before = from.code[from.memory[source]];
  const Instruction& after = to.code[to.memory[load]];
  const uint32_t size = SizeBytes(before.type());
  const std::vector<Operand> values = Elements(before);
  const std::vector<Operand> targets = Elements(after);
  if (after.opcode != "ld" || size != SizeBytes(after.type()) || size > 8 ||
      values.size() != targets.size()) {
    return false;
  }
  // A register that is wider than an element is one of integers.
  const auto fits = [&](const GuardedBody& body, const Operand& operand) {
    const auto it = body.registers.find(operand.text);
    if (it == body.registers.end()) return false;
    const uint32_t bytes = SizeBytes(it->second);
    return bytes >= 2 && bytes <= 8 &&
           (bytes == size || (!IsFloat(it->second) && bytes > size));
  };
  for (size_t i = 0; i < values.size(); ++i) {
    const bool is_number = values[i].kind == Operand::Kind::kInteger ||
                           values[i].kind == Operand::Kind::kFloat;
    if (!is_number && !fits(from, values[i])) return false;
    if (targets[i].kind != Operand::Kind::kDiscard && !fits(to, targets[i])) {
      return false;
    }
  }
  return true;
}

MergedKernel MergeKernels(const std::string& name,
                          const std::vector<Variable>& parameters,
                          const std::vector<MergePart>& parts) {
  GRAPHD_CHECK(!parts.empty());
  return KernelMerger(parameters, parts).Merge(name);
}

std::string CommonTarget(const std::string& a, const std::string& b) {
  if (a == b) return a;
  const std::optional<int> first = PlainTarget(a);
  const std::optional<int> second = PlainTarget(b);
  if (!first.has_value() || !second.has_value()) return "";
  return *first < *second ? b : a;
}

std::string LaterVersion(const std::string& a, const std::string& b) {
  const auto key = [](absl::string_view version) {
    const size_t dot = std::min(version.find('.'), version.size());
    int major = 0;
    int minor = 0;
    // The parser lets only numbers through.
    if (!absl::SimpleAtoi(version.substr(0, dot), &major)) major = 0;
    if (dot < version.size() &&
        !absl::SimpleAtoi(version.substr(dot + 1), &minor)) {
      minor = 0;
    }
    return std::make_pair(major, minor);
  };
  return key(a) < key(b) ? b : a;
}

}  // namespace graphd::ptx
