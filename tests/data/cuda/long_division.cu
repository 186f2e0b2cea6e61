// Integer division and remainder in 32 and 64 bits, and bit operations.
extern "C" __global__ void divide(const long long* a, const long long* b,
                                  long long* q, unsigned long long* bits) {
  const int i = threadIdx.x;
  q[i] = a[i] / b[i] + a[i] % b[i] + __mul64hi(a[i], b[i]);
  const unsigned u = static_cast<unsigned>(a[i]),
                 v = static_cast<unsigned>(b[i]);
  bits[i] = u / v + u % v + __popc(u) + __clz(v) + __brev(u) + __ffs(u) +
            __popcll(a[i]) + __clzll(b[i]) + __brevll(a[i]) + __umulhi(u, v) +
            __byte_perm(u, v, 0x3210) + __funnelshift_l(u, v, 5) +
            __sad(u, v, 3) + __mul24(u, v) + (u & 0xff0) / 16 + (u ^ v & ~u);
}
