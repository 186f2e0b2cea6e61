// Initialised variables of the module: numbers, text, pointers to them.
__device__ int counter = 7;
__device__ double ratio = 0.1;
__device__ const char* const names[3] = {"alpha", "beta", nullptr};
__device__ int values[5] = {1, -2, 3};
__device__ int* pointers[4] = {values, values + 2, nullptr, &counter};
__device__ struct {
  char c;
  int* p;
  const char* s;
  float f;
} mixed = {'x', values + 1, "gamma", 2.5f};
__managed__ unsigned managed_word = 5;
__device__ long long big[2] = {-9223372036854775807ll - 1, 1ll << 40};
extern "C" __global__ void use(int* out) {
  const int i = threadIdx.x;
  atomicAdd(&counter, 1);
  out[i] = *pointers[i & 1] + names[i % 2][1] + *mixed.p + mixed.s[0] +
           mixed.c + static_cast<int>(ratio * mixed.f) + managed_word +
           static_cast<int>(big[i & 1]) + (i == 0 ? counter : 0);
}
