// Counts in a variable of the module. Every run starts from its initial value.
__device__ unsigned int counter = 100;

extern "C" __global__ void count_positive(const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0.0f) atomicAdd(&counter, 1u);
}
