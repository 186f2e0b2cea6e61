#include "core/analysis/dominance.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

namespace graphd {
namespace {

FlowGraph Make(const std::vector<std::vector<size_t>>& predecessors) {
  FlowGraph flow;
  for (const std::vector<size_t>& before : predecessors) {
    FlowGraph::FlowNode node;
    for (size_t p : before) node.predecessors.push_back(NodeId(p));
    flow.Add(std::move(node));
  }
  return flow;
}

TEST(DominanceTest, TheForkDominatesAndTheJoinPostDominatesADiamond) {
  const Dominance dominance(Make({{}, {0}, {0}, {1, 2}}));
  EXPECT_EQ(dominance.immediate_dominator(NodeId(3)), NodeId(0));
  EXPECT_EQ(dominance.immediate_post_dominator(NodeId(0)), NodeId(3));
  EXPECT_TRUE(dominance.Dominates(NodeId(0), NodeId(3)));
  EXPECT_FALSE(dominance.Dominates(NodeId(1), NodeId(3)));
  EXPECT_TRUE(dominance.PostDominates(NodeId(3), NodeId(1)));
  EXPECT_FALSE(dominance.PostDominates(NodeId(1), NodeId(0)));
}

TEST(DominanceTest, NodesBelowTwoRootsHaveNoDominatorButThemselves) {
  const Dominance dominance(Make({{}, {}, {0, 1}}));
  EXPECT_FALSE(dominance.immediate_dominator(NodeId(2)).valid());
  EXPECT_TRUE(dominance.Dominates(NodeId(2), NodeId(2)));
  EXPECT_FALSE(dominance.Dominates(NodeId(0), NodeId(2)));
}

// By node: whether a root reaches it when `without` is taken out. This is the
// definition of dominance, by search.
std::vector<bool> Reached(const std::vector<std::vector<size_t>>& predecessors,
                          size_t without) {
  std::vector<bool> reached(predecessors.size(), false);
  for (size_t i = 0; i < predecessors.size(); ++i) {
    if (i == without) continue;
    reached[i] = predecessors[i].empty();
    for (size_t p : predecessors[i]) {
      if (reached[p]) reached[i] = true;
    }
  }
  return reached;
}

TEST(DominanceTest, AgreesWithTheDefinitionOnRandomGraphs) {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    const size_t size = 2 + random() % 40;
    std::vector<std::vector<size_t>> predecessors(size);
    std::vector<std::vector<size_t>> mirrored(size);
    for (size_t i = 1; i < size; ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (random() % 6 != 0) continue;
        predecessors[i].push_back(j);
        mirrored[size - 1 - j].push_back(size - 1 - i);
      }
    }
    const Dominance dominance(Make(predecessors));
    for (size_t a = 0; a < size; ++a) {
      const std::vector<bool> forward = Reached(predecessors, a);
      const std::vector<bool> backward = Reached(mirrored, size - 1 - a);
      for (size_t b = 0; b < size; ++b) {
        EXPECT_EQ(dominance.Dominates(NodeId(a), NodeId(b)),
                  a == b || !forward[b]);
        EXPECT_EQ(dominance.PostDominates(NodeId(a), NodeId(b)),
                  a == b || !backward[size - 1 - b]);
      }
    }
  }
}

TEST(DominanceTest, ADeepChainWithSkipsToTheRootIsDominatedByTheRoot) {
  constexpr size_t kNodes = 200000;
  FlowGraph flow;
  flow.Add({});
  for (size_t i = 1; i < kNodes; ++i) {
    FlowGraph::FlowNode node;
    node.predecessors.push_back(NodeId(i - 1));
    if (i % 2 == 0) node.predecessors.push_back(NodeId(0));
    flow.Add(std::move(node));
  }
  const Dominance dominance(flow);
  EXPECT_EQ(dominance.immediate_dominator(NodeId(kNodes - 2)), NodeId(0));
  EXPECT_EQ(dominance.immediate_dominator(NodeId(kNodes - 1)),
            NodeId(kNodes - 2));
}

}  // namespace
}  // namespace graphd
