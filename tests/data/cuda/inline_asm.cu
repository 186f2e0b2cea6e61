// Carry chains, special registers, video and matrix loads by hand.
extern "C" __global__ void by_hand(const unsigned* a, unsigned* out,
                                   unsigned long long* wide) {
  const int i = threadIdx.x;
  unsigned low, high, lane, shuffled;
  asm("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, %2, 0;"
      : "=r"(low), "=r"(high)
      : "r"(a[i]), "r"(a[i + 1]));
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("{ .reg .pred p; .reg .b32 t<2>; setp.eq.u32 p, %1, 0b101; /* old */\n"
      "  selp.b32 t0, 0x1F, 017, p; @!p xor.b32 t0, t0, ~7; mov.b32 %0, t0; }"
      : "=r"(shuffled)
      : "r"(lane));
  asm("vadd.u32.u32.u32.sat %0, %1.b0, %2.b3;"
      : "=r"(out[i + 64])
      : "r"(low), "r"(high));
  asm("mov.b64 {%0, _}, %1;" : "=r"(out[i + 32]) : "l"(wide[i]));
  unsigned m0, m1;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2+16];"
               : "=r"(m0), "=r"(m1)
               : "r"(lane * 16));
  out[i] =
      low + high + lane + shuffled + m0 + m1 + clock() + __dp4a(low, high, 3u);
}
