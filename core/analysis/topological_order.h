// One stable topological order of a FlowGraph, with levels, times and the
// critical path.
//
// Nodes that are ready at once come in declaration order. Times take unlimited
// parallelism: ASAP is the earliest start, ALAP the latest start that does not
// lengthen the critical path, the b-level is the longest path from a node to a
// sink, itself included.
//
// Thread safety: immutable.
#ifndef GRAPHD_CORE_ANALYSIS_TOPOLOGICAL_ORDER_H_
#define GRAPHD_CORE_ANALYSIS_TOPOLOGICAL_ORDER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/analysis/flow_graph.h"
#include "core/base/ids.h"

namespace graphd {

class TopologicalOrder {
 public:
  // Requires: no cycle among the live nodes (Validate refuses cycles; passes
  // keep the graph acyclic). When there is one, `complete` is false and the
  // order lacks its nodes.
  explicit TopologicalOrder(const FlowGraph& flow);

  bool complete() const { return complete_; }
  const std::vector<NodeId>& order() const { return order_; }  // live nodes
  uint32_t position(NodeId id) const { return position_[id.index()]; }
  absl::Span<const NodeId> successors(NodeId id) const {
    return absl::MakeConstSpan(successors_)
        .subspan(begin_[id.index()],
                 begin_[id.index() + 1] - begin_[id.index()]);
  }
  uint32_t level(NodeId id) const {
    return level_[id.index()];
  }  // longest path from a root, in nodes
  uint64_t asap_ns(NodeId id) const { return asap_[id.index()]; }
  uint64_t b_level_ns(NodeId id) const { return b_level_[id.index()]; }
  uint64_t alap_ns(NodeId id) const {
    return critical_path_ns_ - b_level_[id.index()];
  }
  uint64_t slack_ns(NodeId id) const { return alap_ns(id) - asap_ns(id); }
  uint64_t critical_path_ns() const { return critical_path_ns_; }
  // Most nodes on one level.
  uint32_t width() const { return width_; }

 private:
  void Sort(const FlowGraph& flow);
  void Time(const FlowGraph& flow);

  bool complete_ = true;
  std::vector<NodeId> order_;
  std::vector<uint32_t> position_;
  std::vector<uint32_t> begin_;  // CSR of successors
  std::vector<NodeId> successors_;
  std::vector<uint32_t> level_;
  std::vector<uint64_t> asap_;
  std::vector<uint64_t> b_level_;
  uint64_t critical_path_ns_ = 0;
  uint32_t width_ = 0;
};

}  // namespace graphd

#endif  // GRAPHD_CORE_ANALYSIS_TOPOLOGICAL_ORDER_H_
