#include "tests/unit/plan/small_plan.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/plan/verify.h"

namespace graphd {
namespace {

Access Touch(size_t buffer, AccessKind kind) {
  return {BufferId(buffer), {.width_bytes = 256}, kind};
}

PlanStep Kernel(const std::string& name, size_t stream,
                const std::vector<size_t>& reads, size_t writes) {
  PlanStep step;
  step.name = name;
  step.nodes = {name};
  step.stream = StreamId(stream);
  KernelStep kernel;
  kernel.image = ImageId(0);
  kernel.function = name;
  for (const size_t read : reads) {
    kernel.args.push_back(BufferArgument{BufferId(read)});
    step.accesses.push_back(Touch(read, AccessKind::kMayRead));
  }
  kernel.args.push_back(BufferArgument{BufferId(writes)});
  step.accesses.push_back(Touch(writes, AccessKind::kMayWrite));
  step.body = kernel;
  return step;
}

PlanStep Copy(const std::string& name, size_t src, size_t dst, RunPhase phase) {
  PlanStep step;
  step.name = name;
  step.stream = StreamId(0);
  step.phase = phase;
  MemcpyStep copy;
  copy.src = BufferId(src);
  copy.dst = BufferId(dst);
  copy.width_bytes = 256;
  step.body = copy;
  step.accesses = {Touch(src, AccessKind::kMayRead),
                   Touch(dst, AccessKind::kMustWrite)};
  return step;
}

}  // namespace

Plan SmallPlan() {
  Plan plan;
  plan.images.push_back({ImageKind::kPtx, "text", false});
  const auto add = [&](const std::string& name, BufferPlace place,
                       uint64_t offset) {
    PlanBuffer buffer;
    buffer.name = name;
    buffer.place = place;
    buffer.size_bytes = 256;
    buffer.offset_bytes = offset;
    plan.buffers.push_back(std::move(buffer));
  };
  add("x (host)", BufferPlace::kHostArena, 0);
  add("x", BufferPlace::kDeviceArena, 0);
  add("left", BufferPlace::kDeviceArena, 256);
  add("right", BufferPlace::kDeviceArena, 512);
  add("y", BufferPlace::kDeviceArena, 768);
  add("y (host)", BufferPlace::kHostArena, 256);
  plan.device_arena_bytes = 1024;
  plan.host_arena_bytes = 512;
  plan.inputs = {{"x", BufferId(kXHost)}};
  plan.outputs = {{"y", BufferId(kYHost)}};
  plan.stream_count = 2;
  plan.steps = {Copy("upload x", kXHost, kX, RunPhase::kFirst),
                Kernel("left", 0, {kX}, kLeft),
                Kernel("right", 1, {kX}, kRight),
                Kernel("join", 0, {kLeft, kRight}, kY),
                Copy("download y", kY, kYHost, RunPhase::kLast)};
  plan.steps[2].waits = {StepId(0)};
  plan.steps[3].waits = {StepId(2)};
  return plan;
}

std::string After(const std::function<void(Plan&)>& damage) {
  Plan plan = SmallPlan();
  damage(plan);
  const absl::Status status = VerifyPlan(plan);
  if (status.ok()) return "ok";
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  return std::string(status.message());
}

}  // namespace graphd
