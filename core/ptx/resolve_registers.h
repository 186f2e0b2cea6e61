// Registers whose names have no "%" (".reg .pred p;" of inline assembly) look
// like symbols until their declarations are known; this makes registers of
// them.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_PTX_RESOLVE_REGISTERS_H_
#define GRAPHD_CORE_PTX_RESOLVE_REGISTERS_H_

#include "core/ptx/ast.h"

namespace graphd::ptx {

void ResolveRegisters(Function& function);

}  // namespace graphd::ptx

#endif  // GRAPHD_CORE_PTX_RESOLVE_REGISTERS_H_
