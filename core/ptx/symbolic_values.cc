#include "core/ptx/symbolic_values.h"

#include <functional>
#include <utility>

#include "absl/strings/match.h"

namespace graphd::ptx {
namespace {

using Knowledge = SymbolicValue::Knowledge;

SymbolicValue Unknown() {
  SymbolicValue value;
  value.knowledge = Knowledge::kUnknown;
  return value;
}

SymbolicValue Exact(std::optional<Polynomial> polynomial) {
  if (!polynomial) return Unknown();
  SymbolicValue value;
  value.knowledge = Knowledge::kExact;
  value.offset = *std::move(polynomial);
  return value;
}

SymbolicValue Join(const SymbolicValue& a, const SymbolicValue& b) {
  if (a.knowledge == Knowledge::kNone) return b;
  if (b.knowledge == Knowledge::kNone || a == b) return a;
  if (a.has_root() && a.SameRoot(b)) {
    SymbolicValue joined = a;
    joined.knowledge = Knowledge::kRootOnly;
    joined.offset = Polynomial();
    joined.assumes_no_wrap = false;
    return joined;
  }
  return Unknown();
}

std::optional<LaunchSymbol> SpecialRegister(absl::string_view name) {
  const std::pair<absl::string_view, LaunchSymbol::Kind> kNames[] = {
      {"%tid.", LaunchSymbol::Kind::kTid},
      {"%ctaid.", LaunchSymbol::Kind::kCtaid},
      {"%ntid.", LaunchSymbol::Kind::kNtid},
      {"%nctaid.", LaunchSymbol::Kind::kNctaid}};
  for (const auto& [prefix, kind] : kNames) {
    if (!absl::StartsWith(name, prefix)) continue;
    const absl::string_view axis = name.substr(prefix.size());
    if (axis == "x") return LaunchSymbol{kind, 0};
    if (axis == "y") return LaunchSymbol{kind, 1};
    if (axis == "z") return LaunchSymbol{kind, 2};
  }
  return std::nullopt;
}

bool IsInteger(Type type) {
  switch (type) {
    case Type::kS32:
    case Type::kS64:
    case Type::kU32:
    case Type::kU64:
    case Type::kB32:
    case Type::kB64:
      return true;
    default:
      return false;
  }
}

// Whether the instruction's result says nothing about an address among its
// sources, and it writes none to memory.
bool ComparesOnly(const Instruction& instruction) {
  return instruction.opcode == "setp" || instruction.opcode == "set";
}

bool Follows(const Instruction& instruction) {
  return instruction.opcode == "mov" || instruction.opcode == "cvta" ||
         instruction.opcode == "cvt" || instruction.opcode == "add" ||
         instruction.opcode == "sub" || instruction.opcode == "mad" ||
         instruction.opcode == "mul" || instruction.opcode == "shl";
}

void ForEachRegister(const Operand& operand,
                     const std::function<void(const Operand&)>& visit) {
  if (operand.kind == Operand::Kind::kRegister) visit(operand);
  for (const Operand& element : operand.elements) {
    ForEachRegister(element, visit);
  }
}

bool WritesFirstOperand(const Instruction& instruction) {
  static constexpr absl::string_view kNone[] = {
      "st",  "bra",    "brx",   "ret",  "exit",     "bar", "barrier",
      "red", "membar", "fence", "trap", "prefetch", "call"};
  for (absl::string_view name : kNone) {
    if (instruction.opcode == name) return false;
  }
  return !instruction.operands.empty();
}

}  // namespace

SymbolicValues::SymbolicValues(const Function& entry,
                               const std::vector<const Instruction*>& code)
    : signature_(SignatureOf(entry)),
      escapes_(signature_.params.size(), false) {
  for (const Instruction* instruction : code) {
    const auto define = [&](const Operand& target) {
      auto& [first, count] = definitions_[target.text];
      if (count++ == 0) first = instruction;
    };
    if (WritesFirstOperand(*instruction)) {
      ForEachRegister(instruction->operands[0], define);
    } else if (instruction->opcode == "call") {
      for (const Operand& operand : instruction->operands) {
        ForEachRegister(operand, define);
      }
    }
  }
  // Each value only climbs none -> exact -> root -> unknown, so this ends; the
  // bound is for text that is made to be slow.
  constexpr int kMostRounds = 16;
  bool changed = true;
  for (int round = 0; changed; ++round) {
    changed = false;
    for (const Instruction* instruction : code) {
      if (instruction->operands.empty()) continue;
      if (!WritesFirstOperand(*instruction) && instruction->opcode != "call") {
        continue;
      }
      const bool simple =
          instruction->operands[0].kind == Operand::Kind::kRegister &&
          instruction->opcode != "call" && round < kMostRounds;
      const SymbolicValue found = simple ? Evaluate(*instruction) : Unknown();
      ForEachRegister(instruction->operands[0], [&](const Operand& target) {
        SymbolicValue& value = values_[target.text];
        SymbolicValue joined = Join(value, found);
        if (joined == value) return;
        value = std::move(joined);
        changed = true;
      });
    }
  }
  FindEscapes(code);
}

SymbolicValue SymbolicValues::Of(const Operand& operand) const {
  switch (operand.kind) {
    case Operand::Kind::kInteger:
      return Exact(Polynomial(operand.integer));
    case Operand::Kind::kRegister: {
      if (const auto special = SpecialRegister(operand.text)) {
        return Exact(Polynomial(*special));
      }
      const auto it = values_.find(operand.text);
      return it == values_.end() ? SymbolicValue() : it->second;
    }
    case Operand::Kind::kSymbol: {
      SymbolicValue value = Exact(Polynomial(operand.integer));
      value.symbol = operand.text;
      return value;
    }
    case Operand::Kind::kAddress: {
      if (operand.elements.empty()) return Unknown();
      return Sum(Of(operand.elements[0]), Exact(Polynomial(operand.integer)),
                 false);
    }
    default:
      return Unknown();
  }
}

std::optional<Polynomial> SymbolicValues::Number(const Operand& operand) const {
  const SymbolicValue value = Of(operand);
  if (value.knowledge != Knowledge::kExact || !value.symbol.empty()) {
    return std::nullopt;
  }
  if (!value.parameter) return value.offset;
  return Polynomial::Add(
      value.offset,
      Polynomial(LaunchSymbol{LaunchSymbol::Kind::kParameter, *value.parameter,
                              value.parameter_offset_bytes}));
}

const Instruction* SymbolicValues::OnlyDefinition(
    const std::string& reg) const {
  const auto it = definitions_.find(reg);
  return it == definitions_.end() || it->second.second != 1 ? nullptr
                                                            : it->second.first;
}

SymbolicValue SymbolicValues::LoadParameter(
    const Instruction& instruction) const {
  const Operand& address = instruction.operands[1];
  if (address.kind != Operand::Kind::kAddress || address.elements.empty() ||
      address.elements[0].kind != Operand::Kind::kSymbol) {
    return Unknown();
  }
  for (uint32_t i = 0; i < signature_.params.size(); ++i) {
    if (signature_.params[i].name != address.elements[0].text) continue;
    const int64_t at = address.integer + address.elements[0].integer;
    if (at < 0 || at >= signature_.params[i].size_bytes) return Unknown();
    if (!IsInteger(instruction.type())) return Unknown();
    if (SizeBytes(instruction.type()) == 8) {
      SymbolicValue root = Exact(Polynomial());
      root.parameter = i;
      root.parameter_offset_bytes = static_cast<uint32_t>(at);
      return root;
    }
    return Exact(Polynomial(LaunchSymbol{LaunchSymbol::Kind::kParameter, i,
                                         static_cast<uint32_t>(at)}));
  }
  return Unknown();
}

SymbolicValue SymbolicValues::Sum(const SymbolicValue& a,
                                  const SymbolicValue& b, bool subtract) const {
  if (a.knowledge == Knowledge::kNone || b.knowledge == Knowledge::kNone) {
    return SymbolicValue();
  }
  if (b.has_root() && (a.has_root() || subtract)) return Unknown();
  SymbolicValue sum = a.has_root() ? a : b;
  if (a.knowledge == Knowledge::kExact && b.knowledge == Knowledge::kExact) {
    const auto offset = subtract ? Polynomial::Subtract(a.offset, b.offset)
                                 : Polynomial::Add(a.offset, b.offset);
    if (offset) {
      sum.offset = *offset;
      sum.assumes_no_wrap = a.assumes_no_wrap || b.assumes_no_wrap;
      return sum;
    }
  }
  // Whatever is added, the address stays within what the root points at: an
  // address outside of it is the client's fault, and faults.
  if (!sum.has_root()) return Unknown();
  sum.knowledge = Knowledge::kRootOnly;
  sum.offset = Polynomial();
  sum.assumes_no_wrap = false;
  return sum;
}

SymbolicValue SymbolicValues::Product(const Instruction& instruction,
                                      bool wide) const {
  const SymbolicValue left = Of(instruction.operands[1]);
  const SymbolicValue right = Of(instruction.operands[2]);
  if (left.knowledge == Knowledge::kNone ||
      right.knowledge == Knowledge::kNone) {
    return SymbolicValue();
  }
  const auto a = Number(instruction.operands[1]);
  const auto b = Number(instruction.operands[2]);
  if (!a || !b) return Unknown();
  SymbolicValue product = Exact(Polynomial::Multiply(*a, *b));
  product.assumes_no_wrap =
      product.knowledge == Knowledge::kExact &&
      (wide || left.assumes_no_wrap || right.assumes_no_wrap);
  return product;
}

SymbolicValue SymbolicValues::Evaluate(const Instruction& instruction) const {
  const std::vector<Operand>& operands = instruction.operands;
  const std::string& opcode = instruction.opcode;
  if (opcode == "ld" && instruction.Has("param") && operands.size() == 2) {
    return LoadParameter(instruction);
  }
  if (opcode == "cvta" && operands.size() == 2) return Of(operands[1]);
  if (!IsInteger(instruction.type())) return Unknown();
  if (opcode == "mov" && operands.size() == 2) return Of(operands[1]);
  if (opcode == "cvt" && operands.size() == 2) {
    const SymbolicValue source = Of(operands[1]);
    if (source.knowledge == Knowledge::kNone) return source;
    const auto number = Number(operands[1]);
    if (!number || instruction.Has("sat")) return Unknown();
    SymbolicValue value = Exact(number);
    value.assumes_no_wrap = true;
    return value;
  }
  if ((opcode == "add" || opcode == "sub") && operands.size() == 3 &&
      !instruction.Has("sat") && !instruction.Has("cc")) {
    return Sum(Of(operands[1]), Of(operands[2]), opcode == "sub");
  }
  const bool wide = instruction.Has("wide");
  if (opcode == "mul" && operands.size() == 3 &&
      (wide || instruction.Has("lo"))) {
    return Product(instruction, wide);
  }
  if (opcode == "mad" && operands.size() == 4 &&
      (wide || instruction.Has("lo")) && !instruction.Has("sat") &&
      !instruction.Has("cc")) {
    return Sum(Product(instruction, wide), Of(operands[3]), false);
  }
  if (opcode == "shl" && operands.size() == 3 &&
      operands[2].kind == Operand::Kind::kInteger && operands[2].integer >= 0 &&
      operands[2].integer < 31) {
    const SymbolicValue source = Of(operands[1]);
    if (source.knowledge == Knowledge::kNone) return source;
    const auto number = Number(operands[1]);
    if (!number) return Unknown();
    SymbolicValue value = Exact(Polynomial::Multiply(
        *number, Polynomial(int64_t{1} << operands[2].integer)));
    value.assumes_no_wrap = value.knowledge == Knowledge::kExact;
    return value;
  }
  return Unknown();
}

void SymbolicValues::FindEscapes(const std::vector<const Instruction*>& code) {
  const auto escape = [&](const Operand& operand) {
    const SymbolicValue value = Of(operand);
    if (value.parameter) escapes_[*value.parameter] = true;
  };
  for (const Instruction* instruction : code) {
    const std::vector<Operand>& operands = instruction->operands;
    if (ComparesOnly(*instruction)) continue;
    const size_t first = WritesFirstOperand(*instruction) ? 1 : 0;
    for (size_t i = first; i < operands.size(); ++i) {
      // An address that is dereferenced is an access, not an escape.
      if (operands[i].kind == Operand::Kind::kAddress) continue;
      if (!Follows(*instruction)) {
        ForEachRegister(operands[i], escape);
        continue;
      }
      // Followed, unless the result lost the root: two pointers mixed.
      const SymbolicValue result = Of(operands[0]);
      const SymbolicValue source = Of(operands[i]);
      if (source.parameter && !source.SameRoot(result) &&
          result.knowledge == Knowledge::kUnknown) {
        escape(operands[i]);
      }
    }
  }
}

}  // namespace graphd::ptx
