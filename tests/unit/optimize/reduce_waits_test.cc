#include "core/optimize/reduce_waits.h"

#include <gtest/gtest.h>

#include "tests/unit/optimize/flow_draft.h"

namespace graphd {
namespace {

TEST(ReduceWaitsTest, AWaitThatAnotherCoversGoes) {
  // a and c on stream 0, d on stream 1 after both: c covers a.
  FlowDraft f;
  for (const char* name : {"a", "c", "d"}) {
    f.Buffer(name, BufferRole::kOutput, 64);
  }
  const NodeId a = f.Kernel("a", {}, {"a"});
  const NodeId c = f.Kernel("c", {"a"}, {"c"});
  const NodeId d = f.Kernel("d", {"a", "c"}, {"d"});
  Draft& draft = f.Build();
  draft.issue_order = {a, c, d};
  draft.streams = {StreamId(0), StreamId(0), StreamId(1)};
  draft.stream_count = 2;
  ASSERT_TRUE(ReduceWaits(draft, f.facts()).ok());
  EXPECT_EQ((*draft.waits)[d.index()], FlowGraph::NodeList{c});
  EXPECT_TRUE((*draft.waits)[c.index()].empty());
}

TEST(ReduceWaitsTest, AWaitThatGoesThroughAnotherStreamCoversToo) {
  // a (0) → b (1) → c (2); c also reads a.
  FlowDraft f;
  for (const char* name : {"a", "b", "c"}) {
    f.Buffer(name, BufferRole::kOutput, 64);
  }
  const NodeId a = f.Kernel("a", {}, {"a"});
  const NodeId b = f.Kernel("b", {"a"}, {"b"});
  const NodeId c = f.Kernel("c", {"a", "b"}, {"c"});
  Draft& draft = f.Build();
  draft.issue_order = {a, b, c};
  draft.streams = {StreamId(0), StreamId(1), StreamId(2)};
  draft.stream_count = 3;
  ASSERT_TRUE(ReduceWaits(draft, f.facts()).ok());
  EXPECT_EQ((*draft.waits)[b.index()], FlowGraph::NodeList{a});
  EXPECT_EQ((*draft.waits)[c.index()], FlowGraph::NodeList{b});
}

}  // namespace
}  // namespace graphd
