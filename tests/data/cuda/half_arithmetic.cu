// Arithmetic in f16, f16x2 and bf16.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
extern "C" __global__ void halves(const __half* a, const __half2* b,
                                  const __nv_bfloat16* c, __half* out,
                                  __half2* out2, __nv_bfloat16* out_b) {
  const int i = threadIdx.x;
  out[i] = __hadd(a[i], a[i + 1]) * a[i] - hsqrt(a[i]);
  out2[i] = __hfma2(b[i], b[i], __hmul2(b[i], b[i + 1])) - h2exp(b[i]);
  out_b[i] = c[i] * c[i + 1] + __float2bfloat16(__half2float(a[i])) - c[0];
  if (__hgt(a[i], a[0])) out[i] = __hmax(a[i], a[0]);
}
