#include "tests/conformance/kernels.h"

#include <algorithm>
#include <string_view>

namespace graphd {

const char kConformanceKernels[] = R"(
.version 7.0
.target sm_75
.address_size 64

.visible .global .align 4 .u32 counter = 7;
.visible .const .align 4 .u32 table[4] = {11, 22, 33, 44};
.extern .shared .align 4 .b8 dynamic_words[];

// data[i] = data[i] * factor + term, for i < count: does not commute.
.visible .entry affine(.param .u64 p_data, .param .u32 p_count,
                       .param .u32 p_factor, .param .u32 p_term)
{
  .reg .pred %p;
  .reg .b32 %r<10>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p_data];
  ld.param.u32 %r1, [p_count];
  ld.param.u32 %r2, [p_factor];
  ld.param.u32 %r3, [p_term];
  mov.u32 %r4, %ctaid.x;
  mov.u32 %r5, %ntid.x;
  mov.u32 %r6, %tid.x;
  mad.lo.s32 %r7, %r4, %r5, %r6;
  setp.ge.u32 %p, %r7, %r1;
  @%p bra $done;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.u32 %rd3, %r7, 4;
  add.s64 %rd2, %rd2, %rd3;
  ld.global.u32 %r8, [%rd2];
  mad.lo.s32 %r9, %r8, %r2, %r3;
  st.global.u32 [%rd2], %r9;
$done:
  ret;
}

// out[i] = factor * in[i] + out[i] in single precision, fused.
.visible .entry saxpy(.param .u64 p_out, .param .u64 p_in,
                      .param .u32 p_count, .param .f32 p_factor)
{
  .reg .pred %p;
  .reg .b32 %r<6>;
  .reg .f32 %f<5>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p_out];
  ld.param.u64 %rd2, [p_in];
  ld.param.u32 %r1, [p_count];
  ld.param.f32 %f1, [p_factor];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p, %r5, %r1;
  @%p bra $done;
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd2, %rd2;
  mul.wide.u32 %rd3, %r5, 4;
  add.s64 %rd1, %rd1, %rd3;
  add.s64 %rd2, %rd2, %rd3;
  ld.global.f32 %f2, [%rd2];
  ld.global.f32 %f3, [%rd1];
  fma.rn.f32 %f4, %f1, %f2, %f3;
  st.global.f32 [%rd1], %f4;
$done:
  ret;
}

// Two words a thread, at its linear index: its thread's and its block's
// coordinates, a byte each.
.visible .entry store_coordinates(.param .u64 p_out)
{
  .reg .b32 %r<20>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p_out];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %ctaid.z;
  mov.u32 %r2, %nctaid.y;
  mov.u32 %r3, %ctaid.y;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mov.u32 %r5, %nctaid.x;
  mov.u32 %r6, %ctaid.x;
  mad.lo.s32 %r7, %r4, %r5, %r6;
  mov.u32 %r8, %ntid.z;
  mov.u32 %r9, %tid.z;
  mad.lo.s32 %r10, %r7, %r8, %r9;
  mov.u32 %r11, %ntid.y;
  mov.u32 %r12, %tid.y;
  mad.lo.s32 %r13, %r10, %r11, %r12;
  mov.u32 %r14, %ntid.x;
  mov.u32 %r15, %tid.x;
  mad.lo.s32 %r16, %r13, %r14, %r15;
  mul.wide.u32 %rd2, %r16, 8;
  add.s64 %rd3, %rd1, %rd2;
  shl.b32 %r12, %r12, 8;
  shl.b32 %r9, %r9, 16;
  or.b32 %r17, %r15, %r12;
  or.b32 %r17, %r17, %r9;
  shl.b32 %r3, %r3, 8;
  shl.b32 %r1, %r1, 16;
  or.b32 %r18, %r6, %r3;
  or.b32 %r18, %r18, %r1;
  st.global.u32 [%rd3], %r17;
  st.global.u32 [%rd3+4], %r18;
  ret;
}

// Arguments of every width and a structure, as ten words.
.visible .entry store_arguments(.param .u64 p_out, .param .u8 p_byte,
                                .param .u16 p_half, .param .u32 p_word,
                                .param .f64 p_real,
                                .param .align 4 .b8 p_struct[12],
                                .param .u64 p_long)
{
  .reg .b32 %r<7>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p_out];
  cvta.to.global.u64 %rd1, %rd1;
  ld.param.u8 %r1, [p_byte];
  ld.param.u16 %r2, [p_half];
  ld.param.u32 %r3, [p_word];
  ld.param.b64 %rd2, [p_real];
  ld.param.u32 %r4, [p_struct];
  ld.param.u32 %r5, [p_struct+4];
  ld.param.u32 %r6, [p_struct+8];
  ld.param.u64 %rd3, [p_long];
  st.global.u32 [%rd1], %r1;
  st.global.u32 [%rd1+4], %r2;
  st.global.u32 [%rd1+8], %r3;
  st.global.u32 [%rd1+12], %r4;
  st.global.b64 [%rd1+16], %rd2;
  st.global.u32 [%rd1+24], %r5;
  st.global.u32 [%rd1+28], %r6;
  st.global.u64 [%rd1+32], %rd3;
  ret;
}

