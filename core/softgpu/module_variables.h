// The .global and .const variables of a module, placed in device memory.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_SOFTGPU_MODULE_VARIABLES_H_
#define GRAPHD_CORE_SOFTGPU_MODULE_VARIABLES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "core/ptx/ast.h"
#include "core/softgpu/program.h"

namespace graphd::softgpu {

struct ModuleVariables {
  std::vector<ProgramVariable> variables;
  absl::flat_hash_map<std::string, uint64_t> addresses;
  uint64_t const_begin = 0;  // the bounds of all .const variables
  uint64_t const_end = 0;
  // Not empty when initial values need what the software GPU lacks: addresses
  // of functions.
  std::string unsupported;
};

// Allocates and initialises. Errors: INVALID_ARGUMENT (an external variable
// that nothing defines, an initial value that does not fit its element),
// RESOURCE_EXHAUSTED.
absl::StatusOr<ModuleVariables> PlaceVariables(
    const ptx::Module& module, const Program::Allocate& allocate);

}  // namespace graphd::softgpu

#endif  // GRAPHD_CORE_SOFTGPU_MODULE_VARIABLES_H_
