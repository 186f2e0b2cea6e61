#include "core/optimize/reachability.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace graphd {
namespace {

bool IsEdge(const FlowGraph& flow, const Pair& pair) {
  const FlowGraph::NodeList& list = flow.node(pair.after).predecessors;
  return std::find(list.begin(), list.end(), pair.before) != list.end();
}

}  // namespace

std::vector<bool> AreOrdered(const FlowGraph& flow,
                             const TopologicalOrder& order,
                             const std::vector<Pair>& pairs) {
  std::vector<bool> ordered(pairs.size(), false);
  std::vector<uint32_t> open;
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (order.position(pairs[i].before) >= order.position(pairs[i].after)) {
      continue;
    }
    // Most conflicts have an edge of their own.
    if (IsEdge(flow, pairs[i])) {
      ordered[i] = true;
    } else {
      open.push_back(static_cast<uint32_t>(i));
    }
  }
  std::sort(open.begin(), open.end(), [&](uint32_t a, uint32_t b) {
    return order.position(pairs[a].before) < order.position(pairs[b].before);
  });
  std::vector<uint64_t> reached(flow.size(), 0);
  for (size_t at = 0; at < open.size();) {
    const size_t begin = at;
    uint32_t from = order.position(pairs[open[begin]].before);
    uint32_t to = 0;
    NodeId source;
    int bit = -1;
    for (; at < open.size(); ++at) {
      const Pair& pair = pairs[open[at]];
      if (pair.before != source) {
        if (bit == 63) break;
        source = pair.before;
        reached[source.index()] |= uint64_t{1} << ++bit;
      }
      to = std::max(to, order.position(pair.after));
    }
    for (uint32_t p = from; p <= to; ++p) {
      const NodeId node = order.order()[p];
      for (const NodeId before : flow.node(node).predecessors) {
        reached[node.index()] |= reached[before.index()];
      }
    }
    source = NodeId();
    bit = -1;
    for (size_t i = begin; i < at; ++i) {
      const Pair& pair = pairs[open[i]];
      if (pair.before != source) {
        source = pair.before;
        ++bit;
      }
      ordered[open[i]] = ((reached[pair.after.index()] >> bit) & 1) != 0;
    }
    for (uint32_t p = from; p <= to; ++p) reached[order.order()[p].index()] = 0;
  }
  return ordered;
}

std::vector<NodeId> FindCycle(const FlowGraph& flow,
                              const TopologicalOrder& order) {
  std::vector<bool> outside(flow.size(), false);
  for (size_t i = 0; i < flow.size(); ++i) {
    outside[i] = !flow.node(NodeId(i)).removed;
  }
  for (const NodeId node : order.order()) outside[node.index()] = false;
  NodeId at;
  for (size_t i = 0; i < flow.size() && !at.valid(); ++i) {
    if (outside[i]) at = NodeId(i);
  }
  if (!at.valid()) return {};
  // Each node outside the order has a predecessor outside it: going back from
  // any of them ends in a cycle.
  constexpr uint32_t kNever = 0xffffffffu;
  std::vector<uint32_t> seen(flow.size(), kNever);
  std::vector<NodeId> walk;
  while (seen[at.index()] == kNever) {
    seen[at.index()] = static_cast<uint32_t>(walk.size());
    walk.push_back(at);
    for (const NodeId before : flow.node(at).predecessors) {
      if (!outside[before.index()]) continue;
      at = before;
      break;
    }
  }
  return std::vector<NodeId>(walk.rbegin(), walk.rend() - seen[at.index()]);
}

}  // namespace graphd
