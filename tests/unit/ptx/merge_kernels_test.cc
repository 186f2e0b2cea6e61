#include "core/ptx/merge_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "core/ptx/access_analysis.h"
#include "core/ptx/check.h"
#include "core/ptx/parser.h"
#include "core/ptx/printer.h"
#include "tests/unit/ptx/corpus.h"

namespace graphd::ptx {
namespace {

using testing::HasSubstr;
using testing::Not;
using Kind = AccessFate::Kind;

// (in, out, n) as nvcc writes it: $0 is between load and store, $1 what is
// declared beside it.
constexpr char kKernel[] = R"(.version 7.8
.target sm_75
.address_size 64
.visible .entry k(.param .u64 k_in, .param .u64 k_out, .param .u32 k_n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  .reg .f32 %f<9>;
  .reg .f64 %fd<3>;
  .reg .b16 %rs<4>;
  ld.param.u64 %rd1, [k_in];
  ld.param.u64 %rd2, [k_out];
  ld.param.u32 %r2, [k_n];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.s32 %r1, %r3, %r4, %r5;
  setp.ge.s32 %p1, %r1, %r2;
  @%p1 bra $$L_2;
  cvta.to.global.u64 %rd3, %rd2;
  cvta.to.global.u64 %rd4, %rd1;
  mul.wide.s32 %rd5, %r1, $0;
  add.s64 %rd6, %rd4, %rd5;
  add.s64 %rd7, %rd3, %rd5;
  $1
$$L_2:
  ret;
}
)";

struct Kernel {
  Module module;
  const Function* entry = nullptr;
  GuardedBody body;
};

std::unique_ptr<Kernel> Read(const std::string& text) {
  auto kernel = std::make_unique<Kernel>();
  auto module = Parse(text);
  EXPECT_TRUE(module.ok()) << module.status() << text;
  EXPECT_TRUE(Check(*module).ok()) << Check(*module);
  kernel->module = *std::move(module);
  kernel->entry = kernel->module.FindEntry("k");
  kernel->body = ReadGuardedBody(
      *kernel->entry, AnalyzeAccesses(kernel->module, *kernel->entry));
  return kernel;
}

std::unique_ptr<Kernel> Elementwise(int bytes, const std::string& body) {
  auto kernel = Read(absl::Substitute(kKernel, bytes, body));
  EXPECT_EQ(kernel->body.why_not, "");
  return kernel;
}

// in → t → out; `fates` of the first kernel's accesses, `source` of the bytes
// that the second loads.
std::string MergeTwo(const Kernel& a, const Kernel& b,
                     const std::vector<AccessFate>& fates, AccessId source) {
  std::vector<Variable> parameters = a.entry->params;
  parameters.push_back(b.entry->params[1]);
  MergePart first{&a.body, a.entry, {0, 1, 2}, fates};
  MergePart second{&b.body, b.entry, {1, 3, 2}, {{Kind::kForward, source}, {}}};
  MergedKernel merged = MergeKernels("fused", parameters, {first, second});
  EXPECT_EQ(merged.parameters, fates.back().kind == Kind::kDrop
                                   ? (std::vector<uint32_t>{0, 2, 3})
                                   : (std::vector<uint32_t>{0, 1, 2, 3}));
  Module module = a.module;
  module.items = {std::move(merged.function)};
  EXPECT_TRUE(Check(module).ok()) << Check(module);
  const KernelFacts facts = AnalyzeAccesses(module, *module.FindEntry("fused"));
  EXPECT_TRUE(facts.elementwise) << facts.not_elementwise_because;
  std::string text = Print(module);
  EXPECT_EQ(PtxasComplaint(text), "") << text;
  return text;
}

std::string MergeTwo(const Kernel& a, const Kernel& b,
                     Kind store = Kind::kDrop) {
  return MergeTwo(a, b, {{}, {store, {}}}, {0, 1});
}

const char kRelu[] =
    "ld.global.f32 %f1, [%rd6];\n"
    "max.f32 %f2, %f1, 0f00000000;\n"
    "st.global.f32 [%rd7], %f2;\n";

TEST(MergeKernelsTest, AnIntermediateStaysInARegister) {
  const auto a = Elementwise(4, kRelu);
  const auto b = Elementwise(4,
                             "ld.global.f32 %f1, [%rd6];\n"
                             "mul.f32 %f3, %f1, 0f3F000000;\n"
                             "st.global.f32 [%rd7], %f3;\n");
  EXPECT_EQ(MergeTwo(*a, *b), R"(.version 7.8
.target sm_75
.address_size 64

.visible .entry fused(
	.param .u64 p0,
	.param .u32 p2,
	.param .u64 p3)
{
	.reg .f32 %f<4>;
	.reg .b32 %r<6>;
	.reg .b64 %rd<8>;
	.reg .pred %p<2>;
	ld.param.u64 %rd1, [p0];
	ld.param.u32 %r1, [p2];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.s32 %r5, %r2, %r3, %r4;
	setp.ge.s32 %p1, %r5, %r1;
	@%p1 bra $L_end;
	cvta.to.global.u64 %rd2, %rd1;
	mul.wide.s32 %rd3, %r5, 4;
	add.s64 %rd4, %rd2, %rd3;
	ld.global.f32 %f1, [%rd4];
	max.f32 %f2, %f1, 0f00000000;
	ld.param.u64 %rd5, [p3];
	cvta.to.global.u64 %rd6, %rd5;
	add.s64 %rd7, %rd6, %rd3;
	mul.f32 %f3, %f2, 0f3F000000;
	st.global.f32 [%rd7], %f3;
$L_end:
	ret;
}
)");
}

TEST(MergeKernelsTest, AStoreThatOthersReadIsKept) {
  const auto a = Elementwise(4, kRelu);
  const std::string text = MergeTwo(*a, *a, Kind::kKeep);
  EXPECT_THAT(text, HasSubstr("st.global.f32 [%rd7], %f2;"));
  EXPECT_THAT(text, HasSubstr("max.f32 %f3, %f2, 0f00000000;"));
}

TEST(MergeKernelsTest, BitsPassBetweenRegistersOfDifferentTypes) {
  const auto a = Elementwise(4, kRelu);
  const auto b = Elementwise(4,
                             "ld.global.b32 %r6, [%rd6];\n"
                             "xor.b32 %r7, %r6, 1;\n"
                             "st.global.b32 [%rd7], %r7;\n");
  EXPECT_THAT(MergeTwo(*a, *b), HasSubstr("mov.b32 %r6, %f2;"));
  EXPECT_THAT(MergeTwo(*b, *a), HasSubstr("mov.b32 %f1, %r7;"));
}

TEST(MergeKernelsTest, ANarrowStoreCutsAndTheLoadWidens) {
  const auto store = [](const char* body) { return Elementwise(1, body); };
  const auto a = store(
      "ld.global.u8 %r6, [%rd6];\n"
      "add.s32 %r7, %r6, 200;\n"
      "st.global.u8 [%rd7], %r7;\n");
  const auto signed_load = store(
      "ld.global.s8 %r6, [%rd6];\n"
      "st.global.u8 [%rd7], %r6;\n");
  const auto short_load = store(
      "ld.global.u8 %rs1, [%rd6];\n"
      "st.global.u8 [%rd7], %rs1;\n");
  EXPECT_THAT(MergeTwo(*a, *a), HasSubstr("cvt.u32.u8 %r8, %r7;"));
  EXPECT_THAT(MergeTwo(*a, *signed_load), HasSubstr("cvt.s32.s8 %r8, %r7;"));
  EXPECT_THAT(MergeTwo(*a, *short_load), HasSubstr("cvt.u16.u8 %rs1, %r7;"));
  const auto wide = Elementwise(2,
                                "ld.global.u16 %r6, [%rd6];\n"
                                "add.s32 %r7, %r6, 60000;\n"
                                "st.global.u16 [%rd7], %r7;\n");
  const auto narrow = Elementwise(2,
                                  "ld.global.u16 %rs1, [%rd6];\n"
                                  "st.global.u16 [%rd7], %rs1;\n");
  EXPECT_THAT(MergeTwo(*wide, *narrow), HasSubstr("cvt.u16.u32 %rs1, %r7;"));
  EXPECT_THAT(MergeTwo(*narrow, *wide), HasSubstr("cvt.u32.u16 %r6, %rs1;"));
}

TEST(MergeKernelsTest, ANumberThatIsStoredIsHandedOn) {
  const auto a = Elementwise(4,
                             "ld.global.f32 %f1, [%rd6];\n"
                             "st.global.f32 [%rd6], %f1;\n"
                             "st.global.f32 [%rd7], 0f40490FDB;\n");
  const auto b = Elementwise(4, kRelu);
  const std::vector<AccessFate> constant = {{}, {}, {Kind::kDrop, {}}};
  EXPECT_THAT(MergeTwo(*a, *b, constant, {0, 2}),
              HasSubstr("mov.f32 %f2, 0f40490FDB;"));
  const auto bytes = Elementwise(1,
                                 "ld.global.u8 %rs1, [%rd6];\n"
                                 "st.global.u8 [%rd6], %rs1;\n"
                                 "st.global.u8 [%rd7], 255;\n");
  const auto more = Elementwise(1,
                                "ld.global.s8 %rs1, [%rd6];\n"
                                "add.s16 %rs2, %rs1, 1;\n"
                                "st.global.u8 [%rd7], %rs2;\n");
  EXPECT_THAT(MergeTwo(*bytes, *more, constant, {0, 2}),
              HasSubstr("cvt.s16.s8 %rs3, %rs2;"));
}

TEST(MergeKernelsTest, VectorsPassElementByElement) {
  const auto a =
      Elementwise(16,
                  "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd6];\n"
                  "st.global.v4.f32 [%rd7], {%f4, %f3, %f2, %f1};\n");
  const std::string text = MergeTwo(*a, *a);
  EXPECT_THAT(text, HasSubstr("st.global.v4.f32 [%rd7], {%f1, %f2, %f3, %f4}"));
}

TEST(MergeKernelsTest, AValueOutlivesTheRegisterThatItWasIn) {
  const auto a = Elementwise(4,
                             "ld.global.f32 %f1, [%rd6];\n"
                             "add.rn.f32 %f1, %f1, %f1;\n"
                             "st.global.f32 [%rd7], %f1;\n"
                             "mov.f32 %f1, 0f00000000;\n");
  const auto b = Elementwise(4, kRelu);
  EXPECT_THAT(MergeTwo(*a, *b), HasSubstr("add.rn.f32 %f2, %f1, %f1;\n"
                                          "\tld.param.u64 %rd5, [p3];"));
  EXPECT_THAT(MergeTwo(*a, *b), HasSubstr("max.f32 %f3, %f2, 0f00000000;"));
}

TEST(MergeKernelsTest, ACoherentLoadHasNoNc) {
  const auto a = Elementwise(4,
                             "ld.global.nc.f32 %f1, [%rd6];\n"
                             "st.global.f32 [%rd7], %f1;\n");
  MergePart part{
      &a->body, a->entry, {0, 1, 2}, {{Kind::kKeepCoherent, {}}, {}}};
  const MergedKernel merged =
      MergeKernels("fused", a->entry->params, {part, part});
  Module module = a->module;
  module.items = {merged.function};
  EXPECT_THAT(Print(module), HasSubstr("ld.global.f32"));
  EXPECT_THAT(Print(module), Not(HasSubstr(".nc")));
}

TEST(MergeKernelsTest, OnlyEqualElementsAreHandedOn) {
  const auto f32 = Elementwise(4, kRelu);
  const auto pair = Elementwise(8,
                                "ld.global.v2.f32 {%f1, %f2}, [%rd6];\n"
                                "st.global.v2.f32 [%rd7], {%f1, %f2};\n");
  const auto f64 = Elementwise(8,
                               "ld.global.f64 %fd1, [%rd6];\n"
                               "st.global.f64 [%rd7], %fd1;\n");
  EXPECT_TRUE(CanForward(f32->body, 1, f32->body, 0));
  EXPECT_TRUE(CanForward(f32->body, 0, f32->body, 0));
  EXPECT_FALSE(CanForward(pair->body, 1, f64->body, 0));
  EXPECT_FALSE(CanForward(f64->body, 1, pair->body, 0));
  EXPECT_FALSE(CanForward(f32->body, 1, f64->body, 0));
  EXPECT_FALSE(CanForward(f32->body, 1, f32->body, 1));
}

// What is not a straight line behind one bound says why.
TEST(MergeKernelsTest, OtherShapesAreRefusedWithTheirReason) {
  const auto why = [](const std::string& body) {
    return Read(absl::Substitute(kKernel, 4, body))->body.why_not;
  };
  EXPECT_EQ(why(kRelu), "");
  EXPECT_THAT(why("bra L;\nL:\nst.global.f32 [%rd7], 0f00000000;"),
              HasSubstr("branches in another way"));
  EXPECT_THAT(why("ld.global.f32 %f1, [%rd6];\n"
                  "setp.gt.f32 %p1, %f1, 0f00000000;\n"
                  "@%p1 st.global.f32 [%rd7], %f1;"),
              HasSubstr("depends on a predicate"));
  EXPECT_THAT(why("st.global.f32 [%rd7], %f1;"),
              HasSubstr("it reads %f1 before it is written"));
  EXPECT_THAT(why("mov.u32 %r6, %laneid;\nst.global.u32 [%rd7], %r6;"),
              HasSubstr("it reads %laneid"));
  EXPECT_THAT(why("bar.sync 0;\nst.global.u32 [%rd7], %r1;"),
              HasSubstr("bar.sync does more than compute"));
  EXPECT_THAT(why("st.volatile.global.u32 [%rd7], %r1;"),
              HasSubstr("does more than compute"));
  EXPECT_THAT(why("add.cc.u32 %r6, %r1, 1;\nst.global.u32 [%rd7], %r6;"),
              HasSubstr("does more than compute"));
  EXPECT_THAT(why("{ .reg .b32 %r1; mov.u32 %r1, 1; }\n"
                  "st.global.u32 [%rd7], %r1;"),
              HasSubstr("an inner block declares registers"));
  EXPECT_THAT(why(".local .b32 scratch;\nst.global.u32 [%rd7], %r1;"),
              HasSubstr("a variable of its own, scratch"));
  EXPECT_THAT(why("mov.u64 %rd8, k_n;\nst.global.u64 [%rd7], %rd8;"),
              HasSubstr("it names k_n"));
  EXPECT_THAT(why("ld.param.u16 %rs1, [k_n];\nst.global.u16 [%rd7], %rs1;"),
              HasSubstr("it names k_n"));
}

TEST(MergeKernelsTest, ABlockWithoutDeclarationsIsNoObstacle) {
  const auto a = Elementwise(4, absl::StrCat("{\n", kRelu, "}\n"));
  EXPECT_THAT(MergeTwo(*a, *a), HasSubstr("max.f32 %f3, %f2"));
}

TEST(MergeKernelsTest, TheNewerTargetServesBoth) {
  EXPECT_EQ(CommonTarget("sm_75", "sm_75"), "sm_75");
  EXPECT_EQ(CommonTarget("sm_75", "sm_90"), "sm_90");
  EXPECT_EQ(CommonTarget("sm_100", "sm_90"), "sm_100");
  EXPECT_EQ(CommonTarget("sm_90a", "sm_90a"), "sm_90a");
  EXPECT_EQ(CommonTarget("sm_90a", "sm_90"), "");
  EXPECT_EQ(CommonTarget("sm_75, debug", "sm_75"), "");
  EXPECT_EQ(LaterVersion("7.8", "9.0"), "9.0");
  EXPECT_EQ(LaterVersion("7.10", "7.8"), "7.10");
}

}  // namespace
}  // namespace graphd::ptx
