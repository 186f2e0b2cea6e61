#include "core/analysis/liveness.h"

#include <gtest/gtest.h>

#include <utility>

namespace graphd {
namespace {

// Nodes one after the other; "r" and "w" with a buffer each.
FlowGraph Chain(
    const std::vector<std::vector<std::pair<char, size_t>>>& nodes) {
  FlowGraph flow;
  for (size_t i = 0; i < nodes.size(); ++i) {
    FlowGraph::FlowNode node;
    if (i > 0) node.predecessors.push_back(NodeId(i - 1));
    for (const auto& [kind, buffer] : nodes[i]) {
      node.accesses.push_back(
          {BufferId(buffer),
           {.width_bytes = 4},
           kind == 'w' ? AccessKind::kMustWrite : AccessKind::kMayRead});
    }
    flow.Add(std::move(node));
  }
  return flow;
}

constexpr BufferId kB(0);
constexpr BufferId kC(1);

TEST(LivenessTest, ABufferLivesFromItsFirstUseToItsLast) {
  const Liveness liveness(
      Chain({{{'w', 0}}, {{'r', 0}, {'w', 1}}, {{'r', 1}}}));
  ASSERT_EQ(liveness.uses(kB).size(), 2u);
  EXPECT_EQ(liveness.uses(kC)[0].position, 1u);
  EXPECT_TRUE(liveness.Interfere(kB, false, kC, false));
}

TEST(LivenessTest, BuffersThatFollowEachOtherDoNotInterfere) {
  const Liveness liveness(
      Chain({{{'w', 0}}, {{'r', 0}}, {{'w', 1}}, {{'r', 1}}}));
  EXPECT_FALSE(liveness.Interfere(kB, false, kC, false));
  // Unless the first is wanted at the end.
  EXPECT_TRUE(liveness.Interfere(kB, true, kC, false));
  EXPECT_FALSE(liveness.Interfere(kB, false, kC, true));
}

TEST(LivenessTest, AWriteAfterTheReadsKeepsTheBufferAlive) {
  // w B, r B, w C, w B, r C
  const Liveness liveness(
      Chain({{{'w', 0}}, {{'r', 0}}, {{'w', 1}}, {{'w', 0}}, {{'r', 1}}}));
  EXPECT_TRUE(liveness.Interfere(kB, false, kC, false));
  EXPECT_EQ(liveness.Definitions(kB),
            (std::vector<NodeId>{NodeId(0), NodeId(3)}));
  EXPECT_EQ(liveness.LastUses(kB), std::vector<NodeId>{NodeId(3)});
}

TEST(LivenessTest, UnreadAndLiveInAreTold) {
  const Liveness liveness(Chain({{{'r', 1}}, {{'w', 0}}, {{'w', 1}}}));
  EXPECT_TRUE(liveness.IsUnread(kB));
  EXPECT_FALSE(liveness.IsUnread(kC));
  EXPECT_TRUE(liveness.IsLiveIn(kC));
  EXPECT_FALSE(liveness.IsLiveIn(kB));
  EXPECT_TRUE(liveness.uses(BufferId(7)).empty());
  EXPECT_FALSE(liveness.Interfere(kB, true, BufferId(7), true));
}

}  // namespace
}  // namespace graphd
