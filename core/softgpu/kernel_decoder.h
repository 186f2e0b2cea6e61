// An entry function to a Kernel: layout of its memory, then its instructions.
//
// Shared memory of a block: the .shared variables that the kernel mentions, in
// the order of their declarations, then what the launch adds, where unsized
// external arrays begin. Local memory of a thread: its .local variables.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_SOFTGPU_KERNEL_DECODER_H_
#define GRAPHD_CORE_SOFTGPU_KERNEL_DECODER_H_

#include "absl/status/statusor.h"
#include "core/ptx/ast.h"
#include "core/softgpu/module_variables.h"
#include "core/softgpu/program.h"

namespace graphd::softgpu {

// Requires: ptx::Check accepts `module`. A kernel with an instruction that is
// not executed has no code and says why. Errors: INVALID_ARGUMENT (more static
// shared or local memory than a kernel may have).
absl::StatusOr<Kernel> DecodeKernel(const ptx::Module& module,
                                    const ptx::Function& entry,
                                    const ModuleVariables& variables);

}  // namespace graphd::softgpu

#endif  // GRAPHD_CORE_SOFTGPU_KERNEL_DECODER_H_
