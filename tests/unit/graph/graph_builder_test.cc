#include "core/graph/graph_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphd {
namespace {

using testing::ElementsAre;

constexpr char kSource[] = "__global__ void relu(const float*, float*, int) {}";

TEST(GraphBuilderTest, TheWorkedExampleBuilds) {
  GraphBuilder b;
  b.Input("x", ScalarType::kF32, {1048576})
      .Transient("t", ScalarType::kF32, {1048576})
      .Output("y", ScalarType::kF32, {1048576})
      .CudaSource("kernels", kSource)
      .Parameter("a", Scalar::F32(0.5f));
  b.Kernel("relu", "kernels", "relu")
      .Grid(4096)
      .Block(256)
      .Buffer("x")
      .Buffer("t")
      .Value(Scalar::S32(1048576));
  b.Kernel("scale", "kernels", "scale")
      .Grid(4096)
      .Block(256)
      .Buffer("t")
      .Buffer("y")
      .Parameter("a")
      .Value(Scalar::S32(1048576));
  const auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->buffers.size(), 3u);
  EXPECT_EQ(graph->buffers[0].size_bytes, 4194304u);
  const auto& scale = std::get<KernelNode>(graph->nodes[1].body);
  EXPECT_EQ(std::get<ParameterArgument>(scale.args[2]).parameter,
            ParameterId(0));
  EXPECT_EQ(std::get<BufferArgument>(scale.args[1]).buffer, BufferId(2));
}

TEST(GraphBuilderTest, OrderIsSortedAndWithoutDuplicates) {
  GraphBuilder b;
  for (const char* name : {"a", "b", "c", "d"}) b.Empty(name);
  b.Chain({"a", "b", "d"});
  b.FanOut("a", {"b", "c"});
  b.FanIn({"c", "b"}, "d");
  b.Dep("a", "d");
  const auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_THAT(graph->nodes[0].after, ElementsAre());
  EXPECT_THAT(graph->nodes[1].after, ElementsAre(NodeId(0)));
  EXPECT_THAT(graph->nodes[2].after, ElementsAre(NodeId(0)));
  EXPECT_THAT(graph->nodes[3].after,
              ElementsAre(NodeId(0), NodeId(1), NodeId(2)));
}

TEST(GraphBuilderTest, AfterMayNameALaterNode) {
  GraphBuilder b;
  b.Empty("first").After("second");
  b.Empty("second").WithHints({.priority = 3});
  const auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_THAT(graph->nodes[0].after, ElementsAre(NodeId(1)));
  EXPECT_EQ(graph->nodes[1].hints.priority, 3);
}

TEST(GraphBuilderTest, EveryFindingComesAtOnceWithItsPath) {
  GraphBuilder b;
  b.Input("x", ScalarType::kF32, {4});
  b.Kernel("k", "m", "f")
      .GridParameter(0, "blocks")
      .Buffer("x")
      .Buffer("y")
      .Struct(std::string(8, '\0'), {{0, "z"}})
      .After("nobody");
  b.Copy("c", "x", "t", 16);
  b.Dep("k", "somebody");
  const auto graph = b.Build();
  EXPECT_EQ(graph.status().code(), absl::StatusCode::kInvalidArgument);
  std::vector<std::string> paths;
  for (const Violation& violation : b.violations().found()) {
    paths.push_back(violation.path);
  }
  EXPECT_THAT(paths,
              ElementsAre("nodes[0].module", "nodes[0].grid[0]",
                          "nodes[0].args[1]", "nodes[0].args[2].relocations[0]",
                          "nodes[1].dst.buffer", "nodes[0].after[0]", "order"));
}

TEST(GraphBuilderTest, NamesThatAreNotGivenAreGenerated) {
  GraphBuilder b;
  b.Input("x", ScalarType::kU8, {16}).Output("y", ScalarType::kU8, {16});
  b.Empty("");
  b.Empty("memcpy2");
  b.Copy("", "x", "y", 16);
  b.Fill("", "y", 7);
  const auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->nodes[0].name, "empty0");
  EXPECT_EQ(graph->nodes[2].name, "memcpy2_");
  EXPECT_EQ(graph->nodes[3].name, "memset3");
  EXPECT_EQ(std::get<MemsetNode>(graph->nodes[3].body).width, 16u);
}

TEST(GraphBuilderTest, CopiesTakeRowsAndSymbols) {
  GraphBuilder b;
  b.Input("x", ScalarType::kU8, {4, 8}).Output("y", ScalarType::kU8, {4, 6});
  b.Ptx("m", ".version 7.8");
  b.Copy2D("rows", {"x", 2, 8}, {"y", 0, 6}, 6, 4);
  b.Copy2D("symbol", {"x"}, {"m", 4, 0, "table"}, 8, 1);
  const auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto& rows = std::get<MemcpyNode>(graph->nodes[0].body);
  EXPECT_EQ(
      CopiedRange(rows, rows.src),
      (ByteRange{
          .offset_bytes = 2, .width_bytes = 6, .pitch_bytes = 8, .rows = 4}));
  const auto& symbol = std::get<MemcpyNode>(graph->nodes[1].body);
  EXPECT_EQ(std::get<ModuleSymbol>(symbol.dst.place).symbol, "table");
}

TEST(GraphBuilderTest, DeclaredAccessesCoverTheWholeBufferUnlessARangeIsGiven) {
  GraphBuilder b;
  b.Input("x", ScalarType::kF32, {4}).Output("y", ScalarType::kF32, {4});
  b.CudaSource("m", kSource);
  b.Kernel("k", "m", "f")
      .Buffer("x")
      .Buffer("y")
      .Accesses("x", AccessKind::kMayRead)
      .Accesses("y", AccessKind::kMustWrite,
                ByteRange{.offset_bytes = 8, .width_bytes = 8});
  b.Kernel("nothing", "m", "f").AccessesNothing();
  const auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto& kernel = std::get<KernelNode>(graph->nodes[0].body);
  EXPECT_TRUE(kernel.accesses_declared);
  EXPECT_EQ(kernel.accesses[0].range, (ByteRange{.width_bytes = 16}));
  EXPECT_EQ(kernel.accesses[1].range.offset_bytes, 8u);
  EXPECT_TRUE(std::get<KernelNode>(graph->nodes[1].body).accesses_declared);
}

}  // namespace
}  // namespace graphd
