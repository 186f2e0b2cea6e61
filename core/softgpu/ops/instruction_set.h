// The operations for the instruction set that this machine has.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_SOFTGPU_OPS_INSTRUCTION_SET_H_
#define GRAPHD_CORE_SOFTGPU_OPS_INSTRUCTION_SET_H_

#include "core/softgpu/ops/op_key.h"

namespace graphd::softgpu {

// Null when there is no such operation.
OpFunction FindOp(const OpKey& key);

}  // namespace graphd::softgpu

#endif  // GRAPHD_CORE_SOFTGPU_OPS_INSTRUCTION_SET_H_
