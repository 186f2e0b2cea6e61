#include "core/plan/verify_references.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plan/verify.h"
#include "tests/unit/plan/small_plan.h"

namespace graphd {
namespace {

using testing::HasSubstr;

TEST(VerifyReferencesTest, WhatLeavesItsBufferOrArenaIsFound) {
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

TEST(VerifyReferencesTest, ReferencesToNothingAreFound) {
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

TEST(VerifyReferencesTest, AWaitForALaterStepIsFound) {
  EXPECT_THAT(After([](Plan& p) { p.steps[2].waits = {StepId(3)}; }),
              HasSubstr("waits for step 3, which is not before it"));
}

TEST(VerifyReferencesTest, NodesThatAreMissingDoubleOrStrangeAreFound) {
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

TEST(VerifyReferencesTest, WrongBindingsAreFound) {
  EXPECT_THAT(After([](Plan& p) { p.inputs[0].buffer = BufferId(kX); }),
              HasSubstr("input \"x\" is bound to no host buffer"));
  EXPECT_THAT(After([](Plan& p) { p.outputs[0].buffer = BufferId(kXHost); }),
              HasSubstr("output \"y\" is bound twice"));
  EXPECT_THAT(After([](Plan& p) { p.buffers[kYHost].offset_bytes = 128; }),
              HasSubstr("shares bytes with another"));
}

// Adds a variable of the image and, at 512 of the host arena, its initial
// bytes.
void AddVariable(Plan& p) {
  PlanBuffer variable;
  variable.name = "m::counter";
  variable.place = BufferPlace::kModuleVariable;
  variable.size_bytes = 4;
  variable.image = ImageId(0);
  variable.symbol = "counter";
  p.buffers.push_back(variable);
  variable.name = "m::counter (initial)";
  variable.place = BufferPlace::kHostArena;
  variable.offset_bytes = 512;
  variable.variable_image = true;
  p.buffers.push_back(variable);
  p.host_arena_bytes = 1024;
}

TEST(VerifyReferencesTest, AVariableBelongsToOneImageOnce) {
  constexpr size_t kVariable = kYHost + 1;
  constexpr size_t kInitial = kYHost + 2;
  EXPECT_EQ(After(&AddVariable), "ok");
  for (const size_t buffer : {kVariable, kInitial}) {
    EXPECT_THAT(After([&](Plan& p) {
                  AddVariable(p);
                  p.buffers[buffer].image = ImageId(1);
                }),
                HasSubstr("is a variable of no image"));
    EXPECT_THAT(After([&](Plan& p) {
                  AddVariable(p);
                  p.buffers[buffer].symbol.clear();
                }),
                HasSubstr("is a variable of no image"));
  }
  EXPECT_THAT(After([](Plan& p) {
                AddVariable(p);
                p.buffers.push_back(p.buffers[kVariable]);
              }),
              HasSubstr("is a variable that another buffer is too"));
  EXPECT_THAT(After([](Plan& p) {
                AddVariable(p);
                p.buffers[kInitial].place = BufferPlace::kDeviceArena;
              }),
              HasSubstr("initial bytes outside the host arena"));
  EXPECT_THAT(After([](Plan& p) {
                AddVariable(p);
                p.inputs.push_back({"z", BufferId(kInitial)});
              }),
              HasSubstr("bound to no host buffer of its own"));
}

TEST(VerifyReferencesTest, NumbersNearTheLargestOnesDoNotWrap) {
  EXPECT_THAT(After([](Plan& p) { p.device_arena_bytes = ~uint64_t{0}; }),
              HasSubstr("larger than any address"));
  EXPECT_THAT(After([](Plan& p) { p.host_arena_bytes = ~uint64_t{0}; }),
              HasSubstr("larger than any address"));
  EXPECT_THAT(After([](Plan& p) { p.buffers[kLeft].size_bytes = 2048; }),
              HasSubstr("has 2048 bytes at 256 of an arena of 1024"));
  EXPECT_THAT(After([](Plan& p) {
                p.buffers[kLeft].offset_bytes = ~uint64_t{0} - 100;
              }),
              HasSubstr("of an arena of 1024"));
}

TEST(VerifyReferencesTest, WaitsAreOfOtherStreamsAndAscending) {
  EXPECT_THAT(After([](Plan& p) { p.stream_count = 0; }),
              HasSubstr("the plan has no stream"));
  EXPECT_THAT(After([](Plan& p) { p.steps[3].waits = {StepId(1)}; }),
              HasSubstr("waits for step 1 of its own stream"));
  EXPECT_THAT(After([](Plan& p) {
                p.steps[3].waits = {StepId(2), StepId(2)};
              }),
              HasSubstr("waits are not ascending"));
}

KernelStep& Kernel(Plan& p) { return std::get<KernelStep>(p.steps[1].body); }

TEST(VerifyReferencesTest, AKernelHasANameAndAShape) {
  EXPECT_THAT(After([](Plan& p) { Kernel(p).function.clear(); }),
              HasSubstr("kernel without a name"));
  EXPECT_THAT(After([](Plan& p) { Kernel(p).grid[1].value = 0; }),
              HasSubstr("a launch dimension is 0"));
  EXPECT_THAT(After([](Plan& p) { Kernel(p).block[2].value = 0; }),
              HasSubstr("a launch dimension is 0"));
  EXPECT_THAT(
      After([](Plan& p) { Kernel(p).block[0].parameter = ParameterId(0); }),
      HasSubstr("uses parameter 0 of 0"));
}

TEST(VerifyReferencesTest, AddressesInStructsLieInsideAndNameBuffers) {
  const auto with_struct = [](size_t bytes, uint32_t offset, BufferId buffer,
                              uint64_t buffer_offset) {
    return [=](Plan& p) {
      BytesArgument argument;
      argument.bytes.assign(bytes, '\0');
      argument.relocations.push_back({offset, buffer, buffer_offset});
      Kernel(p).args.push_back(argument);
    };
  };
  EXPECT_EQ(After(with_struct(16, 8, BufferId(kX), 256)), "ok");
  EXPECT_THAT(After(with_struct(16, 9, BufferId(kX), 0)),
              HasSubstr("puts an address at byte 9 of a struct of 16"));
  EXPECT_THAT(After(with_struct(4, 0, BufferId(kX), 0)),
              HasSubstr("puts an address at byte 0 of a struct of 4"));
  EXPECT_THAT(After(with_struct(16, 8, BufferId(99), 0)),
              HasSubstr("passes no buffer"));
  EXPECT_THAT(After(with_struct(16, 8, BufferId(kX), 257)),
              HasSubstr("passes byte 257"));
}

TEST(VerifyReferencesTest, AFillsPatternHasOneTwoOrFourBytes) {
  const auto with_fill = [](uint32_t pattern_bytes, size_t buffer) {
    return [=](Plan& p) {
      MemsetStep fill;
      fill.dst = BufferId(buffer);
      fill.pattern_bytes = pattern_bytes;
      fill.width = 1;
      PlanStep step;
      step.name = "fill";
      step.body = fill;
      step.stream = StreamId(0);
      p.steps.push_back(step);
    };
  };
  for (const uint32_t bytes : {1u, 2u, 4u}) {
    EXPECT_EQ(After(with_fill(bytes, kLeft)), "ok");
  }
  EXPECT_THAT(After(with_fill(3, kLeft)),
              HasSubstr("fills with a pattern of 3 bytes"));
  EXPECT_THAT(After(with_fill(1, 99)), HasSubstr("touches no buffer"));
  EXPECT_THAT(After(with_fill(1, kXHost)),
              HasSubstr("writes where the client's input lies"));
}

TEST(VerifyReferencesTest, ABindingHasAHostBufferAndANameOfItsOwn) {
  EXPECT_THAT(After([](Plan& p) { p.inputs[0].buffer = BufferId(99); }),
              HasSubstr("bound to no host buffer"));
  EXPECT_THAT(After([](Plan& p) {
                PlanBuffer more = p.buffers[kXHost];
                more.offset_bytes = 512;
                p.buffers.push_back(more);
                p.host_arena_bytes = 768;
                p.inputs.push_back({"x", BufferId(p.buffers.size() - 1)});
              }),
              HasSubstr("input \"x\" is bound twice"));
}

}  // namespace
}  // namespace graphd
