// Double precision, with the library's functions.
extern "C" __global__ void doubles(const double* x, double* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double v = x[i];
  y[i] = sqrt(v) / (v + 1.0) + fma(v, v, 2.5) - 1.0 / v + rint(v) + exp(v) +
         __dadd_rz(v, 1.0) + static_cast<double>(static_cast<int>(v));
}
