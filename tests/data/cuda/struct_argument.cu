// Structs by value that hold pointers, and an oddly aligned one.
struct View {
  float* data;
  int width, height;
  double scale;
};
struct Packed {
  char tag;
  short codes[3];
  char name[5];
};
extern "C" __global__ void scale(View in, View out, Packed packed, bool flip) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y;
  if (x >= in.width || y >= in.height) return;
  const int column = flip ? in.width - 1 - x : x;
  out.data[y * out.width + column] =
      in.data[y * in.width + x] * static_cast<float>(in.scale) +
      packed.codes[x % 3] + packed.name[2];
}
