#include "core/optimize/compile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "core/graph/graph_builder.h"
#include "core/plan/verify.h"
#include "tests/unit/optimize/kernels.h"
#include "tests/unit/optimize/random_declared_graph.h"

namespace graphd {
namespace {

using testing::HasSubstr;

// x → relu → t → scale → y
GraphBuilder ReluScale() {
  GraphBuilder b;
  b.Input("x", ScalarType::kF32, {1000})
      .Transient("t", ScalarType::kF32, {1000})
      .Output("y", ScalarType::kF32, {1000})
      .Ptx("m", ElementwiseModule({"relu", "scale"}));
  b.Kernel("relu", "m", "relu")
      .Grid(4)
      .Block(256)
      .Buffer("x")
      .Buffer("t")
      .Value(Scalar::U32(1000));
  b.Kernel("scale", "m", "scale")
      .Grid(4)
      .Block(256)
      .Buffer("t")
      .Buffer("y")
      .Value(Scalar::U32(1000));
  return b;
}

absl::StatusOr<CompileResult> Compile(const Graph& graph,
                                      CompileOptions options = {},
                                      DeviceDescription device = {}) {
  return CompileGraph(graph, ImagesOf(graph), device, options, StoppedClock());
}

TEST(CompileTest, AChainRunsOnOneStreamBetweenItsCopies) {
  const auto graph = ReluScale().Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto result = Compile(*graph);
  ASSERT_TRUE(result.ok()) << result.status();
  const Plan& plan = *result->plan;
  std::vector<std::string> names;
  for (const PlanStep& step : plan.steps) names.push_back(step.name);
  EXPECT_EQ(names, (std::vector<std::string>{"upload x", "relu", "scale",
                                             "download y"}));
  EXPECT_EQ(plan.stream_count, 1u);
  EXPECT_EQ(plan.steps[0].phase, RunPhase::kFirst);
  EXPECT_EQ(plan.steps[3].phase, RunPhase::kLast);
  EXPECT_TRUE(VerifyPlan(plan).ok());
}

// Adds 1 to a variable of the module, which the client reads back.
constexpr char kCounter[] = R"(
  .reg .b32 %v;
  ld.global.u32 %v, [counter];
  add.u32 %v, %v, 1;
  st.global.u32 [counter], %v;)";

GraphBuilder Counter() {
  GraphBuilder b;
  b.Output("y", ScalarType::kU32, {1})
      .Ptx("m", OneKernel("count", "", kCounter,
                          ".visible .global .align 4 .u32 counter = 100;\n"));
  b.Kernel("first", "m", "count").Grid(1).Block(1);
  b.Kernel("second", "m", "count").Grid(1).Block(1);
  b.Copy2D("read", {.name = "m", .symbol = "counter"}, {.name = "y"}, 4, 1);
  return b;
}

TEST(CompileTest, AVariableThatKernelsWriteIsResetBeforeThem) {
  const auto graph = Counter().Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto result = Compile(*graph);
  ASSERT_TRUE(result.ok()) << result.status();
  const Plan& plan = *result->plan;
  std::vector<std::string> names;
  for (const PlanStep& step : plan.steps) names.push_back(step.name);
  EXPECT_EQ(names, (std::vector<std::string>{"reset m::counter", "first",
                                             "second", "read", "download y"}));
  EXPECT_TRUE(plan.images[0].writes_variables);
  const auto& reset = std::get<MemcpyStep>(plan.steps[0].body);
  EXPECT_TRUE(plan.buffers[reset.src.index()].variable_image);
  const PlanBuffer& variable = plan.buffers[reset.dst.index()];
  EXPECT_EQ(variable.place, BufferPlace::kModuleVariable);
  EXPECT_EQ(variable.symbol, "counter");
  EXPECT_EQ(variable.size_bytes, 4u);
}

TEST(CompileTest, AVariableThatIsOnlyReadCostsNothing) {
  GraphBuilder b;
  b.Output("y", ScalarType::kU32, {1})
      .Ptx("m", OneKernel("k", "", "",
                          ".visible .global .align 4 .u32 table = 7;\n"));
  b.Copy2D("read", {.name = "m", .symbol = "table"}, {.name = "y"}, 4, 1);
  const auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto result = Compile(*graph);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->plan->steps.size(), 2u);
  EXPECT_FALSE(result->plan->images[0].writes_variables);
}

TEST(CompileTest, PtxIsLoadedWithExplicitRounding) {
  GraphBuilder b;
  b.Input("x", ScalarType::kF32, {1})
      .Output("y", ScalarType::kF32, {1})
      .Ptx("m", OneKernel("k", ".param .u64 p0, .param .u64 p1", R"(
  .reg .b64 %a, %b;
  .reg .f32 %v;
  ld.param.u64 %a, [p0];
  ld.param.u64 %b, [p1];
  ld.global.f32 %v, [%a];
  add.f32 %v, %v, %v;
  st.global.f32 [%b], %v;)"));
  b.Kernel("k", "m", "k").Grid(1).Block(1).Buffer("x").Buffer("y");
  const auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto result = Compile(*graph);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->plan->images[0].code, HasSubstr("add.rn.f32"));
}

TEST(CompileTest, OnlyImagesAndBuffersThatAreUsedAreInThePlan) {
  GraphBuilder b = ReluScale();
  b.Ptx("unused", ElementwiseModule({"other"}));
  b.Transient("idle", ScalarType::kF32, {8});
  const auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto result = Compile(*graph);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->plan->images.size(), 1u);
  for (const PlanBuffer& buffer : result->plan->buffers) {
    EXPECT_NE(buffer.name, "idle");
  }
}

// By CompileGraph for a device with `change` made to the plainest one.
absl::Status For(const std::function<void(DeviceDescription&)>& change,
                 GraphBuilder b) {
  const auto graph = b.Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  DeviceDescription device;
  change(device);
  return Compile(*graph, {}, device).status();
}

TEST(CompileTest, WhatADeviceCannotRunIsRefusedForIt) {
  const auto refused = [](const absl::Status& status, const char* text) {
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(status.message()), HasSubstr(text));
  };
  refused(For([](DeviceDescription& d) { d.max_threads_per_block = 128; },
              ReluScale()),
          "node \"relu\": a block has 256 threads; the device takes at most "
          "128");
  refused(For([](DeviceDescription& d) { d.max_grid[0] = 3; }, ReluScale()),
          "grid[0] is 4");
  refused(For([](DeviceDescription& d) { d.max_parameter_bytes = 16; },
              ReluScale()),
          "takes 20 bytes of parameters");
  GraphBuilder strange;
  strange.Output("y", ScalarType::kU32, {1})
      .Ptx("m", OneKernel("k", "", "  frobnicate.sync.b32;"));
  strange.Kernel("k", "m", "k").Grid(1).Block(1);
  strange.Fill("fill", "y", 0);
  GraphBuilder same = strange;
  refused(For([](DeviceDescription&) {}, strange), "frobnicate");
  EXPECT_TRUE(
      For([](DeviceDescription& d) { d.device_class = DeviceClass::kCuda; },
          same)
          .ok());
}

TEST(CompileTest, AnUnknownPassIsRefusedWithThoseThatThereAre) {
  const auto graph = ReluScale().Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  CompileOptions options;
  options.skip_passes = {"reduce-wait"};
  const auto result = Compile(*graph, options);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(
      std::string(result.status().message()),
      testing::AllOf(HasSubstr("\"reduce-wait\""), HasSubstr("reduce-waits")));
}

}  // namespace
}  // namespace graphd
