// Early return for driver functions: CUresult has no value to carry.
//
// Thread safety: immutable (macros only).
#ifndef GRAPHD_CORE_SOFTGPU_RESULT_MACROS_H_
#define GRAPHD_CORE_SOFTGPU_RESULT_MACROS_H_

#include <cuda.h>

// Returns from the enclosing function when `expr` is not CUDA_SUCCESS.
#define GRAPHD_RETURN_IF_FAILED(expr)          \
  do {                                         \
    if (const CUresult graphd_result = (expr); \
        graphd_result != CUDA_SUCCESS) {       \
      return graphd_result;                    \
    }                                          \
  } while (false)

#endif  // GRAPHD_CORE_SOFTGPU_RESULT_MACROS_H_
