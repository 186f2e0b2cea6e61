#include "core/analysis/analysis_cache.h"

#include <gtest/gtest.h>

#include <utility>

namespace graphd {
namespace {

TEST(AnalysisCacheTest, AFactLastsUntilTheNextEdit) {
  FlowGraph flow;
  flow.Add({});
  flow.Add({});
  AnalysisCache facts(flow);
  const TopologicalOrder* first = &facts.topological_order();
  EXPECT_EQ(first, &facts.topological_order());
  EXPECT_EQ(first->level(NodeId(1)), 0u);
  flow.AddEdge(NodeId(0), NodeId(1));
  EXPECT_EQ(facts.topological_order().level(NodeId(1)), 1u);
}

TEST(AnalysisCacheTest, AnEdgeThatIsThereAlreadyIsNoEdit) {
  FlowGraph flow;
  flow.Add({});
  flow.Add({});
  flow.AddEdge(NodeId(0), NodeId(1));
  const uint64_t edits = flow.edits();
  flow.AddEdge(NodeId(0), NodeId(1));
  EXPECT_EQ(flow.edits(), edits);
  EXPECT_EQ(flow.node(NodeId(1)).predecessors.size(), 1u);
}

}  // namespace
}  // namespace graphd
