// Compiled with debugging, so that nothing is inlined or removed.
struct Point {
  float x, y;
};
__device__ float length(const Point& p) { return p.x * p.x + p.y * p.y; }
extern "C" __global__ void measure(const Point* points, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool inside = i < n;
  if (inside && length(points[i]) > 0) {
    Point local[4];
    for (int k = 0; k < 4; ++k) local[k] = points[i];
    out[i] = length(local[i & 3]);
  }
}
