#include "core/softgpu/decode_instruction.h"

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/ptx/opcodes.h"

namespace graphd::softgpu {
namespace {

absl::StatusOr<Decoded> DecodeControl(const ptx::Instruction& instruction,
                                      CodeBuilder& builder) {
  const std::string& opcode = instruction.opcode;
  if (opcode == "bra") {
    GRAPHD_RETURN_IF_ERROR(builder.EmitBranch(instruction.operands[0].text));
  } else if (opcode == "ret" || opcode == "exit") {
    builder.Emit(Action::kExit);
  } else if (opcode == "bar" || opcode == "barrier") {
    builder.Emit(Action::kBarrier,
                 static_cast<uint32_t>(instruction.operands[0].integer));
  } else if (opcode == "membar" || opcode == "fence") {
    builder.Emit(Action::kFence);
  } else if (opcode == "trap") {
    builder.Emit(Action::kTrap);
  } else {
    return Decoded::kNotMine;
  }
  return Decoded::kDone;
}

}  // namespace

Rounding RoundingOf(const ptx::Instruction& instruction) {
  const auto has = [&](absl::string_view plain, absl::string_view integral) {
    return instruction.Has(plain) || instruction.Has(integral);
  };
  if (has("rz", "rzi")) return Rounding::kZero;
  if (has("rm", "rmi")) return Rounding::kDown;
  if (has("rp", "rpi")) return Rounding::kUp;
  return Rounding::kNearest;
}

absl::Status DecodeInstruction(const ptx::Instruction& instruction,
                               CodeBuilder& builder) {
  if (!ptx::SoftwareRuns(instruction)) {
    return absl::UnimplementedError("not one of its instructions");
  }
  GRAPHD_RETURN_IF_ERROR(builder.BeginInstruction(instruction));
  for (const auto decode : {DecodeArithmetic, DecodeSelection, DecodeMove,
                            DecodeMemory, DecodeControl}) {
    GRAPHD_ASSIGN_OR_RETURN(const Decoded decoded,
                            decode(instruction, builder));
    if (decoded == Decoded::kDone) return absl::OkStatus();
  }
  return absl::UnimplementedError("not one of its instructions");
}

}  // namespace graphd::softgpu
