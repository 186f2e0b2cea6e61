// What shows only across nodes: cycles, outputs that nothing writes, and reads
// of bytes that nothing defined.
#include <map>

#include "core/graph/validation.h"

namespace graphd {
namespace {

// Bytes of one buffer that some earlier node may have defined, as disjoint
// intervals.
class DefinedBytes {
 public:
  void Add(uint64_t first, uint64_t end) {
    auto it = intervals_.upper_bound(first);
    if (it != intervals_.begin() && std::prev(it)->second >= first) --it;
    while (it != intervals_.end() && it->first <= end) {
      first = std::min(first, it->first);
      end = std::max(end, it->second);
      it = intervals_.erase(it);
    }
    intervals_[first] = end;
  }

  // The first gap inside [first, end); empty when there is none.
  std::pair<uint64_t, uint64_t> FirstGap(uint64_t first, uint64_t end) const {
    auto it = intervals_.upper_bound(first);
    if (it != intervals_.begin() && std::prev(it)->second > first) {
      first = std::prev(it)->second;
    }
    if (first >= end) return {end, end};
    return {first, it == intervals_.end() ? end : std::min(end, it->first)};
  }

 private:
  std::map<uint64_t, uint64_t> intervals_;  // first -> end
};

bool IsKnown(const Graph& graph, BufferId id) {
  return id.valid() && id.index() < graph.buffers.size();
}

// Calls `visit(buffer, range)` for whatever the node may write. A kernel whose
// accesses are not declared may write all of each buffer that it gets.
template <typename Visit>
void VisitWrites(const Graph& graph, const Node& node, Visit visit) {
  const auto whole = [&](BufferId id) {
    if (IsKnown(graph, id)) {
      visit(id, ByteRange{.width_bytes = graph.buffer(id).size_bytes});
    }
  };
  if (const auto* kernel = std::get_if<KernelNode>(&node.body)) {
    if (kernel->accesses_declared) {
      for (const Access& access : kernel->accesses) {
        if (IsWrite(access.kind) && IsKnown(graph, access.buffer)) {
          visit(access.buffer, access.range);
        }
      }
      return;
    }
    for (const Argument& argument : kernel->args) {
      if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
        whole(buffer->buffer);
      } else if (const auto* bytes = std::get_if<BytesArgument>(&argument)) {
        for (const auto& relocation : bytes->relocations) {
          whole(relocation.buffer);
        }
      }
    }
  } else if (const auto* copy = std::get_if<MemcpyNode>(&node.body)) {
    const auto* dst = std::get_if<BufferId>(&copy->dst.place);
    if (dst != nullptr && IsKnown(graph, *dst)) {
      visit(*dst, CopiedRange(*copy, copy->dst));
    }
  } else if (const auto* fill = std::get_if<MemsetNode>(&node.body)) {
    if (IsKnown(graph, fill->dst)) visit(fill->dst, FilledRange(*fill));
  }
}

// Nodes in an order that `after` allows; those on or behind a cycle are left
// out. In order FROM_ACCESSES, declaration order, which accesses follow.
std::vector<NodeId> OrderByAfter(const Graph& graph) {
  const size_t count = graph.nodes.size();
  std::vector<uint32_t> missing(count, 0);
  std::vector<std::vector<NodeId>> successors(count);
  for (size_t i = 0; i < count; ++i) {
    for (const NodeId before : graph.nodes[i].after) {
      if (!before.valid() || before.index() >= count || before.index() == i) {
        continue;
      }
      ++missing[i];
      successors[before.index()].push_back(NodeId(i));
    }
  }
  std::vector<NodeId> order;
  order.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    if (missing[i] == 0) order.push_back(NodeId(i));
  }
  for (size_t next = 0; next < order.size(); ++next) {
    for (const NodeId node : successors[order[next].index()]) {
      if (--missing[node.index()] == 0) order.push_back(node);
    }
  }
  return order;
}

void ReportCycle(const Validation& v, const std::vector<NodeId>& cycle) {
  constexpr size_t kShown = 8;
  std::string text;
  for (size_t i = 0; i < cycle.size() && i < kShown; ++i) {
    absl::StrAppend(&text, Quoted(v.graph.node(cycle[i]).name), " after ");
  }
  if (cycle.size() > kShown) {
    absl::StrAppend(&text, "… (", cycle.size() - kShown, " more) after ");
  }
  absl::StrAppend(&text, Quoted(v.graph.node(cycle[0]).name));
  v.Add(Field(At("nodes", cycle[0].index()), "after"), "cycle: ", text);
}

