#include "core/softgpu/code_builder.h"

#include <bit>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/base/status_macros.h"
#include "core/ptx/opcodes.h"
#include "core/ptx/printer.h"
#include "core/softgpu/ops/instruction_set.h"

namespace graphd::softgpu {
namespace {

using ptx::Operand;

absl::Status Unsupported(const Operand& operand, absl::string_view expected) {
  return absl::UnimplementedError(
      absl::StrCat("expected ", expected, ", found ", ptx::Print(operand)));
}

uint64_t LowBits(uint64_t value, uint32_t bytes) {
  return bytes >= 8 ? value : value & ((uint64_t{1} << (8 * bytes)) - 1);
}

// The bits of a literal in a register of `type`.
uint64_t ImmediateBits(const Operand& operand, Scalar type) {
  if (type == Scalar::kPredicate) {
    return operand.integer != 0 || operand.bits != 0;
  }
  if (operand.kind == Operand::Kind::kInteger) {
    if (type == Scalar::kF32) {
      return std::bit_cast<uint32_t>(static_cast<float>(operand.integer));
    }
    if (type == Scalar::kF64) {
      return std::bit_cast<uint64_t>(static_cast<double>(operand.integer));
    }
    return LowBits(static_cast<uint64_t>(operand.integer), BytesOf(type));
  }
  if (BytesOf(type) == 4 && operand.is_double) {
    return std::bit_cast<uint32_t>(
        static_cast<float>(std::bit_cast<double>(operand.bits)));
  }
  if (BytesOf(type) == 8 && !operand.is_double) {
    return std::bit_cast<uint64_t>(static_cast<double>(
        std::bit_cast<float>(static_cast<uint32_t>(operand.bits))));
  }
  return operand.bits;
}

}  // namespace

uint32_t BytesOf(Scalar type) {
  switch (type) {
    case Scalar::kU8:
    case Scalar::kS8:
    case Scalar::kPredicate:
      return 1;
    case Scalar::kU16:
    case Scalar::kS16:
    case Scalar::kF16:
      return 2;
    case Scalar::kU32:
    case Scalar::kS32:
    case Scalar::kF32:
      return 4;
    case Scalar::kU64:
    case Scalar::kS64:
    case Scalar::kF64:
      return 8;
  }
  return 0;
}

std::optional<Scalar> ScalarOf(ptx::Type type) {
  using ptx::Type;
  switch (type) {
    case Type::kU8:
    case Type::kB8:
      return Scalar::kU8;
    case Type::kS8:
      return Scalar::kS8;
    case Type::kU16:
    case Type::kB16:
      return Scalar::kU16;
    case Type::kS16:
      return Scalar::kS16;
    case Type::kU32:
    case Type::kB32:
      return Scalar::kU32;
    case Type::kS32:
      return Scalar::kS32;
    case Type::kU64:
    case Type::kB64:
      return Scalar::kU64;
    case Type::kS64:
      return Scalar::kS64;
    case Type::kF16:
      return Scalar::kF16;
    case Type::kF32:
      return Scalar::kF32;
    case Type::kF64:
      return Scalar::kF64;
    case Type::kPred:
      return Scalar::kPredicate;
    default:
      return std::nullopt;
  }
}

struct CodeBuilder::Scope {
  Scope() : declared(nullptr) {}

