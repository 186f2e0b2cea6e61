#include "core/optimize/stage_io.h"

#include <gtest/gtest.h>

#include "core/optimize/reachability.h"
#include "tests/unit/optimize/flow_draft.h"

namespace graphd {
namespace {

TEST(StageIoTest, CopiesStandBetweenTheClientsBytesAndTheNodes) {
  FlowDraft f;
  f.Buffer("x", BufferRole::kInput, 64);
  f.Buffer("y", BufferRole::kOutput, 64);
  f.Kernel("k", {"x"}, {"y"});
  Draft& draft = f.Build();
  ASSERT_TRUE(StageIo(draft, f.facts()).ok());
  ASSERT_EQ(draft.inputs.size(), 1u);
  ASSERT_EQ(draft.outputs.size(), 1u);
  const PlanBuffer& in = draft.buffers[draft.inputs[0].buffer.index()].plan;
  EXPECT_EQ(in.name, "x (host)");
  EXPECT_EQ(in.place, BufferPlace::kHostArena);
  const NodeId up = f.Find("upload x");
  const NodeId down = f.Find("download y");
  EXPECT_EQ(draft.nodes[up.index()].phase, RunPhase::kFirst);
  EXPECT_EQ(draft.nodes[down.index()].phase, RunPhase::kLast);
  EXPECT_TRUE(draft.flow.node(up).predecessors.empty());
  EXPECT_EQ(AreOrdered(draft.flow, TopologicalOrder(draft.flow),
                       {{up, f.Find("k")}, {f.Find("k"), down}}),
            (std::vector<bool>{true, true}));
}

TEST(StageIoTest, AnInputThatNodesWriteIsUploadedEachTime) {
  FlowDraft f;
  f.Buffer("x", BufferRole::kInput, 64);
  f.Buffer("y", BufferRole::kOutput, 64);
  f.Kernel("update", {"x"}, {"x"});
  f.Kernel("k", {"x"}, {"y"});
  Draft& draft = f.Build();
  ASSERT_TRUE(StageIo(draft, f.facts()).ok());
  EXPECT_EQ(draft.nodes[f.Find("upload x").index()].phase, RunPhase::kEvery);
}

TEST(StageIoTest, HostBuffersAreBoundAsTheyAre) {
  FlowDraft f;
  f.Buffer("x", BufferRole::kInput, 64, MemorySpace::kHost);
  f.Buffer("t", BufferRole::kTransient, 64);
  f.Buffer("y", BufferRole::kOutput, 64, MemorySpace::kHost);
  const auto copy = [&](const std::string& name, size_t src, size_t dst) {
    MemcpyNode body;
    body.src.place = BufferId(src);
    body.dst.place = BufferId(dst);
    body.width_bytes = 64;
    Node node;
    node.name = name;
    node.body = body;
    f.Node(node);
  };
  copy("in", 0, 1);
  copy("out", 1, 2);
  Draft& draft = f.Build();
  ASSERT_TRUE(StageIo(draft, f.facts()).ok());
  EXPECT_EQ(draft.nodes.size(), 2u);
  EXPECT_EQ(draft.inputs[0].buffer, BufferId(0));
  EXPECT_EQ(draft.outputs[0].buffer, BufferId(2));
}

TEST(StageIoTest, AnInputThatNobodyUsesIsBoundAndNotCopied) {
  FlowDraft f;
  f.Buffer("x", BufferRole::kInput, 64);
  f.Buffer("unused", BufferRole::kInput, 64);
  f.Buffer("y", BufferRole::kOutput, 64);
  f.Kernel("k", {"x"}, {"y"});
  Draft& draft = f.Build();
  ASSERT_TRUE(StageIo(draft, f.facts()).ok());
  EXPECT_EQ(draft.inputs.size(), 2u);
  EXPECT_EQ(draft.nodes.size(), 3u);
}

TEST(StageIoTest, ACopyTakesNoNameThatANodeHas) {
  FlowDraft f;
  f.Buffer("x", BufferRole::kInput, 64);
  f.Buffer("y", BufferRole::kOutput, 64);
  f.Kernel("upload x", {"x"}, {"y"});
  Draft& draft = f.Build();
  ASSERT_TRUE(StageIo(draft, f.facts()).ok());
  EXPECT_EQ(draft.nodes[1].name, "upload x_");
}

}  // namespace
}  // namespace graphd
