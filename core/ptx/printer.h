// Module to text. Parse(Print(m)) == m up to line numbers, and ptxas accepts
// what is printed.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_PTX_PRINTER_H_
#define GRAPHD_CORE_PTX_PRINTER_H_

#include <string>

#include "core/ptx/ast.h"

namespace graphd::ptx {

std::string Print(const Module& module);
std::string Print(
    const Instruction& instruction);  // one line, without the final newline
std::string Print(const Operand& operand);

// Writes .rn on every floating-point add, sub and mul (f16, f32, f64 and packed
// forms) that states no rounding, so that no assembler contracts across them:
// otherwise fused and unfused kernels would differ on a GPU.
void MakeRoundingExplicit(Module& module);

}  // namespace graphd::ptx

#endif  // GRAPHD_CORE_PTX_PRINTER_H_
