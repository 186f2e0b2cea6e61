// The graph of dependencies that analyses read: nodes with predecessors, costs
// and accesses.
//
// A Draft (core/optimize/draft.h) owns one. Every change counts an edit;
// AnalysisCache throws away what it computed from an older count.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_ANALYSIS_FLOW_GRAPH_H_
#define GRAPHD_CORE_ANALYSIS_FLOW_GRAPH_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/base/ids.h"
#include "core/graph/graph.h"

namespace graphd {

class FlowGraph {
 public:
  using NodeList = absl::InlinedVector<NodeId, 3>;
  using AccessList = absl::InlinedVector<Access, 3>;

  struct FlowNode {
    NodeList predecessors;  // no duplicates, no self
    AccessList accesses;
    uint64_t cost_ns = 1000;
    bool removed =
        false;  // dead; has no predecessors and is nobody's predecessor
  };

  NodeId Add(FlowNode node) {
    ++edits_;
    nodes_.push_back(std::move(node));
    return NodeId(nodes_.size() - 1);
  }
  // For a pass that changes a node; counts as an edit.
  FlowNode& Edit(NodeId id) {
    ++edits_;
    return nodes_[id.index()];
  }
  // Adds `before` to the predecessors of `after` unless it is there.
  void AddEdge(NodeId before, NodeId after);

  const FlowNode& node(NodeId id) const { return nodes_[id.index()]; }
  size_t size() const { return nodes_.size(); }  // removed nodes included
  uint64_t edits() const { return edits_; }
  void Reserve(size_t nodes) { nodes_.reserve(nodes); }

 private:
  std::vector<FlowNode> nodes_;
  uint64_t edits_ = 0;
};

}  // namespace graphd

#endif  // GRAPHD_CORE_ANALYSIS_FLOW_GRAPH_H_
