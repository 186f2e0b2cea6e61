// One body for several element types.
template <typename T, int kStep>
__global__ void axpy(int n, T a, const T* x, T* y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += kStep) {
    y[i] = static_cast<T>(a * x[i] + y[i]);
  }
}
template __global__ void axpy<float, 1>(int, float, const float*, float*);
template __global__ void axpy<double, 2>(int, double, const double*, double*);
template __global__ void axpy<char, 3>(int, char, const char*, char*);
template __global__ void axpy<short, 4>(int, short, const short*, short*);
template __global__ void axpy<unsigned long long, 5>(int, unsigned long long,
                                                     const unsigned long long*,
                                                     unsigned long long*);
