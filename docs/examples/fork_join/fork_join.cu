// Branches that do not depend on each other, and their sum.
extern "C" __global__ void wave(const float* in, float* out, float rate,
                                int rounds, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  // The logistic map: cheap, chaotic, the same on every device.
  float value = in[i];
  for (int round = 0; round < rounds; ++round) {
    value = rate * value * (1.0f - value);
  }
  out[i] = value;
}

struct Branches {
  const float* in[16];
};

extern "C" __global__ void join(Branches branches, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
#pragma unroll
  for (int branch = 0; branch < 16; ++branch) sum += branches.in[branch][i];
  out[i] = sum;
}
