#include "core/optimize/remove_dead_nodes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/optimize/reachability.h"
#include "tests/unit/optimize/flow_draft.h"

namespace graphd {
namespace {

bool IsDead(const FlowDraft& f, Draft& draft, const std::string& name) {
  return draft.flow.node(f.Find(name)).removed;
}

FlowDraft WithBuffers() {
  FlowDraft f;
  f.Buffer("x", BufferRole::kInput, 64);
  f.Buffer("t", BufferRole::kTransient, 64);
  f.Buffer("u", BufferRole::kTransient, 64);
  f.Buffer("y", BufferRole::kOutput, 64);
  return f;
}

Node Empty(const std::string& name, std::vector<NodeId> after) {
  Node node;
  node.name = name;
  node.body = EmptyNode{};
  node.after = std::move(after);
  return node;
}

TEST(RemoveDeadNodesTest, WhatNoOutputDependsOnGoes) {
  FlowDraft f = WithBuffers();
  f.Kernel("keep", {"x"}, {"y"});
  f.Kernel("dead1", {"x"}, {"t"});
  f.Kernel("dead2", {"t"}, {"u"});
  Draft& draft = f.Build();
  ASSERT_TRUE(RemoveDeadNodes(draft, f.facts()).ok());
  EXPECT_FALSE(IsDead(f, draft, "keep"));
  EXPECT_TRUE(IsDead(f, draft, "dead1"));
  EXPECT_TRUE(IsDead(f, draft, "dead2"));
  EXPECT_EQ(draft.dead_nodes.size(), 2u);
}

TEST(RemoveDeadNodesTest, AWriteThatASecondOneCoversGoes) {
  FlowDraft f = WithBuffers();
  f.Kernel("first", {"x"}, {"y"});
  f.Kernel("second", {"x"}, {"y"});
  Draft& draft = f.Build();
  ASSERT_TRUE(RemoveDeadNodes(draft, f.facts()).ok());
  EXPECT_TRUE(IsDead(f, draft, "first"));
  EXPECT_FALSE(IsDead(f, draft, "second"));
}

TEST(RemoveDeadNodesTest, AFillUnderAMayWriteStays) {
  FlowDraft f = WithBuffers();
  f.Kernel("fill", {}, {"y"});
  f.Kernel("maybe", {"x"}, {"y"}, 1000, AccessKind::kMayWrite);
  Draft& draft = f.Build();
  ASSERT_TRUE(RemoveDeadNodes(draft, f.facts()).ok());
  EXPECT_FALSE(IsDead(f, draft, "fill"));
  EXPECT_FALSE(IsDead(f, draft, "maybe"));
}

TEST(RemoveDeadNodesTest, WhatAReaderNeedsStaysThoughItIsOverwrittenLater) {
  FlowDraft f = WithBuffers();
  f.Kernel("w1", {"x"}, {"t"});
  f.Kernel("r1", {"t"}, {"y"});
  f.Kernel("w2", {"x"}, {"t"});
  Draft& draft = f.Build();
  ASSERT_TRUE(RemoveDeadNodes(draft, f.facts()).ok());
  EXPECT_FALSE(IsDead(f, draft, "w1"));
  EXPECT_FALSE(IsDead(f, draft, "r1"));
  EXPECT_TRUE(IsDead(f, draft, "w2"));
}

TEST(RemoveDeadNodesTest, OrderThroughADeadNodeIsKept) {
  FlowDraft f = WithBuffers();
  const NodeId a = f.Kernel("a", {"x"}, {"y"}, 1000, AccessKind::kMayWrite);
  Node middle;
  middle.name = "dead";
  middle.body = KernelNode{};
  std::get<KernelNode>(middle.body).module = ModuleId(0);
  std::get<KernelNode>(middle.body).accesses_declared = true;
  middle.after = {a};
  const NodeId dead = f.Node(middle);
  f.Buffer("z", BufferRole::kOutput, 64);
  const NodeId b = f.Kernel("b", {"x"}, {"z"});
  const NodeId e = f.Node(Empty("order", {dead}));
  Node last;
  last.name = "last";
  last.body = KernelNode{};
  std::get<KernelNode>(last.body).module = ModuleId(0);
  std::get<KernelNode>(last.body).accesses_declared = true;
  std::get<KernelNode>(last.body).accesses = {
      {BufferId(4), {.width_bytes = 64}, AccessKind::kMayWrite}};
  last.after = {e};
  const NodeId l = f.Node(last);
  Draft& draft = f.Build();
  ASSERT_TRUE(RemoveDeadNodes(draft, f.facts()).ok());
  EXPECT_TRUE(IsDead(f, draft, "dead"));
  // The barrier has someone behind it, so it stays.
  EXPECT_FALSE(IsDead(f, draft, "order"));
  EXPECT_EQ(AreOrdered(draft.flow, TopologicalOrder(draft.flow),
                       {{a, l}, {b, l}, {a, b}}),
            (std::vector<bool>{true, true, false}));
}

TEST(RemoveDeadNodesTest, ADeadNodeBehindManyBecomesABarrier) {
  FlowDraft f = WithBuffers();
  Node dead;
  dead.name = "dead";
  dead.body = KernelNode{};
  std::get<KernelNode>(dead.body).module = ModuleId(0);
  std::get<KernelNode>(dead.body).accesses_declared = true;
  for (int i = 0; i < 50; ++i) {
    const std::string y = absl::StrCat("y", i);
    f.Buffer(y, BufferRole::kOutput, 64);
    dead.after.push_back(f.Kernel(absl::StrCat("k", i), {"x"}, {y}));
  }
  const NodeId id = f.Node(dead);
  const NodeId last = f.Kernel("last", {"x"}, {"y"});
  Draft& draft = f.Build();
  draft.flow.AddEdge(id, last);
  ASSERT_TRUE(RemoveDeadNodes(draft, f.facts()).ok());
  EXPECT_FALSE(draft.flow.node(id).removed);
  EXPECT_TRUE(std::holds_alternative<EmptyStep>(draft.nodes[id.index()].body));
  EXPECT_TRUE(draft.nodes[id.index()].covers.empty());
  EXPECT_EQ(draft.dead_nodes, std::vector<NodeId>{id});
}

}  // namespace
}  // namespace graphd
