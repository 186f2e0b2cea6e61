#include "core/ptx/instruction_effects.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "core/ptx/opcodes.h"

namespace graphd::ptx {
namespace {

// Those that set or read the carry flag are not here.
constexpr absl::string_view kComputing[] = {
    "abs",   "add",  "and",      "bfe", "bfi",   "bfind", "bmsk", "brev",
    "clz",   "cnot", "copysign", "cos", "cvt",   "cvta",  "div",  "dp2a",
    "dp4a",  "ex2",  "fma",      "fns", "lg2",   "lop3",  "mad",  "mad24",
    "max",   "min",  "mov",      "mul", "mul24", "neg",   "not",  "or",
    "popc",  "prmt", "rcp",      "rem", "rsqrt", "sad",   "selp", "set",
    "setp",  "shf",  "shl",      "shr", "sin",   "slct",  "sqrt", "sub",
    "szext", "tanh", "testp",    "xor"};

// Of loads and stores; with any other modifier they are not taken for plain.
constexpr absl::string_view kPlainMemory[] = {"weak", "global", "nc", "ca",
                                              "cg",   "cs",     "lu", "wb",
                                              "wt",   "v2",     "v4", "v8"};

template <size_t kCount>
bool IsIn(const absl::string_view (&names)[kCount], absl::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool IsPlainMemory(const Instruction& instruction, size_t address) {
  if (instruction.operands.size() != 2 ||
      instruction.operands[address].kind != Operand::Kind::kAddress ||
      instruction.operands[address].elements.size() != 1) {
    return false;
  }
  return std::all_of(instruction.modifiers.begin(), instruction.modifiers.end(),
                     [](const std::string& modifier) {
                       return IsIn(kPlainMemory, modifier) ||
                              ParseType(modifier).has_value() ||
                              absl::StartsWith(modifier, "L1::") ||
                              absl::StartsWith(modifier, "L2::");
                     });
}

void VisitAll(const Operand& operand, VisitRegister visit) {
  if (operand.kind == Operand::Kind::kRegister &&
      !IsSpecialRegister(operand.text)) {
    visit(operand);
  }
  for (const Operand& element : operand.elements) VisitAll(element, visit);
}

bool WritesNothing(const Instruction& instruction) {
  return instruction.opcode == "st" || instruction.opcode == "bra" ||
         instruction.operands.empty();
}

}  // namespace

bool OnlyComputes(const Instruction& instruction) {
  if (instruction.operands.size() < 2) return false;
  if (instruction.opcode == "ld") {
    return std::all_of(instruction.modifiers.begin(),
                       instruction.modifiers.end(),
                       [](const std::string& modifier) {
                         return modifier == "param" || modifier == "v2" ||
                                modifier == "v4" || ParseType(modifier);
                       }) &&
           instruction.Has("param");
  }
  return IsIn(kComputing, instruction.opcode) && !instruction.Has("cc");
}

bool IsPlainLoad(const Instruction& instruction) {
  return instruction.opcode == "ld" && IsPlainMemory(instruction, 1);
}

bool IsPlainStore(const Instruction& instruction) {
  return instruction.opcode == "st" && IsPlainMemory(instruction, 0);
}

void ForEachWritten(const Instruction& instruction, VisitRegister visit) {
  if (!WritesNothing(instruction)) VisitAll(instruction.operands[0], visit);
}

void ForEachRead(const Instruction& instruction, VisitRegister visit) {
  for (size_t i = WritesNothing(instruction) ? 0 : 1;
       i < instruction.operands.size(); ++i) {
    VisitAll(instruction.operands[i], visit);
  }
}

uint32_t Lanes(const Instruction& instruction) {
  if (instruction.Has("v2")) return 2;
  if (instruction.Has("v4")) return 4;
  return instruction.Has("v8") ? 8 : 1;
}

}  // namespace graphd::ptx
