// Asynchronous copies by inline assembly, for compute capability 9.0.
extern "C" __global__ void copy(const float4* in, float4* out) {
  __shared__ alignas(128) float4 buffer[128];
  __shared__ alignas(8) unsigned long long barrier;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(buffer));
  const unsigned bar =
      static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(
                   to + threadIdx.x * 16),
               "l"(in + threadIdx.x));
  asm volatile("cp.async.commit_group;\n cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar));
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 2048;" ::"r"(bar));
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%0], [%1], 2048, [%2];" ::"r"(to),
        "l"(in), "r"(bar)
        : "memory");
  }
  asm volatile(
      "{\n.reg .pred p;\n"
      "again:\n mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n"
      "@p bra done;\n bra again;\ndone:\n}" ::"r"(bar)
      : "memory");
  out[threadIdx.x] = buffer[threadIdx.x];
}
