// Counts in a variable of the module. Every run starts from its initial value.
__device__ unsigned int counter = 100;

// One thread: the variable has no other writer.
extern "C" __global__ void count_positive(const float* x, int n) {
  unsigned int found = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] > 0.0f) ++found;
  }
  counter += found;
}