// Each node that no order reaches has such a predecessor; following them from
// anywhere ends in a cycle. One cycle is reported for each that this finds.
void ReportCycles(const Validation& v, const std::vector<NodeId>& ordered) {
  const size_t count = v.graph.nodes.size();
  constexpr uint32_t kDone = ~uint32_t{0};
  std::vector<uint32_t> walk(count, 0);  // 0: not visited
  for (const NodeId node : ordered) walk[node.index()] = kDone;
  const auto predecessor = [&](size_t node) {
    for (const NodeId before : v.graph.nodes[node].after) {
      if (before.valid() && before.index() < count && before.index() != node &&
          walk[before.index()] != kDone) {
        return before.index();
      }
    }
    return count;
  };
  std::vector<size_t> next(count, count);
  for (size_t i = 0; i < count; ++i) {
    if (walk[i] != kDone) next[i] = predecessor(i);
  }
  uint32_t number = 0;
  for (size_t i = 0; i < count; ++i) {
    if (walk[i] != 0) continue;
    ++number;
    size_t at = i;
    while (walk[at] == 0) {
      walk[at] = number;
      at = next[at];
    }
    if (walk[at] != number) continue;
    std::vector<NodeId> cycle;
    size_t node = at;
    do {
      cycle.push_back(NodeId(node));
      node = next[node];
    } while (node != at);
    ReportCycle(v, cycle);
  }
}

void CheckOutputs(const Validation& v) {
  std::vector<bool> written(v.graph.buffers.size(), false);
  for (const Node& node : v.graph.nodes) {
    VisitWrites(v.graph, node, [&](BufferId id, const ByteRange&) {
      written[id.index()] = true;
    });
  }
  for (size_t i = 0; i < v.graph.buffers.size(); ++i) {
    const Buffer& buffer = v.graph.buffers[i];
    if (buffer.role == BufferRole::kOutput && !written[i]) {
      v.Add(At("buffers", i), "no node writes OUTPUT buffer ",
            Quoted(buffer.name));
    }
  }
}

// Reports the first undefined bytes that `range` reads. Looks at a bounded
// number of gaps, so that a graph of many small rows costs no quadratic time.
void ReportGap(const Validation& v, const DefinedBytes& defined,
               const ByteRange& range, const Buffer& buffer, NodeId node) {
  constexpr int kGaps = 256;
  uint64_t from = range.offset_bytes;
  for (int i = 0; i < kGaps; ++i) {
    const auto [gap, gap_end] = defined.FirstGap(from, range.end_bytes());
    if (gap >= gap_end) return;
    if (Overlaps(range, {.offset_bytes = gap, .width_bytes = gap_end - gap})) {
      v.Add(Field(At("nodes", node.index()), "src"), "reads ", Describe(range),
            " of buffer ", Quoted(buffer.name), ", but no earlier node writes ",
            Describe({.offset_bytes = gap, .width_bytes = gap_end - gap}));
      return;
    }
    from = gap_end;
  }
}

// A copy reads exactly the bytes that it says, so a byte that no earlier node
// may have written is an error, not a warning. Rows with gaps define their
// whole span here: only what is certainly undefined is refused.
void CheckCopySources(const Validation& v, const std::vector<NodeId>& order) {
  std::vector<DefinedBytes> defined(v.graph.buffers.size());
  for (const NodeId id : order) {
    const Node& node = v.graph.node(id);
    const auto* copy = std::get_if<MemcpyNode>(&node.body);
    const auto* src =
        copy != nullptr ? std::get_if<BufferId>(&copy->src.place) : nullptr;
    if (src != nullptr && IsKnown(v.graph, *src) &&
        v.graph.buffer(*src).role != BufferRole::kInput) {
      const Buffer& buffer = v.graph.buffer(*src);
      const ByteRange range = CopiedRange(*copy, copy->src);
      if (EndFits(range) && range.end_bytes() <= buffer.size_bytes) {
        ReportGap(v, defined[src->index()], range, buffer, id);
      }
    }
    VisitWrites(v.graph, node, [&](BufferId written, const ByteRange& range) {
      if (EndFits(range) && range.end_bytes() > range.offset_bytes) {
        defined[written.index()].Add(range.offset_bytes, range.end_bytes());
      }
    });
  }
}

}  // namespace

void CheckOrder(const Validation& v) {
  std::vector<NodeId> order = OrderByAfter(v.graph);
  const bool has_cycle = order.size() != v.graph.nodes.size();
  if (has_cycle) ReportCycles(v, order);
  CheckOutputs(v);
  if (has_cycle) return;
  if (v.graph.order == GraphOrder::kFromAccesses) {
    for (size_t i = 0; i < order.size(); ++i) order[i] = NodeId(i);
  }
  CheckCopySources(v, order);
}

}  // namespace graphd
