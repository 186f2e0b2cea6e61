// What an instruction does beyond its operands' text: whether it only computes,
// and which registers it reads and writes.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_PTX_INSTRUCTION_EFFECTS_H_
#define GRAPHD_CORE_PTX_INSTRUCTION_EFFECTS_H_

#include "absl/functional/function_ref.h"
#include "core/ptx/ast.h"

namespace graphd::ptx {

// Computes its first operand from the others and does nothing else, so that it
// may go when nobody reads the result. Plain arithmetic, conversions and
// `ld.param`; false for whatever is not known.
bool OnlyComputes(const Instruction& instruction);

// An ordinary load from, or store to, global memory or a generic address:
// neither volatile nor ordered.
bool IsPlainLoad(const Instruction& instruction);
bool IsPlainStore(const Instruction& instruction);

// Visit the registers of an instruction for which one of the above holds, or
// of a branch. Special registers (%tid.x) are left out.
using VisitRegister = absl::FunctionRef<void(const Operand& reg)>;
void ForEachWritten(const Instruction& instruction, VisitRegister visit);
// The guard is not among them.
void ForEachRead(const Instruction& instruction, VisitRegister visit);

// 1, 2, 4 or 8 elements of a load or store.
uint32_t Lanes(const Instruction& instruction);

}  // namespace graphd::ptx

#endif  // GRAPHD_CORE_PTX_INSTRUCTION_EFFECTS_H_
