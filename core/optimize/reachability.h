// Answers many questions "is there a path?" about one flow graph at once.
//
// 64 sources at a time: a word a node says which of them reach it. Only the
// part of the order between a batch's first source and its last target is
// walked.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_OPTIMIZE_REACHABILITY_H_
#define GRAPHD_CORE_OPTIMIZE_REACHABILITY_H_

#include <vector>

#include "core/analysis/flow_graph.h"
#include "core/analysis/topological_order.h"

namespace graphd {

struct Pair {
  NodeId before;
  NodeId after;
};

// By pair: whether a path leads from `before` to `after`.
// Requires: the order is complete.
std::vector<bool> AreOrdered(const FlowGraph& flow,
                             const TopologicalOrder& order,
                             const std::vector<Pair>& pairs);

// The nodes of one cycle, each before the next; empty when the order is
// complete.
std::vector<NodeId> FindCycle(const FlowGraph& flow,
                              const TopologicalOrder& order);

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_REACHABILITY_H_
