// A switch that becomes a table of branches.
extern "C" __global__ void choose(const int* op, float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  switch (op[i]) {
    case 0:
      v = v * 3 + 1;
      break;
    case 1:
      v = sqrtf(v);
      break;
    case 2:
      v = __sinf(v);
      break;
    case 3:
      v = __expf(v);
      break;
    case 4:
      v = 1 / v;
      break;
    case 5:
      v = fabsf(v);
      break;
    case 6:
      v = floorf(v);
      break;
    case 7:
      v = __logf(v);
      break;
    case 8:
      v = v - x[0];
      break;
    case 9:
      v = fminf(v, x[1]);
      break;
    default:
      v = 0;
      break;
  }
  x[i] = v;
}
