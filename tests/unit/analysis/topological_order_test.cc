#include "core/analysis/topological_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace graphd {
namespace {

using ::testing::ElementsAre;

FlowGraph Make(const std::vector<std::vector<size_t>>& predecessors,
               const std::vector<uint64_t>& costs = {}) {
  FlowGraph flow;
  for (size_t i = 0; i < predecessors.size(); ++i) {
    FlowGraph::FlowNode node;
    for (size_t p : predecessors[i]) node.predecessors.push_back(NodeId(p));
    if (!costs.empty()) node.cost_ns = costs[i];
    flow.Add(std::move(node));
  }
  return flow;
}

TEST(TopologicalOrderTest, NodesThatAreReadyAtOnceComeInDeclarationOrder) {
  const TopologicalOrder order(Make({{}, {3}, {}, {}}));
  EXPECT_THAT(order.order(),
              ElementsAre(NodeId(0), NodeId(2), NodeId(3), NodeId(1)));
}

TEST(TopologicalOrderTest, TimesFollowTheLongestPath) {
  // 0 -> 1 -> 3 and 0 -> 2 -> 3, where 2 is the slow branch.
  const TopologicalOrder order(Make({{}, {0}, {0}, {1, 2}}, {10, 5, 20, 1}));
  EXPECT_EQ(order.critical_path_ns(), 31u);
  EXPECT_EQ(order.asap_ns(NodeId(3)), 30u);
  EXPECT_EQ(order.slack_ns(NodeId(1)), 15u);
  EXPECT_EQ(order.slack_ns(NodeId(2)), 0u);
  EXPECT_EQ(order.b_level_ns(NodeId(0)), 31u);
  EXPECT_EQ(order.level(NodeId(3)), 2u);
  EXPECT_EQ(order.width(), 2u);
}

TEST(TopologicalOrderTest, ACycleIsNotComplete) {
  EXPECT_FALSE(TopologicalOrder(Make({{1}, {0}, {}})).complete());
  EXPECT_TRUE(TopologicalOrder(Make({{}, {0}, {}})).complete());
}

TEST(TopologicalOrderTest, RemovedNodesAreLeftOut) {
  FlowGraph flow = Make({{}, {}, {0}});
  flow.Edit(NodeId(1)).removed = true;
  const TopologicalOrder order(flow);
  EXPECT_TRUE(order.complete());
  EXPECT_THAT(order.order(), ElementsAre(NodeId(0), NodeId(2)));
}

TEST(TopologicalOrderTest, EveryNodeComesAfterItsPredecessors) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::vector<size_t>> predecessors(60);
    std::vector<size_t> shuffled(60);
    for (size_t i = 0; i < 60; ++i) shuffled[i] = i;
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    for (size_t i = 1; i < 60; ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (random() % 20 == 0)
          predecessors[shuffled[i]].push_back(shuffled[j]);
      }
    }
    const TopologicalOrder order(Make(predecessors));
    ASSERT_EQ(order.order().size(), 60u);
    for (size_t i = 0; i < 60; ++i) {
      for (size_t p : predecessors[i]) {
        EXPECT_LT(order.position(NodeId(p)), order.position(NodeId(i)));
      }
    }
  }
}

TEST(TopologicalOrderTest, AChainOfAHundredThousandNodesIsNoDeepRecursion) {
  FlowGraph flow;
  for (size_t i = 0; i < 100000; ++i) {
    FlowGraph::FlowNode node;
    if (i > 0) node.predecessors.push_back(NodeId(i - 1));
    flow.Add(std::move(node));
  }
  const TopologicalOrder order(flow);
  EXPECT_EQ(order.level(NodeId(99999)), 99999u);
}

}  // namespace
}  // namespace graphd
