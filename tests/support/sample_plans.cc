#include "tests/support/sample_plans.h"

#include <algorithm>
#include <string>
#include <utility>

namespace graphd {
namespace {

constexpr uint32_t kBlock = 64;

constexpr char kScalePtx[] = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry scale(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .f32 %f<4>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<7>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.f32 %f1, [a];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mul.wide.u32 %rd5, %r5, 4;
  add.s64 %rd6, %rd3, %rd5;
  ld.global.f32 %f2, [%rd6];
  mul.rn.f32 %f3, %f2, %f1;
  add.s64 %rd6, %rd4, %rd5;
  st.global.f32 [%rd6], %f3;
DONE:
  ret;
}
)";

constexpr char kIntegerPtx[] = R"(
.version 7.0
.target sm_75
.address_size 64
.global .align 4 .u32 counter = 41;
.visible .entry add_constant(.param .u64 x, .param .u64 y, .param .u32 c)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<7>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.u32 %r1, [c];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  mul.wide.u32 %rd3, %r5, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.u32 %r6, [%rd4];
  add.u32 %r7, %r6, %r1;
  st.global.u32 [%rd5], %r7;
  ret;
}
.visible .entry add_arrays(.param .u64 x, .param .u64 y, .param .u64 z)
{
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.u64 %rd3, [z];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  mul.wide.u32 %rd4, %r5, 4;
  add.s64 %rd5, %rd1, %rd4;
  add.s64 %rd6, %rd2, %rd4;
  add.s64 %rd7, %rd3, %rd4;
  ld.global.u32 %r6, [%rd5];
  ld.global.u32 %r7, [%rd6];
  add.u32 %r8, %r6, %r7;
  st.global.u32 [%rd7], %r8;
  ret;
}
.visible .entry count()
{
  .reg .b32 %r<3>;
  ld.global.u32 %r1, [counter];
  add.u32 %r2, %r1, 1;
  st.global.u32 [counter], %r2;
  ret;
}
.visible .entry wild()
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<3>;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd1, %r1, 4;
  add.s64 %rd2, %rd1, 64;
  st.global.u32 [%rd2], %r1;
  ret;
}
)";

LaunchShape Shape(uint32_t x) { return {LaunchDimension{x}, {}, {}}; }

// Adds buffers and steps; keeps offsets aligned and apart.
class PlanWriter {
 public:
  PlanWriter(const DeviceDescription& device, const char* ptx) {
    plan_.device = device;
    plan_.images.push_back(PlanImage{ImageKind::kPtx, ptx});
  }

  BufferId Device(std::string name, uint64_t size_bytes) {
    return Place(std::move(name), size_bytes, BufferPlace::kDeviceArena,
                 plan_.device_arena_bytes);
  }
  BufferId Host(std::string name, uint64_t size_bytes) {
    return Place(std::move(name), size_bytes, BufferPlace::kHostArena,
                 plan_.host_arena_bytes);
  }
  StepId Copy(std::string name, BufferId src, BufferId dst,
              RunPhase phase = RunPhase::kEvery, uint32_t stream = 0,
              std::vector<StepId> waits = {}) {
    MemcpyStep copy;
    copy.src = src;
    copy.dst = dst;
    copy.width_bytes = plan_.buffers[src.index()].size_bytes;
    return Step(std::move(name), copy, stream, std::move(waits), phase);
  }
  StepId Step(std::string name, StepBody body, uint32_t stream = 0,
              std::vector<StepId> waits = {},
              RunPhase phase = RunPhase::kEvery) {
    PlanStep step;
    step.name = std::move(name);
    step.body = std::move(body);
    step.stream = StreamId(stream);
    step.waits = std::move(waits);
    step.phase = phase;
    plan_.stream_count = std::max(plan_.stream_count, stream + 1);
    plan_.steps.push_back(std::move(step));
    return StepId(plan_.steps.size() - 1);
  }
  Plan& plan() { return plan_; }

 private:
  BufferId Place(std::string name, uint64_t size_bytes, BufferPlace place,
                 uint64_t& arena_bytes) {
    PlanBuffer buffer;
    buffer.name = std::move(name);
    buffer.place = place;
    buffer.size_bytes = size_bytes;
    buffer.offset_bytes = arena_bytes;
    arena_bytes += (size_bytes + 255) / 256 * 256;
    plan_.buffers.push_back(std::move(buffer));
    return BufferId(plan_.buffers.size() - 1);
  }

  Plan plan_;
};

}  // namespace

