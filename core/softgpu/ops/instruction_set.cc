#include "core/softgpu/ops/instruction_set.h"

namespace graphd::softgpu {

OpFunction FindOp(const OpKey& key) {
#ifdef GRAPHD_HAS_AVX2_OPS
  static const bool has_avx2 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (has_avx2) return avx2::FindOp(key);
#endif
  return baseline::FindOp(key);
}

}  // namespace graphd::softgpu
