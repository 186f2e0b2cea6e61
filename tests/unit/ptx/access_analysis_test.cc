#include "core/ptx/access_analysis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/ptx/parser.h"

namespace graphd::ptx {
namespace {

using ::testing::HasSubstr;

constexpr char kHead[] = R"(.version 7.0
.target sm_75
.address_size 64
.global .align 4 .u32 counter;
.visible .entry k(.param .u64 x, .param .u64 y, .param .u32 n)
{
.reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<4>;
ld.param.u64 %rd1, [x];
ld.param.u64 %rd2, [y];
ld.param.u32 %r1, [n];
mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
mad.lo.s32 %r5, %r2, %r3, %r4;
)";

KernelFacts Analyze(const std::string& body) {
  const auto module = Parse(absl::StrCat(kHead, body, "}\n"));
  EXPECT_TRUE(module.ok()) << module.status();
  return AnalyzeAccesses(*module, *module->FindEntry("k"));
}

constexpr char kElementwise[] = R"(
setp.ge.s32 %p1, %r5, %r1;
@%p1 bra END;
mul.wide.s32 %rd3, %r5, 4;
add.s64 %rd4, %rd1, %rd3;
ld.global.f32 %f1, [%rd4];
add.s64 %rd5, %rd2, %rd3;
st.global.f32 [%rd5+8], %f1;
END:
ret;
)";

TEST(AccessAnalysisTest, AnElementwiseKernelIsProvedWithItsBound) {
  const KernelFacts facts = Analyze(kElementwise);
  EXPECT_TRUE(facts.elementwise) << facts.not_elementwise_because;
  ASSERT_EQ(facts.accesses.size(), 2u);
  const MemoryAccess& load = facts.accesses[0];
  EXPECT_EQ(load.parameter, 0u);
  EXPECT_FALSE(load.is_store);
  ASSERT_TRUE(load.offset.has_value());
  EXPECT_EQ(load.offset->ToString(), "4*ctaid.x*ntid.x + 4*tid.x");
  ASSERT_EQ(load.assumes.size(), 1u);
  EXPECT_EQ(load.assumes[0].value.ToString(), "ctaid.x*ntid.x + tid.x");
  EXPECT_TRUE(load.assumes[0].is_signed);
  ASSERT_EQ(load.guards.size(), 1u);
  EXPECT_EQ(load.guards[0].left.ToString(), "ctaid.x*ntid.x + tid.x");
  EXPECT_EQ(load.guards[0].right.ToString(), "param2");
  const MemoryAccess& store = facts.accesses[1];
  EXPECT_EQ(store.parameter, 1u);
  EXPECT_TRUE(store.is_store);
  EXPECT_EQ(store.offset->ToString(), "4*ctaid.x*ntid.x + 4*tid.x + 8");
}

TEST(AccessAnalysisTest, ANeighboursElementIsNotElementwise) {
  const KernelFacts facts = Analyze(R"(
mul.wide.s32 %rd3, %r5, 8;
add.s64 %rd4, %rd1, %rd3;
st.global.u32 [%rd4], %r5;
ret;
)");
  EXPECT_FALSE(facts.elementwise);
  EXPECT_THAT(facts.not_elementwise_because,
              HasSubstr("is not the thread's own element of 4 bytes"));
}

TEST(AccessAnalysisTest, ALoopKeepsTheRootAndLosesTheOffset) {
  const KernelFacts facts = Analyze(R"(
mov.u64 %rd6, %rd1;
LOOP:
st.global.u32 [%rd6], %r5;
add.s64 %rd6, %rd6, 4;
add.s32 %r1, %r1, -1;
setp.gt.s32 %p2, %r1, 0;
@%p2 bra LOOP;
ret;
)");
  ASSERT_EQ(facts.accesses.size(), 1u);
  EXPECT_EQ(facts.accesses[0].parameter, 0u);
  EXPECT_FALSE(facts.accesses[0].offset.has_value());
  EXPECT_TRUE(facts.accesses[0].in_loop);
  EXPECT_FALSE(facts.elementwise);
}

TEST(AccessAnalysisTest, APointerThatIsStoredEscapes) {
  const KernelFacts facts = Analyze("st.global.u64 [%rd1], %rd2;\nret;\n");
  EXPECT_EQ(facts.escapes, (std::vector<bool>{false, true, false}));
}

TEST(AccessAnalysisTest, TwoPointersMixedBothEscapeAndRootNothing) {
  const KernelFacts facts =
      Analyze("add.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r5;\nret;\n");
  EXPECT_EQ(facts.escapes, (std::vector<bool>{true, true, false}));
  ASSERT_EQ(facts.unrooted.size(), 1u);
  EXPECT_EQ(facts.unrooted[0].instruction, "st.global.u32");
}

TEST(AccessAnalysisTest, APointerChosenByAConditionIsNotTakenForEither) {
  const KernelFacts facts = Analyze(R"(
setp.gt.s32 %p1, %r1, 0;
mov.u64 %rd3, %rd1;
@%p1 mov.u64 %rd3, %rd2;
st.global.u32 [%rd3], %r5;
ret;
)");
  EXPECT_EQ(facts.unrooted.size(), 1u);
  EXPECT_EQ(facts.escapes, (std::vector<bool>{true, true, false}));
}

TEST(AccessAnalysisTest, AVariableThatIsStoredToIsWritten) {
  const KernelFacts facts = Analyze(
      "ld.global.u32 %r6, [counter];\nst.global.u32 [counter], %r6;\nret;\n");
  EXPECT_EQ(facts.variables_written, std::vector<std::string>{"counter"});
  EXPECT_EQ(facts.variables_read, std::vector<std::string>{"counter"});
  EXPECT_FALSE(facts.elementwise);
}

TEST(AccessAnalysisTest, AJumpAroundTheBoundTakesItsForceAway) {
  const KernelFacts facts = Analyze(R"(
setp.eq.s32 %p2, %r1, 7;
@%p2 bra INSIDE;
setp.ge.s32 %p1, %r5, %r1;
@%p1 bra END;
INSIDE:
mul.wide.s32 %rd3, %r5, 4;
add.s64 %rd4, %rd1, %rd3;
st.global.u32 [%rd4], %r5;
END:
ret;
)");
  ASSERT_EQ(facts.accesses.size(), 1u);
  EXPECT_TRUE(facts.accesses[0].guards.empty());
  EXPECT_FALSE(facts.accesses[0].unconditional);
}

TEST(AccessAnalysisTest, APredicatedStoreIsConditional) {
  const KernelFacts facts = Analyze(R"(
setp.ge.s32 %p1, %r5, %r1;
mul.wide.s32 %rd3, %r5, 4;
add.s64 %rd4, %rd1, %rd3;
@%p1 st.global.u32 [%rd4], %r5;
ret;
)");
  ASSERT_EQ(facts.accesses.size(), 1u);
  EXPECT_FALSE(facts.accesses[0].unconditional);
  EXPECT_FALSE(facts.elementwise);
}

TEST(AccessAnalysisTest, ARegisterMayServeOnePointerAfterAnother) {
  const KernelFacts facts = Analyze(R"(
setp.ge.s32 %p1, %r5, %r1;
@%p1 bra END;
mul.wide.s32 %rd3, %r5, 4;
add.s64 %rd4, %rd1, %rd3;
ld.global.f32 %f1, [%rd4];
add.s64 %rd4, %rd2, %rd3;
st.global.f32 [%rd4], %f1;
END:
ret;
)");
  EXPECT_TRUE(facts.elementwise) << facts.not_elementwise_because;
  ASSERT_EQ(facts.accesses.size(), 2u);
  EXPECT_EQ(facts.accesses[0].parameter, 0u);
  EXPECT_EQ(facts.accesses[1].parameter, 1u);
  EXPECT_EQ(facts.escapes, (std::vector<bool>{false, false, false}));
}

TEST(AccessAnalysisTest, APredicateMayServeOneBoundAfterAnother) {
  const KernelFacts facts = Analyze(R"(
setp.lt.s32 %p1, %r5, 0;
@%p1 bra END;
setp.ge.s32 %p1, %r5, %r1;
@%p1 bra END;
mul.wide.s32 %rd3, %r5, 4;
add.s64 %rd4, %rd1, %rd3;
st.global.u32 [%rd4], %r5;
END:
ret;
)");
  ASSERT_EQ(facts.accesses.size(), 1u);
  ASSERT_EQ(facts.accesses[0].guards.size(), 2u);
  EXPECT_EQ(facts.accesses[0].guards[1].right.ToString(), "param2");
}

TEST(AccessAnalysisTest, ARegisterThatTwoPathsSetIsTakenForNeither) {
  const KernelFacts facts = Analyze(R"(
setp.gt.s32 %p1, %r1, 0;
@%p1 bra ELSE;
mov.u64 %rd3, %rd1;
bra BOTH;
ELSE:
mov.u64 %rd3, %rd2;
st.global.u32 [%rd3], %r5;
BOTH:
st.global.u32 [%rd3+4], %r5;
ret;
)");
  ASSERT_EQ(facts.accesses.size(), 2u);
  EXPECT_EQ(facts.accesses[0].parameter, 1u);
  EXPECT_FALSE(facts.accesses[1].parameter.has_value());
  EXPECT_EQ(facts.unrooted.size(), 1u);
  EXPECT_EQ(facts.escapes, (std::vector<bool>{true, true, false}));
}

TEST(AccessAnalysisTest, ARegisterOfAnInnerBlockHidesNoOuterOne) {
  const KernelFacts facts = Analyze(R"(
mov.u64 %rd3, %rd1;
{
.reg .b64 %rd<4>;
mov.u64 %rd3, 0;
}
st.global.u32 [%rd3], %r5;
ret;
)");
  ASSERT_EQ(facts.accesses.size(), 1u);
  EXPECT_EQ(facts.accesses[0].parameter, 0u);
}

TEST(AccessAnalysisTest, EachWideningIsAnAssumption) {
  // 20 + 4 * (i - 5): small as a polynomial, far away when i - 5 wraps.
  const KernelFacts facts = Analyze(R"(
sub.u32 %r6, %r5, 5;
mul.wide.u32 %rd3, %r6, 4;
add.s64 %rd4, %rd1, %rd3;
st.global.u32 [%rd4+20], %r5;
ret;
)");
  ASSERT_EQ(facts.accesses.size(), 1u);
  EXPECT_EQ(facts.accesses[0].offset->ToString(), "4*ctaid.x*ntid.x + 4*tid.x");
  ASSERT_EQ(facts.accesses[0].assumes.size(), 1u);
  EXPECT_EQ(facts.accesses[0].assumes[0].value.ToString(),
            "ctaid.x*ntid.x + tid.x - 5");
  EXPECT_FALSE(facts.accesses[0].assumes[0].is_signed);
}

// What is not arithmetic between integers of 32 and 64 bits.
TEST(AccessAnalysisTest, BitsOfFloatsAndNarrowNumbersAreNotUnderstood) {
  for (const char* index :
       {"cvt.rn.f32.u32 %f1, %r5;\nmov.b32 %r6, %f1;\n",
        "cvt.u8.u32 %r6, %r5;\n", "cvt.sat.u32.s32 %r6, %r5;\n",
        "add.sat.s32 %r6, %r5, 1;\n", "mov.u32 %r6, %laneid;\n"}) {
    const KernelFacts facts = Analyze(absl::StrCat(
        index, "mul.wide.u32 %rd3, %r6, 4;\nadd.s64 %rd4, %rd1, %rd3;\n",
        "st.global.u32 [%rd4], %r5;\nret;\n"));
    ASSERT_EQ(facts.accesses.size(), 1u) << index;
    EXPECT_EQ(facts.accesses[0].parameter, 0u) << index;
    EXPECT_FALSE(facts.accesses[0].offset.has_value()) << index;
  }
}

TEST(AccessAnalysisTest, AVectorOfParametersIsFollowed) {
  const auto module = Parse(R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .align 8 .b8 s[24])
{
.reg .b64 %rd<4>; .reg .b32 %r<2>;
ld.param.v2.u64 {%rd1, %rd2}, [s+8];
st.global.u32 [%rd2+4], %r1;
ret;
}
)");
  ASSERT_TRUE(module.ok()) << module.status();
  const KernelFacts facts = AnalyzeAccesses(*module, *module->FindEntry("k"));
  ASSERT_EQ(facts.accesses.size(), 1u);
  EXPECT_EQ(facts.accesses[0].parameter, 0u);
  EXPECT_EQ(facts.accesses[0].parameter_offset_bytes, 16u);
  EXPECT_EQ(facts.accesses[0].offset, Polynomial(4));
}

