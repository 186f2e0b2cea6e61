#include "core/plan/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/unit/plan/small_plan.h"

namespace graphd {
namespace {

using testing::HasSubstr;

enum : size_t { kXHost, kX, kLeft, kRight, kY, kYHost };

// What the verifier says of the small plan after `damage`.
std::string After(const std::function<void(Plan&)>& damage) {
  Plan plan = SmallPlan();
  damage(plan);
  const absl::Status status = VerifyPlan(plan);
  if (status.ok()) return "ok";
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  return std::string(status.message());
}

TEST(VerifyTest, ASoundPlanPasses) {
  EXPECT_EQ(After([](Plan&) {}), "ok");
  const std::vector<std::string> nodes = {"join", "left", "right"};
  EXPECT_TRUE(VerifyPlan(SmallPlan(), &nodes).ok());
}

TEST(VerifyTest, AMissingWaitIsFound) {
  EXPECT_THAT(After([](Plan& p) { p.steps[3].waits.clear(); }),
              HasSubstr("steps \"right\" and \"join\" are not ordered"));
  EXPECT_THAT(After([](Plan& p) { p.steps[2].waits.clear(); }),
              HasSubstr("steps \"upload x\" and \"right\" are not ordered"));
}

TEST(VerifyTest, UnorderedStepsOnSharedBytesAreFound) {
  EXPECT_THAT(After([](Plan& p) {
                p.buffers[kRight].offset_bytes = p.buffers[kLeft].offset_bytes;
              }),
              HasSubstr("not ordered"));
}

TEST(VerifyTest, BytesThatAnotherBufferTookAreFound) {
  // All on one stream: everything is ordered, and right overwrites left.
  EXPECT_THAT(After([](Plan& p) {
                p.stream_count = 1;
                for (PlanStep& step : p.steps) {
                  step.stream = StreamId(0);
                  step.waits.clear();
                }
                p.buffers[kRight].offset_bytes = p.buffers[kLeft].offset_bytes;
              }),
              HasSubstr("step \"join\" reads bytes of buffer \"left\" where "
                        "buffer \"right\" lies by then"));
}

TEST(VerifyTest, SharingInOrderPasses) {
  // y may take x's bytes: both readers of x come before join. But then the
  // upload must come again each time.
  const auto share = [](Plan& p) {
    p.buffers[kY].offset_bytes = p.buffers[kX].offset_bytes;
  };
  EXPECT_THAT(After(share), HasSubstr("\"upload x\" runs in the first "));
  EXPECT_EQ(After([&](Plan& p) {
              share(p);
              p.steps[0].phase = RunPhase::kEvery;
            }),
            "ok");
}

TEST(VerifyTest, AReadOfWhatNothingWroteIsFound) {
  EXPECT_THAT(
      After([](Plan& p) { p.steps[1].accesses.pop_back(); }),
      HasSubstr("step \"join\" reads bytes of buffer \"left\" that no step"));
}

TEST(VerifyTest, ACopyIsTakenAtItsWordNotAtItsDeclaration) {
  EXPECT_THAT(After([](Plan& p) {
                std::get<MemcpyStep>(p.steps[0].body).width_bytes = 128;
              }),
              HasSubstr("reads bytes of buffer \"x\" that no step"));
}

TEST(VerifyTest, WhatLeavesItsBufferOrArenaIsFound) {
  EXPECT_THAT(After([](Plan& p) { p.device_arena_bytes = 1000; }),
              HasSubstr("buffer \"y\" has 256 bytes at 768 of an arena"));
  EXPECT_THAT(After([](Plan& p) {
                std::get<MemcpyStep>(p.steps[4].body).src_offset_bytes = 1;
              }),
              HasSubstr("step \"download y\": leaves buffer \"y\""));
  EXPECT_THAT(After([](Plan& p) {
                std::get<KernelStep>(p.steps[1].body).args[0] =
                    BufferArgument{BufferId(kX), 257};
              }),
              HasSubstr("passes byte 257 of buffer \"x\""));
  EXPECT_THAT(After([](Plan& p) {
                p.steps[1].accesses[0].range.offset_bytes = ~uint64_t{0};
              }),
              HasSubstr("leaves buffer \"x\""));
}

TEST(VerifyTest, ReferencesToNothingAreFound) {
  EXPECT_THAT(After([](Plan& p) {
                std::get<KernelStep>(p.steps[1].body).image = ImageId(3);
              }),
              HasSubstr("kernel of no image"));
  EXPECT_THAT(After([](Plan& p) {
                std::get<KernelStep>(p.steps[1].body).args[0] =
                    ParameterArgument{ParameterId(0)};
              }),
              HasSubstr("uses parameter 0 of 0"));
  EXPECT_THAT(After([](Plan& p) { p.steps[1].stream = StreamId(7); }),
              HasSubstr("stream 7 of 2"));
  EXPECT_THAT(After([](Plan& p) {
                std::get<KernelStep>(p.steps[1].body).args[0] =
                    BufferArgument{BufferId(kXHost)};
              }),
              HasSubstr("passes host buffer"));
}

TEST(VerifyTest, AWaitForALaterStepIsFound) {
  EXPECT_THAT(After([](Plan& p) { p.steps[2].waits = {StepId(3)}; }),
              HasSubstr("waits for step 3, which is not before it"));
}

TEST(VerifyTest, WrongBindingsAreFound) {
  EXPECT_THAT(After([](Plan& p) { p.inputs[0].buffer = BufferId(kX); }),
              HasSubstr("input \"x\" is bound to no host buffer"));
  EXPECT_THAT(After([](Plan& p) { p.outputs[0].buffer = BufferId(kXHost); }),
              HasSubstr("output \"y\" is bound twice"));
  EXPECT_THAT(After([](Plan& p) { p.buffers[kYHost].offset_bytes = 128; }),
              HasSubstr("shares bytes with another"));
}

TEST(VerifyTest, NodesThatAreMissingDoubleOrStrangeAreFound) {
  EXPECT_THAT(After([](Plan& p) { p.steps[2].nodes = {"left"}; }),
              HasSubstr("node \"left\" is carried out twice"));
  EXPECT_THAT(After([](Plan& p) { p.steps[2].name = "left"; }),
              HasSubstr("two steps are called \"left\""));
  const auto expecting = [](std::vector<std::string> nodes) {
    return std::string(VerifyPlan(SmallPlan(), &nodes).message());
  };
  EXPECT_THAT(expecting({"left", "right", "join", "more"}),
              HasSubstr("node \"more\" is not carried out"));
  EXPECT_THAT(expecting({"left", "right"}), HasSubstr("expected 2"));
}

TEST(VerifyTest, AVariableThatIsWrittenNeedsItsResetFirst) {
  const auto with_variable = [](bool reset) {
    return [reset](Plan& p) {
      PlanBuffer variable;
      variable.name = "m::counter";
      variable.place = BufferPlace::kModuleVariable;
      variable.size_bytes = 4;
      variable.image = ImageId(0);
      variable.symbol = "counter";
      p.buffers.push_back(variable);
      PlanBuffer initial = variable;
      initial.place = BufferPlace::kHostArena;
      initial.offset_bytes = 512;
      initial.variable_image = true;
      p.buffers.push_back(initial);
      p.host_arena_bytes = 1024;
      const ByteRange all{.width_bytes = 4};
      p.steps[3].accesses.push_back({BufferId(6), all, AccessKind::kMayRead});
      p.steps[3].accesses.push_back({BufferId(6), all, AccessKind::kMayWrite});
      if (!reset) return;
      MemcpyStep copy;
      copy.src = BufferId(7);
      copy.dst = BufferId(6);
      copy.width_bytes = 4;
      PlanStep step;
      step.name = "reset";
      step.body = copy;
      step.stream = StreamId(0);
      step.accesses = {{BufferId(7), all, AccessKind::kMayRead},
                       {BufferId(6), all, AccessKind::kMustWrite}};
      p.steps.insert(p.steps.begin(), step);
      for (PlanStep& other : p.steps) {
        for (StepId& wait : other.waits) wait = StepId(wait.index() + 1);
      }
    };
  };
  EXPECT_EQ(After(with_variable(true)), "ok");
  EXPECT_THAT(After(with_variable(false)),
              HasSubstr("reads bytes of buffer \"m::counter\""));
}

}  // namespace
}  // namespace graphd
