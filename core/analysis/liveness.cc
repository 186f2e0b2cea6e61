#include "core/analysis/liveness.h"

#include <algorithm>

namespace graphd {
namespace {

constexpr uint32_t kNoNode = 0xffffffffu;

}  // namespace

Liveness::Liveness(const FlowGraph& flow, const TopologicalOrder& order) {
  size_t buffers = 0;
  for (const NodeId node : order.order()) {
    for (const Access& access : flow.node(node).accesses) {
      buffers = std::max(buffers, access.buffer.index() + 1);
    }
  }
  // Two passes: count the nodes of each buffer, then place them in order.
  std::vector<uint32_t> last_node(buffers, kNoNode);
  offsets_.assign(buffers + 1, 0);
  for (const NodeId node : order.order()) {
    for (const Access& access : flow.node(node).accesses) {
      const size_t buffer = access.buffer.index();
      if (last_node[buffer] == node.value()) continue;
      last_node[buffer] = node.value();
      ++offsets_[buffer + 1];
    }
  }
  for (size_t i = 0; i < buffers; ++i) offsets_[i + 1] += offsets_[i];
  uses_.resize(offsets_.back());
  std::vector<uint32_t> next(offsets_.begin(), offsets_.end() - 1);
  std::fill(last_node.begin(), last_node.end(), kNoNode);
  for (const NodeId node : order.order()) {
    for (const Access& access : flow.node(node).accesses) {
      const size_t buffer = access.buffer.index();
      if (last_node[buffer] != node.value()) {
        last_node[buffer] = node.value();
        uses_[next[buffer]++] = {node, order.position(node)};
      }
      BufferUse& use = uses_[next[buffer] - 1];
      (IsWrite(access.kind) ? use.writes : use.reads) = true;
    }
  }
}

absl::Span<const BufferUse> Liveness::uses(BufferId buffer) const {
  if (buffer.index() + 1 >= offsets_.size()) return {};
  return absl::MakeConstSpan(uses_).subspan(
      offsets_[buffer.index()],
      offsets_[buffer.index() + 1] - offsets_[buffer.index()]);
}

std::vector<NodeId> Liveness::Definitions(BufferId buffer) const {
  std::vector<NodeId> nodes;
  for (const BufferUse& use : uses(buffer)) {
    if (use.writes) nodes.push_back(use.node);
  }
  return nodes;
}

std::vector<NodeId> Liveness::LastUses(BufferId buffer) const {
  const absl::Span<const BufferUse> all = uses(buffer);
  size_t from = all.size();
  while (from > 0 && !all[from - 1].writes) --from;
  std::vector<NodeId> nodes;
  for (size_t i = from == 0 ? 0 : from - 1; i < all.size(); ++i) {
    nodes.push_back(all[i].node);
  }
  return nodes;
}

bool Liveness::IsUnread(BufferId buffer) const {
  const absl::Span<const BufferUse> all = uses(buffer);
  return std::none_of(all.begin(), all.end(),
                      [](const BufferUse& use) { return use.reads; });
}

bool Liveness::IsLiveIn(BufferId buffer) const {
  const absl::Span<const BufferUse> all = uses(buffer);
  return !all.empty() && all.front().reads;
}

bool Liveness::Interfere(BufferId a, bool a_kept, BufferId b,
                         bool b_kept) const {
  const absl::Span<const BufferUse> first = uses(a);
  const absl::Span<const BufferUse> second = uses(b);
  if (first.empty() || second.empty()) return false;
  const bool a_then_b =
      !a_kept && first.back().position < second.front().position;
  const bool b_then_a =
      !b_kept && second.back().position < first.front().position;
  return !a_then_b && !b_then_a;
}

}  // namespace graphd
