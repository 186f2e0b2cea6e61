// Says what is wrong with a module that parses: undeclared or doubly declared
// registers, labels and symbols, operand counts and register classes of the
// opcodes that opcodes.def knows. It refuses nothing that the vendor's
// assembler accepts; a body that ends without "ret" returns there.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_PTX_CHECK_H_
#define GRAPHD_CORE_PTX_CHECK_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "core/ptx/ast.h"

namespace graphd::ptx {

// Errors: INVALID_ARGUMENT naming function, line, what was expected and what
// was found; several findings, one a line, at most 32.
absl::Status Check(const Module& module);

// The first instruction of `function` that the software GPU does not execute,
// from opcodes.def; nullopt: it runs.
struct Unsupported {
  std::string instruction;  // full name, "mma.sync.aligned.m16n8k16…"
  int line = 0;
};
std::optional<Unsupported> FirstUnsupported(const Module& module,
                                            const Function& function);

}  // namespace graphd::ptx

#endif  // GRAPHD_CORE_PTX_CHECK_H_
