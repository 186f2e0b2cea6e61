// Shared and global atomics of several operations.
extern "C" __global__ void histogram(const unsigned char* in, unsigned* bins,
                                     int n, unsigned* largest,
                                     unsigned long long* total, float* sum) {
  __shared__ unsigned local[256];
  local[threadIdx.x & 255] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += blockDim.x * gridDim.x) {
    atomicAdd(&local[in[i]], 1u);
  }
  __syncthreads();
  const unsigned count = local[threadIdx.x & 255];
  atomicAdd(&bins[threadIdx.x & 255], count);
  atomicMax(largest, count);
  atomicAdd(total, static_cast<unsigned long long>(count));
  atomicAdd(sum, static_cast<float>(count));
  if (atomicCAS(&bins[0], 0u, 1u) == 3u) atomicExch(largest, 7u);
}
