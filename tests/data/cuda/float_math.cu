// The single-precision library: slow paths, tables and local arrays.
extern "C" __global__ void floats(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = x[i];
  y[i] = sinf(v) + expf(v) + powf(v, 1.7f) + erff(v) + atan2f(v, 2.0f) +
         log1pf(v) + cbrtf(v) + tanhf(v) + fmodf(v, 3.0f) + lgammaf(v);
}
