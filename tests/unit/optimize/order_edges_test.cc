#include "core/optimize/order_edges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/graph/graph_builder.h"
#include "core/optimize/draft_builder.h"
#include "tests/unit/optimize/random_declared_graph.h"

namespace graphd {
namespace {

using testing::HasSubstr;

// By node: which of the graph's nodes come before it.
std::vector<std::vector<bool>> Closure(
    size_t size, const std::vector<std::vector<size_t>>& predecessors) {
  std::vector<std::vector<bool>> before(size, std::vector<bool>(size, false));
  std::vector<int> state(size, 0);
  const auto visit = [&](auto& self, size_t node) -> void {
    if (state[node] != 0) return;
    state[node] = 1;
    for (const size_t p : predecessors[node]) {
      self(self, p);
      before[node][p] = true;
      for (size_t i = 0; i < size; ++i) {
        if (before[p][i]) before[node][i] = true;
      }
    }
  };
  for (size_t i = 0; i < size; ++i) visit(visit, i);
  return before;
}

std::vector<std::vector<bool>> ClosureOfDraft(const Draft& draft) {
  std::vector<std::vector<size_t>> predecessors(draft.flow.size());
  for (size_t i = 0; i < draft.flow.size(); ++i) {
    for (const NodeId p : draft.flow.node(NodeId(i)).predecessors) {
      predecessors[i].push_back(p.index());
    }
  }
  return Closure(draft.flow.size(), predecessors);
}

// Every pair of nodes, every pair of accesses.
std::vector<std::vector<bool>> ClosureByDefinition(const Graph& graph) {
  std::vector<std::vector<size_t>> predecessors(graph.nodes.size());
  for (size_t later = 0; later < graph.nodes.size(); ++later) {
    for (const NodeId p : graph.nodes[later].after) {
      predecessors[later].push_back(p.index());
    }
    for (size_t earlier = 0; earlier < later; ++earlier) {
      if (Conflict(AccessesOfNode(graph, graph.nodes[earlier]),
                   AccessesOfNode(graph, graph.nodes[later]))) {
        predecessors[later].push_back(earlier);
      }
    }
  }
  return Closure(graph.nodes.size(), predecessors);
}

TEST(OrderEdgesTest, OrderIsThatOfEveryPairOfConflictingAccesses) {
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    const Graph graph = RandomDeclaredGraph(
        {.seed = seed, .nodes = 24, .buffers = 1 + uint32_t(seed % 7)});
    Draft draft(graph, DeviceDescription(), CompileOptions());
    ASSERT_TRUE(MakeDeclaredDraft(draft).ok());
    const auto expected = ClosureByDefinition(graph);
    const auto found = ClosureOfDraft(draft);
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      for (size_t j = 0; j < graph.nodes.size(); ++j) {
        ASSERT_EQ(expected[i][j], found[i][j])
            << "seed " << seed << ": n" << j << " before n" << i;
      }
    }
  }
}

GraphBuilder Buffers() {
  GraphBuilder b;
  b.Input("x", ScalarType::kF32, {16})
      .Transient("t", ScalarType::kF32, {16})
      .Output("y", ScalarType::kF32, {16})
      .Ptx("m", ".version 7.0\n.target sm_75\n.address_size 64\n");
  return b;
}

KernelFields Kernel(GraphBuilder& b, const std::string& name) {
  return b.Kernel(name, "m", "k").Grid(1).Block(1);
}

absl::Status Build(GraphBuilder& b) {
  const auto graph = b.Build();
  if (!graph.ok()) return graph.status();
  Draft draft(*graph, DeviceDescription(), CompileOptions());
  return MakeDeclaredDraft(draft);
}

