// Dominators and post-dominators of a FlowGraph, with a virtual root before all
// roots and a virtual sink after all sinks.
//
// On an acyclic graph one pass in topological order is enough: a node's
// immediate dominator is the nearest common ancestor, in the tree built so far,
// of its predecessors. Jump pointers (Myers 1983) find it in O(log n), so the
// whole takes O(m log n) on any graph, deep chains with skips to the root
// included.
//
// Thread safety: immutable.
#ifndef GRAPHD_CORE_ANALYSIS_DOMINANCE_H_
#define GRAPHD_CORE_ANALYSIS_DOMINANCE_H_

#include <cstdint>
#include <vector>

#include "core/analysis/flow_graph.h"
#include "core/analysis/topological_order.h"
#include "core/base/ids.h"

namespace graphd {

class Dominance {
 public:
  explicit Dominance(const FlowGraph& flow);
  // With the order at hand. Requires: `order` is of `flow` and complete.
  Dominance(const FlowGraph& flow, const TopologicalOrder& order);

  // The nearest node that every path from a root to `id` passes, `id` aside;
  // not valid(): only the virtual root.
  NodeId immediate_dominator(NodeId id) const { return dominators_.Parent(id); }
  // The nearest node that every path from `id` to a sink passes, `id` aside;
  // not valid(): only the virtual sink.
  NodeId immediate_post_dominator(NodeId id) const {
    return post_dominators_.Parent(id);
  }
  // Whether every path from a root to `b` passes `a`; true for a == b.
  bool Dominates(NodeId a, NodeId b) const {
    return dominators_.IsAncestor(a, b);
  }
  // Whether every path from `a` to a sink passes `b`; true for a == b.
  bool PostDominates(NodeId b, NodeId a) const {
    return post_dominators_.IsAncestor(b, a);
  }

 private:
  // A tree that grows by leaves. Vertex 0 is the virtual node, node i is i + 1.
  class Tree {
   public:
    explicit Tree(size_t nodes);
    void Attach(uint32_t vertex, uint32_t parent);
    uint32_t NearestCommonAncestor(uint32_t a, uint32_t b) const;
    NodeId Parent(NodeId id) const;
    bool IsAncestor(NodeId ancestor, NodeId id) const;

   private:
    uint32_t AtDepth(uint32_t vertex, uint32_t depth) const;

    std::vector<uint32_t> parent_;
    std::vector<uint32_t> jump_;
    std::vector<uint32_t> depth_;
  };

  void Build(const FlowGraph& flow, const TopologicalOrder& order);

  Tree dominators_;
  Tree post_dominators_;
};

}  // namespace graphd

#endif  // GRAPHD_CORE_ANALYSIS_DOMINANCE_H_
