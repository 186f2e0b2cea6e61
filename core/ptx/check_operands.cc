#include "core/ptx/check_operands.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/ptx/opcodes.h"
#include "core/ptx/printer.h"

namespace graphd::ptx {
namespace {

// The one type that the operands have; none when the modifiers name several
// or one that registers cannot have, and widths then stay unchecked.
Type OperandType(const Instruction& instruction) {
  Type found = Type::kNone;
  for (const std::string& modifier : instruction.modifiers) {
    const std::optional<Type> type = ParseType(modifier);
    if (!type) continue;
    if (found != Type::kNone) return Type::kNone;
    found = *type;
  }
  return found;
}

std::string CountFault(const Instruction& instruction,
                       absl::string_view shape) {
  const bool open = absl::EndsWith(shape, "+");
  if (open) shape.remove_suffix(1);
  const size_t optional = shape.find('?');
  const size_t most =
      shape.size() - (optional == absl::string_view::npos ? 0 : 1);
  const size_t least = std::min(optional, most);
  const size_t count = instruction.operands.size();
  if (count >= least && (open || count <= most)) return "";
  return absl::StrCat(instruction.FullName(), ": expected ",
                      open ? "at least " : "", least,
                      most > least ? absl::StrCat(" to ", most) : "",
                      most == 1 ? " operand" : " operands", ", found ", count);
}

std::string WidthFault(const Instruction& instruction, const Operand& operand,
                       Type declared, uint32_t expected_bytes, bool at_least) {
  const uint32_t bytes = SizeBytes(declared);
  if (at_least ? bytes >= expected_bytes : bytes == expected_bytes) return "";
  return absl::StrCat(instruction.FullName(), ": expected a register of ",
                      at_least ? "at least " : "", expected_bytes * 8,
                      " bits, found ", Print(operand), " of type ",
                      Name(declared));
}

std::string RegisterFault(const Instruction& instruction,
                          const Operand& operand, char letter, Type type,
                          const RegisterScope& registers) {
  const std::optional<Type> declared = registers.Find(operand.text);
  if (!declared) return "";
  // An element of a vector register, or a selected byte.
  if (operand.text.find('.') != std::string::npos) return "";
  const bool wants_predicate =
      letter == 'p' || letter == 'q' || type == Type::kPred;
  const bool is_predicate = *declared == Type::kPred;
  if (letter == 'u' ? is_predicate : wants_predicate != is_predicate) {
    return absl::StrCat(instruction.FullName(), ": expected ",
                        wants_predicate ? "a predicate" : "a data register",
                        ", found ", Print(operand), " of type ",
                        Name(*declared));
  }
  if (wants_predicate) return "";
  uint32_t bytes = letter == 'u' ? 4 : SizeBytes(type);
  if (bytes == 0) return "";
  if (letter == 'w' && instruction.Has("wide")) bytes *= 2;
  return WidthFault(instruction, operand, *declared, bytes, letter == 'D');
}

bool IsAddressable(const Operand& operand) {
  return operand.kind == Operand::Kind::kAddress;
}

std::string OneFault(const Instruction& instruction, const Operand& operand,
                     char letter, Type type, const RegisterScope& registers) {
  using Kind = Operand::Kind;
  if (letter == '*') return "";
  const auto expected = [&](absl::string_view what) {
    return absl::StrCat(instruction.FullName(), ": expected ", what, ", found ",
                        Print(operand));
  };
  if (letter == 'a')
    return IsAddressable(operand) ? "" : expected("an address");
  if (letter == 'l') {
    return operand.kind == Kind::kSymbol ? "" : expected("a label");
  }
  if (operand.kind == Kind::kAddress) return expected("no address");
  if (operand.kind == Kind::kPair && letter != 'q' && letter != 'd' &&
      letter != 'u') {
    return expected("one operand");
  }
  // Without one clear type only predicates are told from data.
  const bool needs_type =
      letter == 'd' || letter == 's' || letter == 'w' || letter == 'D';
  if (needs_type && type == Type::kNone) return "";
  if (operand.kind == Kind::kPair ||
      (operand.kind == Kind::kVector && letter == 'D')) {
    for (const Operand& element : operand.elements) {
      if (element.kind != Kind::kRegister) continue;
      if (operand.kind == Kind::kPair && letter != 'q') continue;
      std::string fault =
          RegisterFault(instruction, element, letter, type, registers);
      if (!fault.empty()) return fault;
    }
    return "";
  }
  if (operand.kind != Kind::kRegister) return "";
  return RegisterFault(instruction, operand, letter, type, registers);
}

}  // namespace

std::string OperandFault(const Instruction& instruction,
                         const RegisterScope& registers) {
  const OpcodeRow* row = FindOpcode(instruction.opcode);
  if (row == nullptr) return "";
  std::string fault = CountFault(instruction, row->shape);
  if (!fault.empty()) return fault;
  const Type type = OperandType(instruction);
  size_t next = 0;
  for (const Operand& operand : instruction.operands) {
    if (next < row->shape.size() && row->shape[next] == '?') ++next;
    const char letter = next < row->shape.size() && row->shape[next] != '+'
                            ? row->shape[next++]
                            : '*';
    fault = OneFault(instruction, operand, letter, type, registers);
    if (!fault.empty()) return fault;
  }
  return "";
}

}  // namespace graphd::ptx
