// Vector loads and stores of every width.
extern "C" __global__ void vectors(const uchar4* a, const short2* b,
                                   const float4* c, const double2* d,
                                   const ulonglong2* e, float4* out,
                                   double2* out_d) {
  const int i = threadIdx.x;
  const uchar4 u = a[i];
  const short2 s = b[i];
  const float4 f = __ldg(&c[i]);
  out[i] = make_float4(f.x + u.x, f.y + u.y, f.z + s.x, f.w + s.y);
  out_d[i] = make_double2(d[i].x + e[i].x, d[i].y + u.w);
}
