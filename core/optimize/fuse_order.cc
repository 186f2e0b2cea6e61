#include "core/optimize/fuse_order.h"

#include <algorithm>
#include <utility>

namespace graphd {
namespace {

// Edges looked at by one walk, so that no graph takes quadratic time.
constexpr size_t kMostEdges = 1024;

}  // namespace

FuseOrder::FuseOrder(const FlowGraph& flow, const TopologicalOrder& order)
    : leader_(flow.size()),
      position_(flow.size(), 0),
      before_(flow.size()),
      after_(flow.size()),
      seen_(flow.size(), 0) {
  for (size_t i = 0; i < flow.size(); ++i) leader_[i] = NodeId(i);
  for (const NodeId node : order.order()) {
    const size_t i = node.index();
    position_[i] = order.position(node);
    const auto& predecessors = flow.node(node).predecessors;
    before_[i].assign(predecessors.begin(), predecessors.end());
    const auto successors = order.successors(node);
    after_[i].assign(successors.begin(), successors.end());
  }
}

NodeId FuseOrder::GroupOf(NodeId node) const {
  NodeId group = node;
  while (leader_[group.index()] != group) group = leader_[group.index()];
  while (leader_[node.index()] != group) {
    node = std::exchange(leader_[node.index()], group);
  }
  return group;
}

template <typename Inside>
bool FuseOrder::Walk(const std::vector<Nodes>& next, NodeId from, NodeId skip,
                     Inside inside, Nodes& found) {
  ++walk_;
  size_t edges = 0;
  found.clear();
  Nodes open = {from};
  while (!open.empty()) {
    const NodeId at = open.back();
    open.pop_back();
    for (const NodeId node : next[at.index()]) {
      if (++edges > kMostEdges) return false;
      const NodeId group = GroupOf(node);
      if (group == from || group == skip || !inside(group) ||
          std::exchange(seen_[group.index()], walk_) == walk_) {
        continue;
      }
      found.push_back(group);
      open.push_back(group);
    }
  }
  return true;
}

FuseOrder::Verdict FuseOrder::Examine(NodeId before, NodeId after) {
  earlier_.clear();
  later_.clear();
  const uint32_t first = position(before);
  const uint32_t last = position(after);
  const auto all_of = [&](const Nodes& nodes, auto holds) {
    return std::all_of(nodes.begin(), nodes.end(), [&](NodeId node) {
      const NodeId group = GroupOf(node);
      return group == before || group == after || holds(position(group));
    });
  };
  if (all_of(before_[after.index()],
             [&](uint32_t position) { return position < first; })) {
    meeting_ = first;
    return {.may_merge = true};
  }
  if (after_[before.index()].size() <= kMostEdges &&
      all_of(after_[before.index()],
             [&](uint32_t position) { return position > last; })) {
    meeting_ = last;
    return {.may_merge = true};
  }
  if (!Walk(
          after_, before, after,
          [&](NodeId group) { return position(group) < last; }, later_)) {
    return {};
  }
  const uint32_t forward = walk_;
  for (const NodeId node : before_[after.index()]) {
    const NodeId group = GroupOf(node);
    if (group != before && group != after && seen_[group.index()] == forward) {
      return {.between = group};
    }
  }
  if (!Walk(
          before_, after, before,
          [&](NodeId group) { return position(group) > first; }, earlier_)) {
    return {};
  }
  return {.may_merge = true};
}

void FuseOrder::Merge(NodeId before, NodeId after) {
  if (earlier_.empty() && later_.empty()) {
    position_[before.index()] = meeting_;
  } else {
    const auto by_position = [&](NodeId a, NodeId b) {
      return position(a) < position(b);
    };
    std::sort(earlier_.begin(), earlier_.end(), by_position);
    std::sort(later_.begin(), later_.end(), by_position);
    std::vector<uint32_t> free = {position(before), position(after)};
    for (const NodeId group : earlier_) free.push_back(position(group));
    for (const NodeId group : later_) free.push_back(position(group));
    std::sort(free.begin(), free.end());
    size_t next = 0;
    for (const NodeId group : earlier_) position_[group.index()] = free[next++];
    position_[before.index()] = free[next];
    next = free.size() - later_.size();
    for (const NodeId group : later_) position_[group.index()] = free[next++];
  }
  leader_[after.index()] = before;
  const auto join = [&](std::vector<Nodes>& lists) {
    Nodes& to = lists[before.index()];
    Nodes& from = lists[after.index()];
    to.insert(to.end(), from.begin(), from.end());
    Nodes().swap(from);
    std::erase_if(to, [&](NodeId node) { return GroupOf(node) == before; });
    std::sort(to.begin(), to.end());
    to.erase(std::unique(to.begin(), to.end()), to.end());
  };
  join(before_);
  join(after_);
}

}  // namespace graphd