TEST(AccessAnalysisTest, BothEndsOfACopyBetweenSpacesAreTouched) {
  const KernelFacts facts = Analyze(
      "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 16;\n"
      "ret;\n");
  bool writes = false;
  for (const MemoryAccess& access : facts.accesses) {
    writes |= access.is_store && access.parameter == 0u;
    EXPECT_FALSE(access.offset.has_value());
  }
  EXPECT_TRUE(writes);
}

TEST(AccessAnalysisTest, APointerThatWasMultipliedStillEscapes) {
  const KernelFacts facts =
      Analyze("mul.lo.s64 %rd3, %rd2, 2;\nst.global.u64 [%rd1], %rd3;\nret;\n");
  EXPECT_EQ(facts.escapes, (std::vector<bool>{false, true, false}));
}

TEST(AccessAnalysisTest, WhatIsNotUnderstoodAndGoesToACallMayBeAnyPointer) {
  const KernelFacts facts = Analyze(
      "xor.b64 %rd3, %rd1, 1;\nxor.b64 %rd4, %rd3, 1;\n"
      "call f, (%rd4);\nret;\n");
  EXPECT_EQ(facts.escapes, (std::vector<bool>{true, true, true}));
}

TEST(AccessAnalysisTest, AnIndirectBranchMayLoopAroundAnything) {
  const KernelFacts facts = Analyze(R"(
A:
mul.wide.s32 %rd3, %r5, 4;
add.s64 %rd4, %rd1, %rd3;
st.global.u32 [%rd4], %r5;
ts: .branchtargets A;
brx.idx %r5, ts;
)");
  ASSERT_EQ(facts.accesses.size(), 1u);
  EXPECT_TRUE(facts.accesses[0].in_loop);
  EXPECT_FALSE(facts.elementwise);
}

