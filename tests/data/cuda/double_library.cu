// The double-precision library.
extern "C" __global__ void library(const double* x, double* y) {
  const int i = threadIdx.x;
  y[i] = sin(x[i]) + pow(x[i], 1.7) + erf(x[i]) + log(x[i]) + atan(x[i]);
}
