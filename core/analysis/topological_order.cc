#include "core/analysis/topological_order.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace graphd {

TopologicalOrder::TopologicalOrder(const FlowGraph& flow) {
  Sort(flow);
  Time(flow);
}

void TopologicalOrder::Sort(const FlowGraph& flow) {
  const size_t size = flow.size();
  begin_.assign(size + 1, 0);
  std::vector<uint32_t> open(size, 0);
  size_t live = 0;
  for (size_t i = 0; i < size; ++i) {
    const FlowGraph::FlowNode& node = flow.node(NodeId(i));
    if (node.removed) continue;
    ++live;
    open[i] = static_cast<uint32_t>(node.predecessors.size());
    for (NodeId p : node.predecessors) ++begin_[p.index() + 1];
  }
  for (size_t i = 0; i < size; ++i) begin_[i + 1] += begin_[i];
  successors_.resize(begin_[size]);
  std::vector<uint32_t> fill(begin_.begin(), begin_.end() - 1);
  for (size_t i = 0; i < size; ++i) {
    const FlowGraph::FlowNode& node = flow.node(NodeId(i));
    if (node.removed) continue;
    for (NodeId p : node.predecessors) {
      successors_[fill[p.index()]++] = NodeId(i);
    }
  }
  // Ready nodes in declaration order: a heap keeps the order stable.
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<uint32_t>>
      ready;
  for (size_t i = 0; i < size; ++i) {
    if (!flow.node(NodeId(i)).removed && open[i] == 0) {
      ready.push(static_cast<uint32_t>(i));
    }
  }
  position_.assign(size, 0);
  order_.reserve(live);
  while (!ready.empty()) {
    const NodeId id(ready.top());
    ready.pop();
    position_[id.index()] = static_cast<uint32_t>(order_.size());
    order_.push_back(id);
    for (NodeId s : successors(id)) {
      if (--open[s.index()] == 0) ready.push(s.value());
    }
  }
  complete_ = order_.size() == live;
}

void TopologicalOrder::Time(const FlowGraph& flow) {
  level_.assign(flow.size(), 0);
  asap_.assign(flow.size(), 0);
  b_level_.assign(flow.size(), 0);
  std::vector<uint32_t> widths;
  for (NodeId id : order_) {
    const FlowGraph::FlowNode& node = flow.node(id);
    for (NodeId p : node.predecessors) {
      level_[id.index()] = std::max(level_[id.index()], level_[p.index()] + 1);
      asap_[id.index()] =
          std::max(asap_[id.index()], asap_[p.index()] + flow.node(p).cost_ns);
    }
    if (widths.size() <= level_[id.index()]) {
      widths.resize(level_[id.index()] + 1, 0);
    }
    width_ = std::max(width_, ++widths[level_[id.index()]]);
  }
  for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
    uint64_t longest = 0;
    for (NodeId s : successors(*it)) {
      longest = std::max(longest, b_level_[s.index()]);
    }
    b_level_[it->index()] = longest + flow.node(*it).cost_ns;
    critical_path_ns_ = std::max(critical_path_ns_, b_level_[it->index()]);
  }
}

}  // namespace graphd
