// Output and assertions from the device.
#include <cassert>
#include <cstdio>
extern "C" __global__ void report(const int* x, int n) {
  const int i = threadIdx.x;
  assert(n > 0);
  if (i < n) printf("%d of %d: %s\n", x[i], n, i == 0 ? "first" : "other");
}