// Two writes, each followed by its own reader, on one buffer.
TEST(OrderEdgesTest, WriteReadWriteReadRunsInThatOrder) {
  GraphBuilder b = Buffers();
  Kernel(b, "w1").Accesses("t", AccessKind::kMustWrite);
  Kernel(b, "r1")
      .Accesses("t", AccessKind::kMayRead)
      .Accesses("y", AccessKind::kMustWrite, ByteRange{0, 32});
  Kernel(b, "w2").Accesses("t", AccessKind::kMustWrite);
  Kernel(b, "r2")
      .Accesses("t", AccessKind::kMayRead)
      .Accesses("y", AccessKind::kMustWrite, ByteRange{32, 32});
  const auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  Draft draft(*graph, DeviceDescription(), CompileOptions());
  ASSERT_TRUE(MakeDeclaredDraft(draft).ok());
  const auto before = ClosureOfDraft(draft);
  for (size_t i = 0; i < 4; ++i) {
    for (size_t j = 0; j < 4; ++j) EXPECT_EQ(before[i][j], j < i);
  }
}

TEST(OrderEdgesTest, ARaceNamesBothNodesTheBufferAndTheBytes) {
  GraphBuilder b = Buffers();
  b.Order(GraphOrder::kExplicit);
  Kernel(b, "fill").Accesses("y", AccessKind::kMustWrite);
  Kernel(b, "refill").Accesses("y", AccessKind::kMustWrite, ByteRange{16, 32});
  const absl::Status status = Build(b);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(
      std::string(status.message()),
      HasSubstr("nodes[1].after: race: nodes \"fill\" and \"refill\" both "
                "write bytes 16..47 of buffer \"y\""));
}

TEST(OrderEdgesTest, APathThroughOthersIsNoRace) {
  GraphBuilder b = Buffers();
  b.Order(GraphOrder::kExplicit);
  Kernel(b, "fill").Accesses("y", AccessKind::kMustWrite);
  b.Empty("between").After("fill");
  Kernel(b, "refill").Accesses("y", AccessKind::kMustWrite).After("between");
  EXPECT_TRUE(Build(b).ok()) << Build(b);
}

TEST(OrderEdgesTest, DisjointRowsOfOneBufferAreNoRace) {
  GraphBuilder b = Buffers();
  b.Order(GraphOrder::kExplicit);
  b.Fill("all", "y", 0);
  Kernel(b, "even")
      .Accesses("y", AccessKind::kMustWrite, ByteRange{0, 8, 16, 4})
      .After("all");
  Kernel(b, "odd")
      .Accesses("y", AccessKind::kMustWrite, ByteRange{8, 8, 16, 4})
      .After("all");
  EXPECT_TRUE(Build(b).ok());
}

TEST(OrderEdgesTest, ADeclaredReadOfUndefinedBytesIsRefused) {
  GraphBuilder b = Buffers();
  Kernel(b, "half").Accesses("t", AccessKind::kMayWrite, ByteRange{0, 32});
  Kernel(b, "use")
      .Accesses("t", AccessKind::kMayRead)
      .Accesses("y", AccessKind::kMustWrite);
  const absl::Status status = Build(b);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("node \"use\" reads bytes 0..63 of buffer \"t\", but "
                        "no earlier node writes bytes 32..63"));
}

TEST(OrderEdgesTest, AnOutputThatIsWrittenInPartStartsAsZeros) {
  GraphBuilder b = Buffers();
  Kernel(b, "half").Accesses("y", AccessKind::kMustWrite, ByteRange{0, 32});
  const auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  Draft draft(*graph, DeviceDescription(), CompileOptions());
  ASSERT_TRUE(MakeDeclaredDraft(draft).ok());
  ASSERT_EQ(draft.nodes.size(), 2u);
  EXPECT_EQ(draft.nodes[1].name, "zero y");
  EXPECT_EQ(draft.flow.node(NodeId(0)).predecessors[0], NodeId(1));
  ASSERT_EQ(draft.explanation.warnings.size(), 1u);
}

TEST(OrderEdgesTest, AfterAgainstAnAccessIsACycle) {
  GraphBuilder b = Buffers();
  Kernel(b, "first").Accesses("y", AccessKind::kMustWrite).After("second");
  Kernel(b, "second").Accesses("y", AccessKind::kMustWrite);
  const absl::Status status = Build(b);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("cycle"));
}

}  // namespace
}  // namespace graphd
