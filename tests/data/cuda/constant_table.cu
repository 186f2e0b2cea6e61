// Tables in constant memory, initialised and not.
struct Entry {
  char kind;
  double weight;
};
__constant__ float coefficients[8] = {1, .5f, .25f, -3, 1e-20f, 0, 7, 8};
__constant__ Entry entries[3] = {{'a', 1.5}, {'b', -2.25}, {'c', 1e300}};
__constant__ int table[2][3][2] = {{{1, 2}, {3, 4}, {5, 6}}, {{7}, {8, 9}, {}}};
__constant__ unsigned char set_later[100];
extern "C" __global__ void look_up(float* x, int k) {
  const int i = threadIdx.x;
  x[i] = coefficients[i & 7] * entries[i % 3].weight + entries[k].kind +
         table[k & 1][i % 3][0] + set_later[i % 100];
}
