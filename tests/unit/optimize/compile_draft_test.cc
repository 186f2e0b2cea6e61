#include "core/optimize/compile_draft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/optimize/pipeline.h"
#include "core/plan/plan_digest.h"
#include "core/plan/verify.h"
#include "tests/unit/optimize/random_declared_graph.h"

namespace graphd {
namespace {

using testing::HasSubstr;

// Puts every buffer on the same bytes.
absl::Status PutAllTogether(Draft& draft, AnalysisCache&) {
  for (DraftBuffer& buffer : draft.buffers) {
    if (buffer.plan.place != BufferPlace::kDeviceArena) continue;
    buffer.plan.offset_bytes = 0;
    buffer.placed = true;
    draft.device_arena_bytes =
        std::max(draft.device_arena_bytes, buffer.plan.size_bytes);
  }
  return absl::OkStatus();
}

absl::Status MakeCycle(Draft& draft, AnalysisCache&) {
  draft.flow.Edit(NodeId(0)).predecessors.push_back(NodeId(1));
  draft.flow.Edit(NodeId(1)).predecessors.push_back(NodeId(0));
  return absl::OkStatus();
}

absl::Status DoNothing(Draft&, AnalysisCache&) { return absl::OkStatus(); }

absl::Status FailAlways(Draft&, AnalysisCache&) {
  return absl::InvalidArgumentError("refused by the pass");
}

absl::StatusOr<CompileResult> CompileWith(const std::vector<Pass>& passes,
                                          CompileOptions options = {},
                                          CompileClock clock = StoppedClock()) {
  static const Graph* const kGraph =
      new Graph(RandomDeclaredGraph({.seed = 3, .nodes = 12, .buffers = 5}));
  return CompileDraft(*kGraph, DeviceDescription(), options, clock, passes,
                      &MakeDeclaredDraft);
}

TEST(CompileDraftTest, APlanThatDoesNotVerifyIsReplacedAndItsPassNamed) {
  const auto result = CompileWith({{"harmless", "does nothing", &DoNothing},
                                   {"broken", "is wrong", &PutAllTogether}});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(VerifyPlan(*result->plan).ok());
  ASSERT_FALSE(result->explanation.warnings.empty());
  EXPECT_THAT(result->explanation.warnings.back(),
              testing::AllOf(HasSubstr("does not verify"),
                             HasSubstr("without pass broken it does"),
                             HasSubstr("this is the plain plan")));
}

TEST(CompileDraftTest, ADraftThatCannotBeIsReplacedAndItsPassNamed) {
  const auto result = CompileWith({{"knot", "makes a cycle", &MakeCycle}});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(
      result->explanation.warnings.back(),
      testing::AllOf(HasSubstr("after pass knot: the draft has a cycle"),
                     HasSubstr("without pass knot it does")));
}

TEST(CompileDraftTest, SeveralFaultsAreNotBlamedOnOne) {
  const auto result = CompileWith({{"first", "is wrong", &PutAllTogether},
                                   {"second", "is wrong", &PutAllTogether}});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->explanation.warnings.back(),
              HasSubstr("no single pass is to blame"));
}

TEST(CompileDraftTest, WhatAPassRefusesIsReturned) {
  EXPECT_EQ(CompileWith({{"no", "refuses", &FailAlways}}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(CompileDraftTest, ASwitchedOffPassDoesNotRunAndIsRecorded) {
  CompileOptions options;
  options.skip_passes = {"no"};
  const auto result = CompileWith({{"no", "refuses", &FailAlways}}, options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->explanation.passes[0].pass, "no");
  EXPECT_TRUE(result->explanation.passes[0].skipped);
}

TEST(CompileDraftTest, ADeadlineEndsTheCompilation) {
  CompileClock clock{[] { return absl::UnixEpoch() + absl::Seconds(2); },
                     absl::UnixEpoch() + absl::Seconds(1)};
  const auto result =
      CompileWith({{"late", "does nothing", &DoNothing}}, {}, clock);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(result.status().message()), HasSubstr("pass late"));
}

TEST(CompileDraftTest, TheSameGraphGivesTheSamePlan) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Graph graph =
        RandomDeclaredGraph({.seed = seed, .nodes = 60, .buffers = 20});
    const auto first = CompileDeclared(graph);
    const auto second = CompileDeclared(graph);
    ASSERT_TRUE(first.ok() && second.ok());
    EXPECT_EQ(PlanDigest(*first->plan), PlanDigest(*second->plan));
  }
}

TEST(CompileDraftTest, DraftTextIsKeptWhereAPassChangedIt) {
  const Graph graph = RandomDeclaredGraph({.seed = 5});
  CompileOptions options;
  options.keep_draft_text = true;
  const auto result =
      CompileDraft(graph, DeviceDescription(), options, StoppedClock(),
                   Passes(), &MakeDeclaredDraft);
  ASSERT_TRUE(result.ok()) << result.status();
  bool any = false;
  for (const PassStatistics& pass : result->explanation.passes) {
    if (pass.pass == "assign-streams") {
      EXPECT_THAT(pass.draft_text, HasSubstr(" on stream 0"));
      any = true;
    }
  }
  EXPECT_TRUE(any);
}

}  // namespace
}  // namespace graphd
