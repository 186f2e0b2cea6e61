#include "core/ptx/symbolic_values.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "core/ptx/opcodes.h"

namespace graphd::ptx {
namespace {

using Knowledge = SymbolicValue::Knowledge;

// Beyond so many assumptions nothing is claimed.
constexpr size_t kMostAssumptions = 8;

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

SymbolicValue RootOnly(const SymbolicValue& of) {
  if (!of.has_root()) return Unknown();
  SymbolicValue value = of;
  value.knowledge = Knowledge::kRootOnly;
  value.offset = Polynomial();
  value.assumes.clear();
  return value;
}

void Assume(const FitsIn& assumption, SymbolicValue& value) {
  if (value.knowledge != Knowledge::kExact) return;
  if (const auto constant = assumption.value.AsConstant()) {
    const int64_t least =
        assumption.is_signed ? std::numeric_limits<int32_t>::min() : 0;
    const int64_t most = assumption.is_signed
                             ? std::numeric_limits<int32_t>::max()
                             : std::numeric_limits<uint32_t>::max();
    if (*constant < least || *constant > most) value = RootOnly(value);
    return;
  }
  if (std::find(value.assumes.begin(), value.assumes.end(), assumption) !=
      value.assumes.end()) {
    return;
  }
  value.assumes.push_back(assumption);
  if (value.assumes.size() > kMostAssumptions) value = RootOnly(value);
}

void AssumeAll(const SymbolicValue& from, SymbolicValue& value) {
  for (const FitsIn& assumption : from.assumes) Assume(assumption, value);
}

SymbolicValue Join(const SymbolicValue& a, const SymbolicValue& b) {
  if (a.knowledge == Knowledge::kNone) return b;
  if (b.knowledge == Knowledge::kNone || a == b) return a;
  if (!a.SameRoot(b)) return Unknown();
  if (a.knowledge == Knowledge::kExact && b.knowledge == Knowledge::kExact &&
      a.offset == b.offset) {
    SymbolicValue joined = a;
    AssumeAll(b, joined);
    return joined;
  }
  return RootOnly(a);
}

std::optional<LaunchSymbol> LaunchRegister(absl::string_view name) {
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

// 32 or 64 bits without a meaning of their own, or an integer of that size.
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

bool IsSigned(Type type) { return type == Type::kS32 || type == Type::kS64; }

// Whether no address comes out of the result, whatever the sources are:
// comparisons, and numbers that become floats.
bool EndsAddresses(const Instruction& instruction) {
  if (instruction.opcode == "setp" || instruction.opcode == "set") return true;
  return instruction.opcode == "cvt" &&
         (instruction.Has("f32") || instruction.Has("f64"));
}

bool Follows(const Instruction& instruction) {
  static constexpr absl::string_view kNames[] = {"mov", "cvta", "cvt", "add",
                                                 "sub", "mad",  "mul", "shl"};
  return std::find(std::begin(kNames), std::end(kNames), instruction.opcode) !=
         std::end(kNames);
}

void ForEachRegister(const Operand& operand,
                     absl::FunctionRef<void(const Operand&)> visit) {
  if (operand.kind == Operand::Kind::kRegister) visit(operand);
  for (const Operand& element : operand.elements) {
    ForEachRegister(element, visit);
  }
}

SymbolicValue Sum(const SymbolicValue& a, const SymbolicValue& b,
                  bool subtract) {
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
      AssumeAll(a, sum);
      AssumeAll(b, sum);
      return sum;
    }
  }
  // Whatever is added, the address stays within what the root points at: an
  // address outside of it is the client's fault, and faults.
  return RootOnly(sum);
}

}  // namespace

SymbolicValues::SymbolicValues(const Function& entry, const ControlFlow& flow)
    : flow_(flow),
      signature_(SignatureOf(entry)),
      reaching_(flow),
      escapes_(signature_.params.size(), false) {
  FindValues();
  FindEscapes();
}

