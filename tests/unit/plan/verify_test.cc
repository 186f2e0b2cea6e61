#include "core/plan/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/unit/plan/small_plan.h"

namespace graphd {
namespace {

using testing::HasSubstr;

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

// A kernel that touches nothing yet, at the end of the plan.
PlanStep& AddStep(Plan& p, const std::string& name, size_t stream) {
  PlanStep step;
  step.name = name;
  step.stream = StreamId(stream);
  KernelStep kernel;
  kernel.image = ImageId(0);
  kernel.function = "k";
  step.body = kernel;
  p.steps.push_back(step);
  return p.steps.back();
}

// A scratch buffer of 256 bytes behind the others.
BufferId AddScratch(Plan& p) {
  PlanBuffer buffer;
  buffer.name = "scratch";
  buffer.size_bytes = 256;
  buffer.offset_bytes = p.device_arena_bytes;
  p.device_arena_bytes += 256;
  p.buffers.push_back(buffer);
  return BufferId(p.buffers.size() - 1);
}

constexpr ByteRange kEvenWords{0, 4, 8, 32};
constexpr ByteRange kAllBytes{.width_bytes = 256};

TEST(VerifyTest, RowsDefineAndReadNoGaps) {
  const auto plan = [](ByteRange read) {
    return [read](Plan& p) {
      const BufferId b = AddScratch(p);
      AddStep(p, "write", 0).accesses = {{b, {0, 64}, AccessKind::kMustWrite}};
      // The last row ends at 60: the gaps reach into what nothing wrote.
      AddStep(p, "rows", 0).accesses = {
          {b, {0, 4, 8, 8}, AccessKind::kMayRead}};
      AddStep(p, "read", 0).accesses = {{b, read, AccessKind::kMayRead}};
    };
  };
  EXPECT_EQ(After(plan({0, 64})), "ok");
  EXPECT_THAT(After(plan({0, 65})), HasSubstr("that no step before it writes"));
}

TEST(VerifyTest, ReadingRowsDoesNotDefineTheGaps) {
  const auto plan = [](bool gap) {
    return [gap](Plan& p) {
      const BufferId b = AddScratch(p);
      for (uint64_t at = 0; at < 64; at += 16) {
        AddStep(p, "write" + std::to_string(at), 0).accesses = {
            {b, {at, 4}, AccessKind::kMustWrite}};
      }
      AddStep(p, "rows", 0).accesses = {
          {b, {0, 4, 16, 4}, AccessKind::kMayRead}};
      if (gap) {
        AddStep(p, "gap", 0).accesses = {{b, {4, 4}, AccessKind::kMayRead}};
      }
    };
  };
  EXPECT_EQ(After(plan(false)), "ok");
  EXPECT_THAT(After(plan(true)), HasSubstr("step \"gap\" reads bytes"));
}

TEST(VerifyTest, AWriteOfRowsDoesNotStandForTheReadersOfTheGaps) {
  // rows, behind the reader of everything on another stream only in part: the
  // last write must still come after that reader.
  const auto plan = [](bool wait) {
    return [wait](Plan& p) {
      const BufferId b = AddScratch(p);
      AddStep(p, "first", 0).accesses = {
          {b, kAllBytes, AccessKind::kMustWrite}};
      const StepId first(p.steps.size() - 1);
      PlanStep& odd = AddStep(p, "odd", 1);
      odd.waits = {first};
      odd.accesses = {{b, {4, 4, 8, 31}, AccessKind::kMayRead}};
      const StepId reader(p.steps.size() - 1);
      AddStep(p, "even", 0).accesses = {
          {b, kEvenWords, AccessKind::kMustWrite}};
      PlanStep& last = AddStep(p, "last", 0);
      last.accesses = {{b, kAllBytes, AccessKind::kMustWrite}};
      if (wait) last.waits = {reader};
    };
  };
  EXPECT_EQ(After(plan(true)), "ok");
  EXPECT_THAT(After(plan(false)),
              HasSubstr("steps \"odd\" and \"last\" are not ordered"));
}

TEST(VerifyTest, AnAccessThatOverlapsAnotherInPartDoesNotStandForIt) {
  // even follows rows; last writes what rows reads and even does not touch.
  const auto plan = [](bool wait) {
    return [wait](Plan& p) {
      const BufferId b = AddScratch(p);
      AddStep(p, "first", 0).accesses = {
          {b, kAllBytes, AccessKind::kMustWrite}};
      const StepId first(p.steps.size() - 1);
      AddStep(p, "rows", 0).accesses = {
          {b, {0, 8, 16, 16}, AccessKind::kMayRead}};
      const StepId rows(p.steps.size() - 1);
      AddStep(p, "even", 0).accesses = {
          {b, kEvenWords, AccessKind::kMustWrite}};
      PlanStep& last = AddStep(p, "last", 1);
      last.waits = {wait ? rows : first};
      last.accesses = {{b, {4, 4, 16, 15}, AccessKind::kMustWrite}};
    };
  };
  EXPECT_EQ(After(plan(true)), "ok");
  EXPECT_THAT(After(plan(false)),
              HasSubstr("steps \"rows\" and \"last\" are not ordered"));
}

TEST(VerifyTest, VariablesAreMemoryOfTheirOwn) {
  // Two variables that no step writes are defined, and apart from each other.
  const auto plan = [](AccessKind kind) {
    return [kind](Plan& p) {
      for (const char* symbol : {"a", "b"}) {
        PlanBuffer variable;
        variable.name = symbol;
        variable.symbol = symbol;
        variable.place = BufferPlace::kModuleVariable;
        variable.size_bytes = 16;
        variable.image = ImageId(0);
        p.buffers.push_back(variable);
      }
      const ByteRange all{.width_bytes = 16};
      p.steps[1].accesses.push_back({BufferId(6), all, AccessKind::kMayRead});
      p.steps[2].accesses.push_back({BufferId(7), all, AccessKind::kMayRead});
      // left and right run side by side.
      p.steps[1].accesses.push_back({BufferId(6), all, kind});
    };
  };
  EXPECT_EQ(After(plan(AccessKind::kMayRead)), "ok");
  EXPECT_THAT(After(plan(AccessKind::kMayWrite)),
              HasSubstr("step \"left\" reads bytes of buffer \"a\""));
  const auto written = [](Plan& p) {
    for (const char* symbol : {"a", "b"}) {
      PlanBuffer variable;
      variable.name = symbol;
      variable.symbol = symbol;
      variable.place = BufferPlace::kModuleVariable;
      variable.size_bytes = 16;
      variable.image = ImageId(0);
      p.buffers.push_back(variable);
    }
    const ByteRange all{.width_bytes = 16};
    p.steps[1].accesses.push_back({BufferId(6), all, AccessKind::kMustWrite});
    p.steps[2].accesses.push_back({BufferId(7), all, AccessKind::kMustWrite});
  };
  EXPECT_EQ(After(written), "ok");
}

TEST(VerifyTest, BytesThatMustStayAreSharedWithNothing) {
  // A host buffer that nobody binds, on the bytes of `onto`.
  const auto on = [](size_t onto, uint64_t shift) {
    return [onto, shift](Plan& p) {
      PlanBuffer scratch;
      scratch.name = "scratch";
      scratch.place = BufferPlace::kHostArena;
      scratch.size_bytes = 256 - shift;
      scratch.offset_bytes = p.buffers[onto].offset_bytes + shift;
      p.buffers.push_back(scratch);
    };
  };
  for (const size_t onto : {size_t{kXHost}, size_t{kYHost}}) {
    for (const uint64_t shift : {0, 128}) {
      EXPECT_THAT(After(on(onto, shift)),
                  HasSubstr("shares bytes with another"))
          << onto << " " << shift;
    }
  }
  EXPECT_THAT(After([&](Plan& p) {
                p.buffers[kYHost].offset_bytes = 512;
                p.host_arena_bytes = 768;
                on(kYHost, 0)(p);
                p.buffers.back().offset_bytes = 384;
              }),
              HasSubstr("shares bytes with another"));
  // Behind both: two that nobody binds may share.
  EXPECT_EQ(After([](Plan& p) {
              for (const char* name : {"a", "b"}) {
                PlanBuffer scratch;
                scratch.name = name;
                scratch.place = BufferPlace::kHostArena;
                scratch.size_bytes = 256;
                scratch.offset_bytes = 512;
                p.buffers.push_back(scratch);
              }
              p.host_arena_bytes = 768;
            }),
            "ok");
  // The initial bytes of a variable stay as well.
  EXPECT_THAT(After([](Plan& p) {
                PlanBuffer initial;
                initial.name = "initial";
                initial.place = BufferPlace::kHostArena;
                initial.size_bytes = 256;
                initial.offset_bytes = 512;
                initial.image = ImageId(0);
                initial.symbol = "s";
                initial.variable_image = true;
                p.buffers.push_back(initial);
                initial.name = "scratch";
                initial.variable_image = false;
                p.buffers.push_back(initial);
                p.host_arena_bytes = 768;
              }),
              HasSubstr("shares bytes with another"));
}

TEST(VerifyTest, AStepThatSomeExecutionsSkipIsTheOnlyWriter) {
  EXPECT_THAT(After([](Plan& p) {
                p.steps[1].accesses.push_back(
                    {BufferId(kX), kAllBytes, AccessKind::kMayWrite});
                p.steps[1].stream = p.steps[2].stream;
                p.steps[1].waits = {StepId(0)};
                p.steps[2].waits.clear();
              }),
              HasSubstr("\"upload x\" runs in the first execution only, but "
                        "buffer \"x\" is written or covered by others"));
  EXPECT_THAT(After([](Plan& p) { p.steps[1].phase = RunPhase::kLast; }),
              HasSubstr("\"left\" runs in the last execution only, but "
                        "buffer \"left\" is used by others"));
  // y on bytes of x, whichever of the two begins first.
  for (const auto& [first, second] : {std::pair(kX, kY), std::pair(kY, kX)}) {
    EXPECT_THAT(After([&](Plan& p) {
                  p.buffers[first].offset_bytes = 1024;
                  p.buffers[second].offset_bytes = 1152;
                  p.device_arena_bytes = 1408;
                }),
                HasSubstr("\"upload x\" runs in the first "));
  }
}

}  // namespace
}  // namespace graphd