Plan ScalePlan(const DeviceDescription& device, uint32_t elements) {
  PlanWriter writer(device, kScalePtx);
  const uint64_t bytes = uint64_t{elements} * 4;
  const BufferId x_host = writer.Host("x (host)", bytes);
  const BufferId y_host = writer.Host("y (host)", bytes);
  const BufferId x = writer.Device("x", bytes);
  const BufferId y = writer.Device("y", bytes);
  writer.plan().parameters = {
      Parameter{"a", ScalarType::kF32, Scalar::F32(2), std::nullopt,
                Scalar::F32(100)},
      Parameter{"blocks", ScalarType::kU32,
                Scalar::U32((elements + kBlock - 1) / kBlock)}};
  writer.plan().inputs = {{"x", x_host}};
  writer.plan().outputs = {{"y", y_host}};
  writer.Copy("upload", x_host, x, RunPhase::kFirst);
  KernelStep kernel;
  kernel.image = ImageId(0);
  kernel.function = "scale";
  kernel.grid = Shape(1);
  kernel.grid[0].parameter = ParameterId(1);
  kernel.block = Shape(kBlock);
  kernel.args = {BufferArgument{x}, BufferArgument{y},
                 ParameterArgument{ParameterId(0)}, Scalar::U32(elements)};
  writer.Step("scale", kernel);
  writer.Copy("download", y, y_host, RunPhase::kLast);
  return writer.plan();
}

Plan ForkJoinPlan(const DeviceDescription& device, uint32_t elements) {
  PlanWriter writer(device, kIntegerPtx);
  const uint64_t bytes = uint64_t{elements} * 4;
  const BufferId x_host = writer.Host("x (host)", bytes);
  const BufferId y_host = writer.Host("y (host)", bytes);
  const BufferId x = writer.Device("x", bytes);
  const BufferId left = writer.Device("left", bytes);
  const BufferId right = writer.Device("right", bytes);
  const BufferId y = writer.Device("y", bytes);
  writer.plan().inputs = {{"x", x_host}};
  writer.plan().outputs = {{"y", y_host}};
  const auto kernel = [&](const char* function, std::vector<Argument> args) {
    KernelStep step;
    step.image = ImageId(0);
    step.function = function;
    step.grid = Shape(elements / kBlock);
    step.block = Shape(kBlock);
    step.args = std::move(args);
    return step;
  };
  const StepId upload = writer.Copy("upload", x_host, x);
  writer.Step("left",
              kernel("add_constant", {BufferArgument{x}, BufferArgument{left},
                                      Scalar::U32(1)}));
  const StepId branch = writer.Step(
      "right",
      kernel("add_constant",
             {BufferArgument{x}, BufferArgument{right}, Scalar::U32(2)}),
      1, {upload});
  writer.Step("join",
              kernel("add_arrays", {BufferArgument{left}, BufferArgument{right},
                                    BufferArgument{y}}),
              0, {branch});
  writer.Copy("download", y, y_host);
  return writer.plan();
}

Plan CounterPlan(const DeviceDescription& device) {
  PlanWriter writer(device, kIntegerPtx);
  writer.plan().images[0].writes_variables = true;
  const BufferId image = writer.Host("initial counter", 4);
  writer.plan().buffers[image.index()].variable_image = true;
  writer.plan().buffers[image.index()].image = ImageId(0);
  writer.plan().buffers[image.index()].symbol = "counter";
  const BufferId out_host = writer.Host("out (host)", 4);
  PlanBuffer variable;
  variable.name = "counter";
  variable.place = BufferPlace::kModuleVariable;
  variable.size_bytes = 4;
  variable.image = ImageId(0);
  variable.symbol = "counter";
  writer.plan().buffers.push_back(variable);
  const BufferId counter(writer.plan().buffers.size() - 1);
  writer.plan().outputs = {{"out", out_host}};
  writer.Copy("reset", image, counter);
  KernelStep kernel;
  kernel.image = ImageId(0);
  kernel.function = "count";
  writer.Step("count", kernel);
  writer.Copy("download", counter, out_host);
  return writer.plan();
}

Plan ChainPlan(const DeviceDescription& device, uint32_t elements,
               uint32_t length) {
  PlanWriter writer(device, kIntegerPtx);
  const uint64_t bytes = uint64_t{elements} * 4;
  const BufferId x_host = writer.Host("x (host)", bytes);
  const BufferId y_host = writer.Host("y (host)", bytes);
  const BufferId y = writer.Device("y", bytes);
  writer.plan().parameters = {
      Parameter{"step", ScalarType::kU32, Scalar::U32(1)}};
  writer.plan().inputs = {{"x", x_host}};
  writer.plan().outputs = {{"y", y_host}};
  writer.Copy("upload", x_host, y);
  for (uint32_t i = 0; i < length; ++i) {
    KernelStep kernel;
    kernel.image = ImageId(0);
    kernel.function = "add_constant";
    kernel.grid = Shape(elements / kBlock);
    kernel.block = Shape(kBlock);
    kernel.args = {BufferArgument{y}, BufferArgument{y},
                   i == 0 ? Argument(ParameterArgument{ParameterId(0)})
                          : Argument(Scalar::U32(1))};
    writer.Step("add" + std::to_string(i), kernel);
  }
  writer.Copy("download", y, y_host);
  return writer.plan();
}

Plan FaultPlan(const DeviceDescription& device) {
  PlanWriter writer(device, kIntegerPtx);
  KernelStep kernel;
  kernel.image = ImageId(0);
  kernel.function = "wild";
  kernel.block = Shape(kBlock);
  writer.Step("wild", kernel);
  return writer.plan();
}

}  // namespace graphd
