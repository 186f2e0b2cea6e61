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
  EXPECT_TRUE(load.assumes_no_wrap);
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

}  // namespace
}  // namespace graphd::ptx
