// One sweep of a five-point stencil.
extern "C" __global__ void sweep(const float* in, float* out, int width,
                                 int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x <= 0 || y <= 0 || x >= width - 1 || y >= height - 1) return;
  const int i = y * width + x;
  out[i] =
      0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}
