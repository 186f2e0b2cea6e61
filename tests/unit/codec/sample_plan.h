// A plan that uses every field, for the codec's tests.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_TESTS_UNIT_CODEC_SAMPLE_PLAN_H_
#define GRAPHD_TESTS_UNIT_CODEC_SAMPLE_PLAN_H_

#include "core/plan/plan.h"

namespace graphd {

inline Plan SamplePlan() {
  Plan plan;
  plan.graph = Sha256("graph");
  plan.device.name = "graphd software GPU";
  plan.device.memory_bytes = 1 << 30;
  plan.images = {{ImageKind::kPtx, ".version 7.8", true}};
  plan.buffers = {{.name = "t", .size_bytes = 1024, .offset_bytes = 1024},
                  {.name = "x (host)",
                   .place = BufferPlace::kHostArena,
                   .size_bytes = 1024},
                  {.name = "y (host)",
                   .place = BufferPlace::kHostArena,
                   .size_bytes = 1024,
                   .offset_bytes = 1024},
                  {.name = "m::table",
                   .place = BufferPlace::kModuleVariable,
                   .size_bytes = 64,
                   .image = ImageId(0),
                   .symbol = "table"}};
  plan.parameters = {{"blocks", ScalarType::kU32, Scalar::U32(2),
                      Scalar::U32(1), Scalar::U32(8)}};
  plan.inputs = {{"x", BufferId(1)}};
  plan.outputs = {{"y", BufferId(2)}};
  plan.stream_count = 2;
  plan.device_arena_bytes = 4096;
  plan.host_arena_bytes = 2048;

  PlanStep copy;
  copy.name = "copy x";
  copy.body = MemcpyStep{
      .src = BufferId(1), .dst = BufferId(0), .width_bytes = 1024, .height = 1};
  copy.stream = StreamId(0);
  copy.phase = RunPhase::kFirst;
  PlanStep kernel;
  kernel.name = "relu+scale";
  kernel.nodes = {"relu", "scale"};
  KernelStep launch;
  launch.image = ImageId(0);
  launch.function = "relu_scale";
  launch.grid = {LaunchDimension{1, ParameterId(0)}, {2, {}}, {1, {}}};
  launch.block = {LaunchDimension{256, {}}, {1, {}}, {1, {}}};
  launch.shared_bytes = 16;
  launch.args = {BufferArgument{BufferId(0), 4}, Scalar::S32(-5),
                 ParameterArgument{ParameterId(0)},
                 BytesArgument{std::string(16, '\0'), {{8, BufferId(0), 512}}}};
  kernel.body = launch;
  kernel.stream = StreamId(0);
  kernel.accesses = {
      {BufferId(0),
       {.offset_bytes = 0, .width_bytes = 4, .pitch_bytes = 8, .rows = 128},
       AccessKind::kMustWrite}};
  PlanStep fill;
  fill.name = "fill";
  fill.nodes = {"fill"};
  fill.body = MemsetStep{.dst = BufferId(0),
                         .offset_bytes = 4,
                         .pattern = 0xab,
                         .pattern_bytes = 1,
                         .width = 4,
                         .height = 2,
                         .pitch_bytes = 8};
  fill.stream = StreamId(1);
  PlanStep out;
  out.name = "copy y";
  out.body = MemcpyStep{.src = BufferId(0),
                        .src_offset_bytes = 16,
                        .src_pitch_bytes = 32,
                        .dst = BufferId(2),
                        .dst_pitch_bytes = 16,
                        .width_bytes = 16,
                        .height = 4};
  out.stream = StreamId(1);
  out.waits = {StepId(0), StepId(1)};
  out.phase = RunPhase::kLast;
  PlanStep barrier;
  barrier.name = "end";
  barrier.nodes = {"end"};
  barrier.body = EmptyStep{};
  barrier.stream = StreamId(1);
  plan.steps = {copy, kernel, fill, out, barrier};
  return plan;
}

}  // namespace graphd

#endif  // GRAPHD_TESTS_UNIT_CODEC_SAMPLE_PLAN_H_
