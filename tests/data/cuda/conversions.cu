// Conversions among all arithmetic types, with rounding.
#include <cuda_fp16.h>
extern "C" __global__ void convert(const float* f, const double* d,
                                   const int* s, unsigned char* bytes,
                                   short* shorts, long long* longs,
                                   __half* halves, float* out) {
  const int i = threadIdx.x;
  bytes[i] = static_cast<unsigned char>(f[i]);
  shorts[i] = static_cast<short>(d[i]);
  longs[i] = __float2ll_rz(f[i]) + __double2ll_rd(d[i]);
  halves[i] = __float2half_rz(f[i]);
  out[i] = static_cast<float>(s[i]) + __double2float_ru(d[i]) +
           static_cast<signed char>(bytes[i + 1]) + __half2float(halves[i]) +
           __int_as_float(s[i]) + ceilf(f[i]) + truncf(f[i]) +
           __saturatef(f[i]) + static_cast<float>(longs[i]);
}