void SymbolicValues::FindValues() {
  const std::vector<Definition>& definitions = reaching_.definitions();
  values_.resize(definitions.size());
  of_register_.resize(flow_.register_count());
  // Each value only climbs none -> exact -> root -> unknown, so this ends; the
  // bound is for text that is made to be slow.
  constexpr int kMostRounds = 16;
  bool changed = true;
  for (int round = 0; changed; ++round) {
    changed = false;
    for (size_t i = 0; i < definitions.size(); ++i) {
      SymbolicValue joined =
          Join(values_[i],
               round < kMostRounds ? Evaluate(definitions[i]) : Unknown());
      if (joined == values_[i]) continue;
      SymbolicValue& all = of_register_[definitions[i].reg];
      all = Join(all, joined);
      values_[i] = std::move(joined);
      changed = true;
    }
  }
  for (const Definition& definition : definitions) {
    const Instruction& load = *flow_.code()[definition.instruction];
    const SymbolicValue& value = values_[&definition - definitions.data()];
    if (load.opcode == "ld" && load.Has("param") && value.parameter) {
      pointers_.insert({*value.parameter, value.parameter_offset_bytes});
    }
  }
}

SymbolicValue SymbolicValues::AtRegister(uint32_t reg, uint32_t at) const {
  const auto reaching = reaching_.At(at, reg);
  if (!reaching) return of_register_[reg];
  SymbolicValue joined;
  for (const uint32_t definition : *reaching) {
    joined = Join(joined, values_[definition]);
  }
  return joined;
}

SymbolicValue SymbolicValues::Of(const Operand& operand, uint32_t at) const {
  switch (operand.kind) {
    case Operand::Kind::kInteger:
      return Exact(Polynomial(operand.integer));
    case Operand::Kind::kRegister:
      if (const auto symbol = LaunchRegister(operand.text)) {
        return Exact(Polynomial(*symbol));
      }
      // Another special register, or a part of a register.
      if (IsSpecialRegister(operand.text) ||
          absl::StrContains(operand.text, '.')) {
        return Unknown();
      }
      return AtRegister(flow_.Register(at, operand.text), at);
    case Operand::Kind::kSymbol: {
      SymbolicValue value = Exact(Polynomial(operand.integer));
      value.symbol = operand.text;
      return value;
    }
    case Operand::Kind::kAddress:
      if (operand.elements.empty()) return Unknown();
      return Sum(Of(operand.elements[0], at),
                 Exact(Polynomial(operand.integer)), false);
    default:
      return Unknown();
  }
}

SymbolicValue SymbolicValues::Number(const Operand& operand,
                                     uint32_t at) const {
  SymbolicValue value = Of(operand, at);
  if (value.knowledge == Knowledge::kNone) return value;
  if (value.knowledge != Knowledge::kExact || !value.symbol.empty()) {
    return Unknown();
  }
  if (!value.parameter) return value;
  SymbolicValue number = Exact(Polynomial::Add(
      value.offset,
      Polynomial(LaunchSymbol{LaunchSymbol::Kind::kParameter, *value.parameter,
                              value.parameter_offset_bytes})));
  AssumeAll(value, number);
  return number;
}

std::optional<uint32_t> SymbolicValues::OnlyDefinition(const std::string& reg,
                                                       uint32_t at) const {
  const auto reaching = reaching_.At(at, flow_.Register(at, reg));
  if (!reaching || reaching->size() != 1) return std::nullopt;
  const Definition& definition = reaching_.definitions()[reaching->front()];
  if (definition.may_not_happen) return std::nullopt;
  return definition.instruction;
}

