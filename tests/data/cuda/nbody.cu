// All pairs, with the bodies of a block in dynamic shared memory.
extern "C" __global__ void forces(const float4* bodies, float4* out, int n,
                                  float softening) {
  extern __shared__ float4 shared_bodies[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 me = bodies[i];
  float3 sum = {0, 0, 0};
  for (int first = 0; first < n; first += blockDim.x) {
    shared_bodies[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < blockDim.x; ++j) {
      const float4 other = shared_bodies[j];
      const float x = other.x - me.x, y = other.y - me.y, z = other.z - me.z;
      const float inverse = rsqrtf(x * x + y * y + z * z + softening);
      const float s = other.w * inverse * inverse * inverse;
      sum.x += x * s;
      sum.y += y * s;
      sum.z += z * s;
    }
    __syncthreads();
  }
  out[i] = make_float4(sum.x, sum.y, sum.z, me.w);
}
