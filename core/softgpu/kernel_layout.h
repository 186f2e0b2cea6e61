// Where a kernel's .shared and .local variables lie.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_SOFTGPU_KERNEL_LAYOUT_H_
#define GRAPHD_CORE_SOFTGPU_KERNEL_LAYOUT_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "core/ptx/ast.h"
#include "core/softgpu/code_builder.h"

namespace graphd::softgpu {

struct KernelLayout {
  // By declaration, which `module` and `entry` own.
  absl::flat_hash_map<const ptx::Variable*, Place> places;
  uint32_t shared_bytes = 0;
  uint32_t local_bytes = 0;  // a thread
};

// Lays out the variables of the module that `entry` mentions, and its own.
// Errors: INVALID_ARGUMENT when there is more than CUDA allows.
absl::StatusOr<KernelLayout> LayOutKernel(const ptx::Module& module,
                                          const ptx::Function& entry);

}  // namespace graphd::softgpu

#endif  // GRAPHD_CORE_SOFTGPU_KERNEL_LAYOUT_H_
