// Calls that stay calls: values, structs, recursion and pointers to functions.
struct Pair {
  float a;
  int b[5];
};
__device__ __noinline__ float add(float a, float b) { return a + b; }
__device__ __noinline__ float subtract(float a, float b) { return a - b; }
__device__ __noinline__ Pair shift(Pair p, int by) {
  for (int i = 0; i < 5; ++i) p.b[i] += by * (i + 1);
  p.a = add(p.a, by);
  return p;
}
__device__ __noinline__ unsigned fibonacci(unsigned n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
using Operation = float (*)(float, float);
__device__ Operation operations[2] = {add, subtract};
extern "C" __global__ void calls(float* x, int which) {
  const int i = threadIdx.x;
  Pair p = {x[i], {1, 2, 3, 4, 5}};
  p = shift(p, which);
  x[i] = operations[which](p.a, p.b[i % 5]) + fibonacci(i);
}
