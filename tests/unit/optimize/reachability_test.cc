#include "core/optimize/reachability.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>

namespace graphd {
namespace {

TEST(ReachabilityTest, AgreesWithTheClosureOnRandomGraphs) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    const size_t size = 150;
    FlowGraph flow;
    std::vector<std::vector<bool>> before(size, std::vector<bool>(size, false));
    for (size_t i = 0; i < size; ++i) {
      FlowGraph::FlowNode node;
      for (size_t j = 0; j < i; ++j) {
        if (random() % 60 != 0) continue;
        node.predecessors.push_back(NodeId(j));
        before[i][j] = true;
        for (size_t k = 0; k < size; ++k) {
          if (before[j][k]) before[i][k] = true;
        }
      }
      flow.Add(std::move(node));
    }
    std::vector<Pair> pairs;
    for (size_t i = 0; i < size; ++i) {
      for (size_t j = 0; j < size; ++j) {
        if (i != j) pairs.push_back({NodeId(j), NodeId(i)});
      }
    }
    const auto ordered = AreOrdered(flow, TopologicalOrder(flow), pairs);
    for (size_t i = 0; i < pairs.size(); ++i) {
      ASSERT_EQ(ordered[i],
                before[pairs[i].after.index()][pairs[i].before.index()]);
    }
  }
}

TEST(ReachabilityTest, ACycleIsFoundBehindNodesThatLeadToIt) {
  FlowGraph flow;
  for (int i = 0; i < 5; ++i) flow.Add({});
  flow.AddEdge(NodeId(0), NodeId(1));
  flow.AddEdge(NodeId(3), NodeId(1));
  flow.AddEdge(NodeId(1), NodeId(2));
  flow.AddEdge(NodeId(2), NodeId(3));
  flow.AddEdge(NodeId(3), NodeId(4));
  const auto cycle = FindCycle(flow, TopologicalOrder(flow));
  ASSERT_EQ(cycle.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    const auto& list = flow.node(cycle[(i + 1) % 3]).predecessors;
    EXPECT_NE(std::find(list.begin(), list.end(), cycle[i]), list.end());
  }
}

TEST(ReachabilityTest, WithoutACycleNoneIsFound) {
  FlowGraph flow;
  flow.Add({});
  EXPECT_TRUE(FindCycle(flow, TopologicalOrder(flow)).empty());
}

}  // namespace
}  // namespace graphd
