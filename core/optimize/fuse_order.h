// A flow graph whose nodes become groups, two at a time, with a topological
// order of the groups that is kept up to date.
//
// Two groups may be one when no path between them passes a third. Whether there
// is one is seen from positions alone in most cases; else both ends are walked
// within the window between the positions, and the window is put in a new order
// when they merge. Source: Pearce and Kelly, "A dynamic topological sort
// algorithm for directed acyclic graphs", 2006.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_OPTIMIZE_FUSE_ORDER_H_
#define GRAPHD_CORE_OPTIMIZE_FUSE_ORDER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/analysis/flow_graph.h"
#include "core/analysis/topological_order.h"
#include "core/base/ids.h"

namespace graphd {

class FuseOrder {
 public:
  // Requires: the order is complete.
  FuseOrder(const FlowGraph& flow, const TopologicalOrder& order);

  // The node that stands for the group of `node`.
  NodeId GroupOf(NodeId node) const;

  struct Verdict {
    bool may_merge = false;
    // When not: a node of a group that is on a path between; none: too many
    // nodes lie between to tell.
    std::optional<NodeId> between;
  };
  // Whether the groups may be one. Requires: an edge leads from `before` to
  // `after`, which are different groups.
  Verdict Examine(NodeId before, NodeId after);
  // Makes them one, for which `before` stands.
  // Requires: Examine(before, after) was the last call and allowed it.
  void Merge(NodeId before, NodeId after);

 private:
  using Nodes = std::vector<NodeId>;

  uint32_t position(NodeId group) const { return position_[group.index()]; }
  // Groups that `next` leads to from `from`, but for `skip`, while `inside`
  // holds for them; false when there are too many.
  template <typename Inside>
  bool Walk(const std::vector<Nodes>& next, NodeId from, NodeId skip,
            Inside inside, Nodes& found);

  mutable std::vector<NodeId> leader_;  // by node; of a group: itself
  std::vector<uint32_t> position_;      // by group
  std::vector<Nodes> before_;           // by group: nodes, perhaps of one group
  std::vector<Nodes> after_;
  std::vector<uint32_t> seen_;  // by group: the walk that found it last
  uint32_t walk_ = 0;
  // Of the last Examine: what must come before both, and after both; the
  // position where they meet.
  Nodes earlier_;
  Nodes later_;
  uint32_t meeting_ = 0;
};

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_FUSE_ORDER_H_
