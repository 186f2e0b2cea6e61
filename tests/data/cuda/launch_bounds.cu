// Launch bounds, a fixed block shape, a cluster, and grid constants.
struct Big {
  int values[64];
};
__global__ void __launch_bounds__(256, 2) bounded(float* x) {
  x[threadIdx.x] *= 2;
}
__global__ void __cluster_dims__(2, 1, 1) clustered(float* x) {
  x[blockIdx.x] += threadIdx.x;
}
extern "C" __global__ void constant(const __grid_constant__ Big big, int* out,
                                    int k) {
  out[threadIdx.x] = big.values[(threadIdx.x + k) & 63];
}
