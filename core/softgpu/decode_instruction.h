// One instruction to steps.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_SOFTGPU_DECODE_INSTRUCTION_H_
#define GRAPHD_CORE_SOFTGPU_DECODE_INSTRUCTION_H_

#include "absl/status/status.h"
#include "core/ptx/ast.h"
#include "core/softgpu/code_builder.h"

namespace graphd::softgpu {

// Appends the steps of `instruction`. Errors: UNIMPLEMENTED saying what is not
// executed.
absl::Status DecodeInstruction(const ptx::Instruction& instruction,
                               CodeBuilder& builder);

// Its parts; kNotMine when the opcode is of another part.
enum class Decoded { kDone, kNotMine };
absl::StatusOr<Decoded> DecodeArithmetic(const ptx::Instruction& instruction,
                                         CodeBuilder& builder);
absl::StatusOr<Decoded> DecodeSelection(const ptx::Instruction& instruction,
                                        CodeBuilder& builder);
absl::StatusOr<Decoded> DecodeMove(const ptx::Instruction& instruction,
                                   CodeBuilder& builder);
absl::StatusOr<Decoded> DecodeMemory(const ptx::Instruction& instruction,
                                     CodeBuilder& builder);

// .rn, .rz, .rm, .rp or their integral forms; nearest when none is stated.
Rounding RoundingOf(const ptx::Instruction& instruction);

}  // namespace graphd::softgpu

#endif  // GRAPHD_CORE_SOFTGPU_DECODE_INSTRUCTION_H_