KernelFacts AnalyzeFile(const std::string& name) {
  std::ifstream file(
      absl::StrCat(GRAPHD_SOURCE_DIR "/tests/data/ptx/", name, ".ptx"));
  const std::string text((std::istreambuf_iterator<char>(file)),
                         std::istreambuf_iterator<char>());
  const auto module = Parse(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return AnalyzeAccesses(*module, *module->Entries()[0]);
}

TEST(AccessAnalysisTest, WhatNvccWritesIsRooted) {
  for (const char* name :
       {"saxpy", "tiled_matmul", "stencil", "nbody", "histogram", "vectors"}) {
    const KernelFacts facts = AnalyzeFile(name);
    EXPECT_TRUE(facts.unrooted.empty())
        << name << " line " << facts.unrooted[0].line;
    EXPECT_FALSE(facts.accesses.empty()) << name;
    EXPECT_EQ(facts.elementwise, facts.not_elementwise_because.empty()) << name;
  }
  EXPECT_THAT(AnalyzeFile("saxpy").not_elementwise_because,
              HasSubstr("is in a loop"));
  EXPECT_TRUE(AnalyzeFile("tiled_matmul").has_barrier);
  EXPECT_TRUE(AnalyzeFile("histogram").has_atomics_or_fences);
}

TEST(AccessAnalysisTest, TheExampleInPtxIsRooted) {
  std::ifstream file(GRAPHD_SOURCE_DIR "/docs/examples/saxpy_ptx/saxpy.ptx");
  const std::string text((std::istreambuf_iterator<char>(file)),
                         std::istreambuf_iterator<char>());
  const auto module = Parse(text);
  ASSERT_TRUE(module.ok()) << module.status();
  const KernelFacts facts =
      AnalyzeAccesses(*module, *module->FindEntry("saxpy"));
  EXPECT_TRUE(facts.unrooted.empty());
  EXPECT_EQ(facts.escapes, std::vector<bool>(5, false));
  ASSERT_EQ(facts.accesses.size(), 3u);
  for (uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(facts.accesses[i].parameter, i);
    EXPECT_EQ(facts.accesses[i].is_store, i == 2);
    // A grid-stride loop.
    EXPECT_FALSE(facts.accesses[i].offset.has_value());
  }
}

}  // namespace
}  // namespace graphd::ptx
