#include "core/analysis/dominance.h"

namespace graphd {
namespace {

constexpr uint32_t kVirtual = 0;

uint32_t VertexOf(NodeId id) { return id.value() + 1; }

}  // namespace

Dominance::Tree::Tree(size_t nodes)
    : parent_(nodes + 1, kVirtual),
      jump_(nodes + 1, kVirtual),
      depth_(nodes + 1, 0) {}

void Dominance::Tree::Attach(uint32_t vertex, uint32_t parent) {
  parent_[vertex] = parent;
  depth_[vertex] = depth_[parent] + 1;
  // Two jumps of equal length become one of twice that and a step.
  const uint32_t jump = jump_[parent];
  const bool equal =
      depth_[parent] - depth_[jump] == depth_[jump] - depth_[jump_[jump]];
  jump_[vertex] = equal ? jump_[jump] : parent;
}

uint32_t Dominance::Tree::AtDepth(uint32_t vertex, uint32_t depth) const {
  while (depth_[vertex] > depth) {
    vertex = depth_[jump_[vertex]] >= depth ? jump_[vertex] : parent_[vertex];
  }
  return vertex;
}

uint32_t Dominance::Tree::NearestCommonAncestor(uint32_t a, uint32_t b) const {
  if (depth_[a] > depth_[b]) a = AtDepth(a, depth_[b]);
  if (depth_[b] > depth_[a]) b = AtDepth(b, depth_[a]);
  while (a != b) {
    // Vertices of equal depth have jumps of equal length.
    if (jump_[a] != jump_[b]) {
      a = jump_[a];
      b = jump_[b];
    } else {
      a = parent_[a];
      b = parent_[b];
    }
  }
  return a;
}

NodeId Dominance::Tree::Parent(NodeId id) const {
  const uint32_t parent = parent_[VertexOf(id)];
  return parent == kVirtual ? NodeId() : NodeId(parent - 1);
}

bool Dominance::Tree::IsAncestor(NodeId ancestor, NodeId id) const {
  const uint32_t vertex = VertexOf(ancestor);
  return AtDepth(VertexOf(id), depth_[vertex]) == vertex;
}

Dominance::Dominance(const FlowGraph& flow)
    : Dominance(flow, TopologicalOrder(flow)) {}

Dominance::Dominance(const FlowGraph& flow, const TopologicalOrder& order)
    : dominators_(flow.size()), post_dominators_(flow.size()) {
  Build(flow, order);
}

void Dominance::Build(const FlowGraph& flow, const TopologicalOrder& order) {
  for (NodeId id : order.order()) {
    const FlowGraph::NodeList& before = flow.node(id).predecessors;
    uint32_t parent = before.empty() ? kVirtual : VertexOf(before[0]);
    for (NodeId p : before) {
      parent = dominators_.NearestCommonAncestor(parent, VertexOf(p));
    }
    dominators_.Attach(VertexOf(id), parent);
  }
  for (auto it = order.order().rbegin(); it != order.order().rend(); ++it) {
    const auto after = order.successors(*it);
    uint32_t parent = after.empty() ? kVirtual : VertexOf(after[0]);
    for (NodeId s : after) {
      parent = post_dominators_.NearestCommonAncestor(parent, VertexOf(s));
    }
    post_dominators_.Attach(VertexOf(*it), parent);
  }
}

}  // namespace graphd