SymbolicValue SymbolicValues::LoadParameter(const Instruction& instruction,
                                            uint32_t element) const {
  const Operand& address = instruction.operands[1];
  const uint32_t size = SizeBytes(instruction.type());
  if (address.kind != Operand::Kind::kAddress || address.elements.empty() ||
      address.elements[0].kind != Operand::Kind::kSymbol ||
      !IsInteger(instruction.type())) {
    return Unknown();
  }
  for (uint32_t i = 0; i < signature_.params.size(); ++i) {
    if (signature_.params[i].name != address.elements[0].text) continue;
    const int64_t at =
        address.integer + address.elements[0].integer + element * size;
    if (at < 0 || at >= signature_.params[i].size_bytes) return Unknown();
    if (size == 8) {
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

// Of registers between 32 and 64 bits, as integers.
SymbolicValue SymbolicValues::Convert(const Instruction& instruction,
                                      uint32_t at) const {
  std::vector<Type> types;  // result, source
  for (const std::string& modifier : instruction.modifiers) {
    const std::optional<Type> type = ParseType(modifier);
    if (!type) return Unknown();  // rounding, saturation
    types.push_back(*type);
  }
  if (types.size() != 2 || !IsInteger(types[0]) || !IsInteger(types[1])) {
    return Unknown();
  }
  SymbolicValue value = Number(instruction.operands[1], at);
  if (SizeBytes(types[0]) > SizeBytes(types[1])) {
    Assume({value.offset, 32, IsSigned(types[1])}, value);
  }
  return value;
}

SymbolicValue SymbolicValues::Product(const Instruction& instruction,
                                      uint32_t at) const {
  const SymbolicValue a = Number(instruction.operands[1], at);
  const SymbolicValue b = Number(instruction.operands[2], at);
  if (a.knowledge == Knowledge::kNone || b.knowledge == Knowledge::kNone) {
    return SymbolicValue();
  }
  if (a.knowledge != Knowledge::kExact || b.knowledge != Knowledge::kExact) {
    return Unknown();
  }
  SymbolicValue product = Exact(Polynomial::Multiply(a.offset, b.offset));
  AssumeAll(a, product);
  AssumeAll(b, product);
  if (instruction.Has("wide")) {
    const bool is_signed = IsSigned(instruction.type());
    Assume({a.offset, 32, is_signed}, product);
    Assume({b.offset, 32, is_signed}, product);
  }
  return product;
}

SymbolicValue SymbolicValues::Evaluate(const Definition& definition) const {
  const uint32_t at = definition.instruction;
  const Instruction& instruction = *flow_.code()[at];
  const std::vector<Operand>& operands = instruction.operands;
  const std::string& opcode = instruction.opcode;
  if (absl::StrContains(definition.target->text, '.')) return Unknown();
  if (opcode == "ld" && instruction.Has("param") && operands.size() == 2) {
    const bool whole = definition.target == &operands[0];
    return LoadParameter(instruction, whole ? 0
                                            : static_cast<uint32_t>(
                                                  definition.target -
                                                  operands[0].elements.data()));
  }
  if (definition.target != &operands[0]) return Unknown();
  if (opcode == "cvta" && operands.size() == 2) return Of(operands[1], at);
  if (opcode == "cvt" && operands.size() == 2) return Convert(instruction, at);
  if (!IsInteger(instruction.type())) return Unknown();
  if (opcode == "mov" && operands.size() == 2) return Of(operands[1], at);
  if (instruction.Has("sat") || instruction.Has("cc")) return Unknown();
  if ((opcode == "add" || opcode == "sub") && operands.size() == 3) {
    return Sum(Of(operands[1], at), Of(operands[2], at), opcode == "sub");
  }
  const bool low = instruction.Has("wide") || instruction.Has("lo");
  if (opcode == "mul" && operands.size() == 3 && low) {
    return Product(instruction, at);
  }
  if (opcode == "mad" && operands.size() == 4 && low) {
    return Sum(Product(instruction, at), Of(operands[3], at), false);
  }
  if (opcode == "shl" && operands.size() == 3 &&
      operands[2].kind == Operand::Kind::kInteger && operands[2].integer >= 0 &&
      operands[2].integer < 31) {
    const SymbolicValue source = Number(operands[1], at);
    if (source.knowledge != Knowledge::kExact) return source;
    SymbolicValue value = Exact(Polynomial::Multiply(
        source.offset, Polynomial(int64_t{1} << operands[2].integer)));
    AssumeAll(source, value);
    return value;
  }
  return Unknown();
}

void SymbolicValues::Escape(const SymbolicValue& value) {
  if (value.parameter) escapes_[*value.parameter] = true;
  // A pointer that was multiplied or cut is a number that may become one again.
  for (const auto& [monomial, coefficient] : value.offset.terms()) {
    for (const LaunchSymbol& symbol : monomial) {
      if (symbol.kind == LaunchSymbol::Kind::kParameter &&
          pointers_.count({symbol.index, symbol.offset_bytes}) != 0) {
        escapes_[symbol.index] = true;
      }
    }
  }
}

// Where definitions with different roots meet, none of them is followed.
void SymbolicValues::EscapeLostRoots(const Operand& operand, uint32_t at) {
  ForEachRegister(operand, [&](const Operand& used) {
    const SymbolicValue joined = Of(used, at);
    if (joined.knowledge != Knowledge::kUnknown || LaunchRegister(used.text)) {
      return;
    }
    const uint32_t reg = flow_.Register(at, used.text);
    const auto reaching = reaching_.At(at, reg);
    for (const uint32_t definition :
         reaching ? *reaching
                  : absl::MakeConstSpan(reaching_.OfRegister(reg))) {
      Escape(values_[definition]);
    }
  });
}

// Into memory, into a call, into arithmetic that is not followed.
void SymbolicValues::EscapeFrom(const Operand& operand, uint32_t at) {
  const Instruction& instruction = *flow_.code()[at];
  const bool to_call =
      instruction.opcode == "call" ||
      (instruction.opcode == "st" && instruction.Has("param") &&
       IsInteger(instruction.type()) && SizeBytes(instruction.type()) == 8);
  ForEachRegister(operand, [&](const Operand& used) {
    const SymbolicValue value = Of(used, at);
    Escape(value);
    // What a callee gets may be any pointer.
    if (to_call && value.knowledge == Knowledge::kUnknown) {
      escapes_.assign(escapes_.size(), true);
    }
  });
}

void SymbolicValues::FindEscapes() {
  const std::vector<Definition>& definitions = reaching_.definitions();
  size_t next = 0;
  for (uint32_t i = 0; i < flow_.code().size(); ++i) {
    const Instruction& instruction = *flow_.code()[i];
    const size_t first = next;
    while (next < definitions.size() && definitions[next].instruction == i) {
      ++next;
    }
    if (EndsAddresses(instruction)) continue;
    const auto is_target = [&](const Operand& operand) {
      return std::any_of(definitions.begin() + first,
                         definitions.begin() + next, [&](const Definition& d) {
                           return d.target == &operand ||
                                  (!operand.elements.empty() &&
                                   d.target >= operand.elements.data() &&
                                   d.target < operand.elements.data() +
                                                  operand.elements.size());
                         });
    };
    for (const Operand& operand : instruction.operands) {
      if (is_target(operand) && operand.kind != Operand::Kind::kAddress &&
          FindOpcode(instruction.opcode) != nullptr) {
        continue;
      }
      EscapeLostRoots(operand, i);
      // An address that is dereferenced is an access, not an escape.
      if (operand.kind == Operand::Kind::kAddress) continue;
      if (!Follows(instruction)) {
        EscapeFrom(operand, i);
        continue;
      }
      // Followed, unless the result lost the root: two pointers mixed.
      const SymbolicValue source = Of(operand, i);
      for (size_t d = first; d < next; ++d) {
        if (values_[d].knowledge == Knowledge::kUnknown) Escape(source);
      }
    }
  }
}

}  // namespace graphd::ptx