// Turns round the words of each block, through dynamic shared memory.
.visible .entry reverse_block(.param .u64 p_data)
{
  .reg .b32 %r<12>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p_data];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r5, [%rd3];
  mov.u32 %r6, dynamic_words;
  shl.b32 %r7, %r3, 2;
  add.s32 %r8, %r6, %r7;
  st.shared.u32 [%r8], %r5;
  bar.sync 0;
  sub.s32 %r9, %r2, %r3;
  add.s32 %r9, %r9, -1;
  shl.b32 %r9, %r9, 2;
  add.s32 %r10, %r6, %r9;
  ld.shared.u32 %r11, [%r10];
  st.global.u32 [%rd3], %r11;
  ret;
}

// out[i] = (i + 1) modulo the block's size, through static shared memory.
.visible .entry rotate_block(.param .u64 p_out)
.maxntid 64, 1, 1
{
  .shared .align 4 .b8 words[256];
  .reg .b32 %r<9>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p_out];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, words;
  shl.b32 %r4, %r1, 2;
  add.s32 %r5, %r3, %r4;
  st.shared.u32 [%r5], %r1;
  bar.sync 0;
  add.s32 %r6, %r1, 1;
  rem.u32 %r6, %r6, %r2;
  shl.b32 %r6, %r6, 2;
  add.s32 %r7, %r3, %r6;
  ld.shared.u32 %r8, [%r7];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r8;
  ret;
}

// log[1 + log[0]] = entry; log[0] += 1. One thread.
.visible .entry append(.param .u64 p_log, .param .u32 p_entry)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p_log];
  ld.param.u32 %r1, [p_entry];
  cvta.to.global.u64 %rd1, %rd1;
  ld.global.u32 %r2, [%rd1];
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3+4], %r1;
  add.s32 %r3, %r2, 1;
  st.global.u32 [%rd1], %r3;
  ret;
}

// Runs for a while, then does what `affine` does to one word. One thread.
.visible .entry slow_affine(.param .u64 p_word, .param .u32 p_factor,
                            .param .u32 p_term, .param .u32 p_rounds)
{
  .reg .pred %p<3>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p_word];
  ld.param.u32 %r1, [p_factor];
  ld.param.u32 %r2, [p_term];
  ld.param.u32 %r3, [p_rounds];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r4, 1;
$round:
  setp.eq.u32 %p1, %r3, 0;
  @%p1 bra $done;
  mad.lo.s32 %r4, %r4, 1664526, 1013904224;
  add.s32 %r3, %r3, -1;
  bra $round;
$done:
  // Uses what the rounds made, so that they stay: it is 1 or even.
  setp.eq.u32 %p2, %r4, 3;
  @%p2 ret;
  ld.global.u32 %r5, [%rd1];
  mad.lo.s32 %r6, %r5, %r1, %r2;
  st.global.u32 [%rd1], %r6;
  ret;
}

// out = counter, table[0..3]; then counter += 1. One thread.
.visible .entry read_variables(.param .u64 p_out)
{
  .reg .b32 %r<7>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p_out];
  cvta.to.global.u64 %rd1, %rd1;
  ld.global.u32 %r1, [counter];
  ld.const.u32 %r2, [table];
  ld.const.u32 %r3, [table+4];
  ld.const.u32 %r4, [table+8];
  ld.const.u32 %r5, [table+12];
  st.global.u32 [%rd1], %r1;
  st.global.u32 [%rd1+4], %r2;
  st.global.u32 [%rd1+8], %r3;
  st.global.u32 [%rd1+12], %r4;
  st.global.u32 [%rd1+16], %r5;
  add.s32 %r6, %r1, 1;
  st.global.u32 [counter], %r6;
  ret;
}

// Stores wherever it is told to.
.visible .entry store_word(.param .u64 p_address, .param .u32 p_value)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p_address];
  ld.param.u32 %r1, [p_value];
  cvta.to.global.u64 %rd1, %rd1;
  st.global.u32 [%rd1], %r1; // store_word stores here
  ret;
}

// Does not end.
.visible .entry forever()
{
$again:
  bra $again;
}
)";

int StoreWordLine() {
  const std::string_view text = kConformanceKernels;
  const auto mark = text.find("// store_word stores here");
  return 1 +
         static_cast<int>(std::count(text.begin(), text.begin() + mark, '\n'));
}

}  // namespace graphd