  ptx::RegisterScope declared;
  absl::flat_hash_map<std::string, uint32_t> registers;  // those used
  absl::flat_hash_map<std::string, Place> variables;
  absl::flat_hash_map<std::string, uint32_t> labels;
};

CodeBuilder::CodeBuilder(const absl::flat_hash_map<std::string, Place>* outside)
    : outside_(outside) {}
CodeBuilder::~CodeBuilder() = default;

void CodeBuilder::EnterScope() { scopes_.push_back(std::make_unique<Scope>()); }
void CodeBuilder::LeaveScope() { scopes_.pop_back(); }

void CodeBuilder::Declare(const ptx::RegisterDeclaration& registers) {
  scopes_.back()->declared.Declare(registers);
}
void CodeBuilder::Declare(absl::string_view variable, Place place) {
  scopes_.back()->variables.insert_or_assign(std::string(variable), place);
}

std::optional<Place> CodeBuilder::Find(absl::string_view variable) const {
  for (size_t i = scopes_.size(); i-- > 0;) {
    const auto found = scopes_[i]->variables.find(variable);
    if (found != scopes_[i]->variables.end()) return found->second;
  }
  const auto found = outside_->find(variable);
  if (found == outside_->end()) return std::nullopt;
  return found->second;
}

void CodeBuilder::DeclareLabel(absl::string_view name) {
  scopes_.back()->labels.emplace(name, label_steps_.size());
  label_steps_.push_back(0);
}

void CodeBuilder::PlaceLabel(absl::string_view name) {
  label_steps_[scopes_.back()->labels.at(name)] =
      static_cast<uint32_t>(code_.steps.size());
}

absl::Status CodeBuilder::EmitBranch(absl::string_view label) {
  for (size_t i = scopes_.size(); i-- > 0;) {
    const auto found = scopes_[i]->labels.find(label);
    if (found == scopes_[i]->labels.end()) continue;
    Append(Action::kBranch).target = found->second;
    return absl::OkStatus();
  }
  return absl::UnimplementedError(
      absl::StrCat("expected a label, found ", label));
}

absl::Status CodeBuilder::BeginInstruction(
    const ptx::Instruction& instruction) {
  line_ = instruction.line;
  guard_ = Step::kNone;
  guard_negated_ = instruction.guard_negated;
  if (instruction.guard.empty()) return absl::OkStatus();
  GRAPHD_ASSIGN_OR_RETURN(guard_, RegisterNamed(instruction.guard));
  return absl::OkStatus();
}

absl::StatusOr<uint32_t> CodeBuilder::Source(const Operand& operand,
                                             Scalar type) {
  const uint32_t width = BytesOf(type);
  switch (operand.kind) {
    case Operand::Kind::kInteger:
    case Operand::Kind::kFloat:
      return Constant(ImmediateBits(operand, type), width);
    case Operand::Kind::kSymbol: {
      if (operand.text == "WARP_SZ") return Constant(32, width);
      const std::optional<Place> place = Find(operand.text);
      if (!place || width < 4) return Unsupported(operand, "a register");
      return Constant(LowBits(place->address + operand.integer, width), width);
    }
    case Operand::Kind::kRegister: {
      GRAPHD_ASSIGN_OR_RETURN(const uint32_t slot, Register(operand));
      if (bytes(slot) != width) {
        return Unsupported(operand,
                           absl::StrCat("a register of ", 8 * width, " bits"));
      }
      if (!operand.negated) return slot;
      const uint32_t negated = Temporary(1);
      GRAPHD_RETURN_IF_ERROR(EmitCompute(
          {.op = Op::kNot, .type = Scalar::kPredicate}, negated, {slot}));
      return negated;
    }
    default:
      return Unsupported(operand, "a register or a literal");
  }
}

absl::StatusOr<uint32_t> CodeBuilder::NarrowedSource(const Operand& operand,
                                                     Scalar type) {
  if (operand.kind != Operand::Kind::kRegister) return Source(operand, type);
  GRAPHD_ASSIGN_OR_RETURN(const uint32_t slot, Register(operand));
  const uint32_t width = BytesOf(type);
  if (bytes(slot) <= width) return Source(operand, type);
  const auto unsigned_of = [](uint32_t size) {
    return size == 1   ? Scalar::kU8
           : size == 2 ? Scalar::kU16
           : size == 4 ? Scalar::kU32
                       : Scalar::kU64;
  };
  const uint32_t narrow = Temporary(width);
  GRAPHD_RETURN_IF_ERROR(EmitCompute({.op = Op::kConvert,
                                      .type = unsigned_of(width),
                                      .from = unsigned_of(bytes(slot))},
                                     narrow, {slot}));
  return narrow;
}

absl::StatusOr<uint32_t> CodeBuilder::Destination(const Operand& operand,
                                                  uint32_t width) {
  if (operand.kind == Operand::Kind::kDiscard) return Temporary(width);
  GRAPHD_ASSIGN_OR_RETURN(const uint32_t slot, Register(operand));
  if (code_.slots[slot].kind != Slot::Kind::kRegister || bytes(slot) != width) {
    return Unsupported(operand, absl::StrCat("a destination register of ",
                                             8 * width, " bits"));
  }
  return slot;
}

absl::StatusOr<uint32_t> CodeBuilder::Register(const Operand& operand) {
  if (operand.kind != Operand::Kind::kRegister) {
    return Unsupported(operand, "a register");
  }
  return RegisterNamed(operand.text);
}

absl::StatusOr<uint32_t> CodeBuilder::RegisterNamed(absl::string_view name) {
  if (name.find('.') == absl::string_view::npos) {
    for (size_t i = scopes_.size(); i-- > 0;) {
      Scope& scope = *scopes_[i];
      const auto found = scope.registers.find(name);
      if (found != scope.registers.end()) return found->second;
      const std::optional<ptx::Type> type = scope.declared.Find(name);
      if (!type) continue;
      const uint32_t width =
          *type == ptx::Type::kPred ? 1 : ptx::SizeBytes(*type);
      if (width < 1 || width > 8) break;
      ++register_count_;
      const uint32_t slot = AddSlot({.bytes = static_cast<uint8_t>(width)});
      scope.registers.emplace(name, slot);
      return slot;
    }
  }
  if (const std::optional<uint32_t> slot = SpecialRegister(name)) return *slot;
  return absl::UnimplementedError(
      absl::StrCat("expected a scalar register, found ", name));
}

std::optional<uint32_t> CodeBuilder::SpecialRegister(absl::string_view name) {
  const auto known = special_.find(name);
  if (known != special_.end()) return known->second;
  if (name.size() < 2 || name[name.size() - 2] != '.') return std::nullopt;
  const size_t axis = absl::string_view("xyz").find(name.back());
  if (axis == absl::string_view::npos) return std::nullopt;
  const absl::string_view base = name.substr(0, name.size() - 2);
  Slot slot{.axis = static_cast<uint8_t>(axis), .bytes = 4};
  if (base == "%tid") {
    slot.kind = Slot::Kind::kThread;
  } else if (base == "%ntid") {
    slot.kind = Slot::Kind::kBlockSize;
  } else if (base == "%ctaid") {
    slot.kind = Slot::Kind::kBlock;
  } else if (base == "%nctaid") {
    slot.kind = Slot::Kind::kGridSize;
  } else {
    return std::nullopt;
  }
  return special_.emplace(name, AddSlot(slot)).first->second;
}

uint32_t CodeBuilder::Constant(uint64_t value, uint32_t width) {
  const auto [it, is_new] = constants_.try_emplace({value, width}, 0);
  if (is_new) {
    it->second = AddSlot({.kind = Slot::Kind::kConstant,
                          .bytes = static_cast<uint8_t>(width),
                          .value = value});
  }
  return it->second;
}

uint32_t CodeBuilder::Temporary(uint32_t width) {
  return AddSlot({.bytes = static_cast<uint8_t>(width)});
}

uint32_t CodeBuilder::AddSlot(Slot slot) {
  code_.slots.push_back(slot);
  return static_cast<uint32_t>(code_.slots.size() - 1);
}

Step& CodeBuilder::Append(Action action) {
  Step& step = code_.steps.emplace_back();
  step.action = action;
  step.guard = guard_;
  step.guard_negated = guard_negated_;
  step.line = line_;
  return step;
}

absl::Status CodeBuilder::EmitCompute(const OpKey& key, uint32_t destination,
                                      std::initializer_list<uint32_t> sources,
                                      Rounding environment) {
  const OpFunction function = FindOp(key);
  if (function == nullptr) {
    return absl::UnimplementedError("there is no such operation");
  }
  Step& step = Append(Action::kCompute);
  step.compute = function;
  step.destination = destination;
  step.rounding = environment;
  for (const uint32_t source : sources) {
    step.sources[step.source_count++] = source;
  }
  return absl::OkStatus();
}

void CodeBuilder::EmitAccess(Action action, const MemoryAccess& access,
                             uint32_t destination) {
  Step& step = Append(action);
  step.target = static_cast<uint32_t>(code_.accesses.size());
  step.destination = destination;
  code_.accesses.push_back(access);
}

void CodeBuilder::Emit(Action action, uint32_t target) {
  Append(action).target = target;
}

KernelCode CodeBuilder::Finish() && {
  guard_ = Step::kNone;
  Append(Action::kExit);
  for (Step& step : code_.steps) {
    if (step.action == Action::kBranch) step.target = label_steps_[step.target];
  }
  return std::move(code_);
}

}  // namespace graphd::softgpu
