// Volatile, fences and scoped atomics.
#include <cuda/atomic>
extern "C" __global__ void publish(volatile int* flag, int* data, int* count) {
  data[threadIdx.x] = 1;
  __threadfence();
  if (threadIdx.x == 0) *flag = 1;
  __threadfence_block();
  __threadfence_system();
  cuda::atomic_ref<int, cuda::thread_scope_device> ref(*count);
  ref.fetch_add(1, cuda::memory_order_release);
  while (ref.load(cuda::memory_order_acquire) < 1) __nanosleep(20);
  if (__syncthreads_or(data[0]) && __syncthreads_count(data[1]) > 3)
    data[2] = 0;
}
