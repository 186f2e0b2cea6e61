#include <algorithm>
#include <iterator>

#include "core/ptx/printer.h"

namespace graphd::ptx {
namespace {

constexpr absl::string_view kFloatTypes[] = {"f16", "f16x2", "bf16", "bf16x2",
                                             "f32", "f32x2", "f64"};
constexpr absl::string_view kRoundings[] = {"rn", "rz", "rm", "rp"};

template <size_t kCount>
bool HasOneOf(const Instruction& instruction,
              const absl::string_view (&names)[kCount]) {
  return std::any_of(
      std::begin(names), std::end(names),
      [&](absl::string_view name) { return instruction.Has(name); });
}

void MakeExplicit(Block& block) {
  for (Statement& statement : block.statements) {
    if (auto* inner = std::get_if<Block>(&statement)) MakeExplicit(*inner);
    auto* instruction = std::get_if<Instruction>(&statement);
    if (instruction == nullptr) continue;
    const std::string& opcode = instruction->opcode;
    if (opcode != "add" && opcode != "sub" && opcode != "mul") continue;
    if (!HasOneOf(*instruction, kFloatTypes) ||
        HasOneOf(*instruction, kRoundings)) {
      continue;
    }
    // The rounding comes first: add{.rnd}{.ftz}{.sat}.f32.
    instruction->modifiers.insert(instruction->modifiers.begin(), "rn");
  }
}

}  // namespace

void MakeRoundingExplicit(Module& module) {
  for (TopLevel& item : module.items) {
    if (auto* function = std::get_if<Function>(&item)) {
      MakeExplicit(function->body);
    }
  }
}

}  // namespace graphd::ptx
