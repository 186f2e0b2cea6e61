// Compares an instruction's operands with the shape of its opcode.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_PTX_CHECK_OPERANDS_H_
#define GRAPHD_CORE_PTX_CHECK_OPERANDS_H_

#include <string>

#include "core/ptx/ast.h"
#include "core/ptx/register_scope.h"

namespace graphd::ptx {

// What is wrong, or nothing. Undeclared names are not its business.
std::string OperandFault(const Instruction& instruction,
                         const RegisterScope& registers);

}  // namespace graphd::ptx

#endif  // GRAPHD_CORE_PTX_CHECK_OPERANDS_H_
