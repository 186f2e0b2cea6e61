#include "core/optimize/order_edges.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/graph/validation.h"
#include "core/optimize/buffer_history.h"
#include "core/optimize/reachability.h"

namespace graphd {
namespace {

constexpr size_t kMostWarnings = 16;

// Two nodes that touch the same bytes, the first to come first.
struct Conflict {
  NodeId before;
  NodeId after;
  BufferId buffer;
  ByteRange common;  // from the first shared byte to the last
  bool exact = false;
  bool both_write = false;
};

class OrderBuilder {
 public:
  OrderBuilder(Draft& draft, const std::vector<ExactMask>& exact,
               Violations& violations)
      : draft_(draft),
        exact_(exact),
        violations_(violations),
        graph_nodes_(draft.graph().nodes.size()),
        explicit_(draft.graph().order == GraphOrder::kExplicit) {}

  void Build() {
    if (!FindWalk()) return;
    GroupByBuffer();
    for (size_t i = 0; i < draft_.buffers.size(); ++i) {
      VisitBuffer(BufferId(i));
    }
    if (!violations_.empty()) return;
    if (explicit_) {
      FindRaces();
    } else {
      for (const auto& [after, before] : edges_) {
        draft_.flow.Edit(after).predecessors.push_back(before);
      }
    }
    MakeUnique();
    if (violations_.empty() && MayHaveCycle()) {
      ReportCycle(TopologicalOrder(draft_.flow));
    }
    LimitWarnings();
  }

 private:
  // One entry of a buffer's list: which access of which node, in walk order.
  struct Use {
    NodeId node;
    uint32_t access;
  };

  bool inserted(NodeId node) const { return node.index() >= graph_nodes_; }

  // What was inserted comes first. False after a finding.
  bool FindWalk() {
    walk_.reserve(draft_.flow.size());
    for (size_t i = graph_nodes_; i < draft_.flow.size(); ++i) {
      walk_.push_back(NodeId(i));
    }
    if (!explicit_) {
      for (size_t i = 0; i < graph_nodes_; ++i) walk_.push_back(NodeId(i));
      return true;
    }
    const TopologicalOrder order(draft_.flow);
    if (!order.complete()) {
      ReportCycle(order);
      return false;
    }
    for (const NodeId node : order.order()) {
      if (!inserted(node)) walk_.push_back(node);
    }
    return true;
  }

  // A node's reads come before its writes.
  void GroupByBuffer() {
    offsets_.assign(draft_.buffers.size() + 1, 0);
    for (const NodeId node : walk_) {
      for (const Access& access : draft_.flow.node(node).accesses) {
        ++offsets_[access.buffer.index() + 1];
      }
    }
    for (size_t i = 0; i < draft_.buffers.size(); ++i) {
      offsets_[i + 1] += offsets_[i];
    }
    uses_.resize(offsets_.back());
    std::vector<uint32_t> next(offsets_.begin(), offsets_.end() - 1);
    for (const NodeId node : walk_) {
      const FlowGraph::AccessList& accesses = draft_.flow.node(node).accesses;
      for (const bool writes : {false, true}) {
        for (size_t i = 0; i < accesses.size(); ++i) {
          if (IsWrite(accesses[i].kind) != writes) continue;
          uses_[next[accesses[i].buffer.index()]++] = {
              node, static_cast<uint32_t>(i)};
        }
      }
    }
  }

  // Whether its first bytes come from outside of the nodes.
  bool IsDefined(BufferId id) const {
    const DraftBuffer& buffer = draft_.buffers[id.index()];
    return buffer.role == BufferRole::kInput || buffer.plan.variable_image ||
           buffer.plan.place == BufferPlace::kModuleVariable;
  }

  void VisitBuffer(BufferId id) {
    const size_t edges = edges_.size();
    const size_t conflicts = conflicts_.size();
    // A second round, when a fill turned out to be needed.
    if (Walk(id, NodeId())) return;
    edges_.resize(edges);
    conflicts_.resize(conflicts);
    Walk(id, AddFill(id));
  }

  // False: bytes may be read that nothing defined, and `fill` is not there.
  bool Walk(BufferId id, NodeId fill) {
    history_.Clear();
    if (fill.valid())
      Add(id, {fill, draft_.flow.node(fill).accesses[0].range, true, true},
          true);
    for (uint32_t i = offsets_[id.index()]; i < offsets_[id.index() + 1]; ++i) {
      const Use use = uses_[i];
      const Access& access = draft_.flow.node(use.node).accesses[use.access];
      const bool exact = use.access < 64 &&
                         ((exact_[use.node.index()] >> use.access) & 1) != 0;
      const Touch touch{use.node, access.range, IsWrite(access.kind), exact};
      if (!Add(id, touch, IsDefined(id) || fill.valid())) return false;
    }
    return fill.valid() || IsDefinedAtEnd(id);
  }

  // All of an output goes to the client. (Pinned host memory starts zeroed.)
  bool IsDefinedAtEnd(BufferId id) {
    const DraftBuffer& buffer = draft_.buffers[id.index()];
    if (buffer.role != BufferRole::kOutput ||
        buffer.plan.place != BufferPlace::kDeviceArena) {
      return true;
    }
    bool defined = true;
    const Touch all{NodeId(), {.width_bytes = buffer.plan.size_bytes}};
    history_.Add(
        all, [](const Touch&) {}, [&](uint64_t, uint64_t) { defined = false; });
    return defined;
  }

  bool Add(BufferId id, const Touch& touch, bool defined) {
    bool filled = true;
    history_.Add(
        touch, [&](const Touch& earlier) { AddConflict(id, earlier, touch); },
        [&](uint64_t first, uint64_t end) {
          if (defined) return;
          if (touch.exact) {
            // Only bytes that the rows really touch are surely read.
            const ByteRange gap{first, end - first};
            if (!Overlaps(touch.range, gap)) return;
            ReportUndefined(id, touch, gap);
          } else {
            filled = false;
          }
        });
    return filled;
  }

  void AddConflict(BufferId id, const Touch& earlier, const Touch& touch) {
    if (!explicit_ || inserted(earlier.node)) {
      edges_.push_back({touch.node, earlier.node});
      return;
    }
    const uint64_t first =
        std::max(earlier.range.offset_bytes, touch.range.offset_bytes);
    const uint64_t end =
        std::min(earlier.range.end_bytes(), touch.range.end_bytes());
    conflicts_.push_back(
        {earlier.node, touch.node, id, ByteRange{first, end - first},
         earlier.exact && touch.exact, earlier.is_write && touch.is_write});
  }

  NodeId AddFill(BufferId id) {
    DraftBuffer& buffer = draft_.buffers[id.index()];
    buffer.shares_bytes = false;
    AddWarning(
        absl::StrCat("buffer ", Quoted(buffer.plan.name),
                     draft_.buffers[id.index()].role == BufferRole::kOutput
                         ? " may not be written everywhere"
                         : " may be read before it is written",
                     "; it starts filled with zeros"));
    DraftNode node;
    node.name = draft_.UniqueName(absl::StrCat("zero ", buffer.plan.name));
    MemsetStep fill;
    fill.dst = id;
    fill.width = buffer.plan.size_bytes;
    node.body = fill;
    FlowGraph::FlowNode flow_node;
    flow_node.accesses.push_back(
        {id, {.width_bytes = fill.width}, AccessKind::kMustWrite});
    return draft_.AddNode(std::move(node), std::move(flow_node));
  }

  void ReportUndefined(BufferId id, const Touch& touch, const ByteRange& gap) {
    const Node& node = draft_.graph().node(touch.node);
    const bool copies = std::holds_alternative<MemcpyNode>(node.body);
    violations_.Add(
        Field(At("nodes", touch.node.index()), copies ? "src" : "accesses"),
        absl::StrCat("node ", Quoted(node.name), " reads ",
                     Describe(touch.range), " of buffer ",
                     Quoted(draft_.buffers[id.index()].plan.name),
                     ", but no earlier node writes ", Describe(gap)));
  }

  // Explicit order: edges are what `after` says and what was inserted.
  void FindRaces() {
    for (const auto& [after, before] : edges_) {
      draft_.flow.Edit(after).predecessors.push_back(before);
    }
    const TopologicalOrder order(draft_.flow);
    std::vector<Pair> pairs;
    for (const Conflict& conflict : conflicts_) {
      pairs.push_back({conflict.before, conflict.after});
    }
    const std::vector<bool> ordered = AreOrdered(draft_.flow, order, pairs);
    for (size_t i = 0; i < conflicts_.size(); ++i) {
      if (!ordered[i]) ReportRace(conflicts_[i]);
    }
  }

  void ReportRace(const Conflict& race) {
    const std::string text =
        absl::StrCat("nodes ", Quoted(draft_.nodes[race.before.index()].name),
                     " and ", Quoted(draft_.nodes[race.after.index()].name),
                     race.both_write ? " both write " : " read and write ",
                     Describe(race.common), " of buffer ",
                     Quoted(draft_.buffers[race.buffer.index()].plan.name),
                     ", and no path of \"after\" orders them");
    if (race.exact) {
      const std::string path = Field(At("nodes", race.after.index()), "after");
      violations_.Add(path, absl::StrCat("race: ", text));
      return;
    }
    AddWarning(
        absl::StrCat("possible race: ", text, "; they run in this order"));
    draft_.flow.Edit(race.after).predecessors.push_back(race.before);
  }

  void MakeUnique() {
    for (size_t i = 0; i < draft_.flow.size(); ++i) {
      if (draft_.flow.node(NodeId(i)).predecessors.size() < 2) continue;
      FlowGraph::NodeList& list = draft_.flow.Edit(NodeId(i)).predecessors;
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  }

  // Without an edge against the order of the walk there is none.
  bool MayHaveCycle() const {
    for (size_t i = 0; i < graph_nodes_; ++i) {
      for (const NodeId before : draft_.flow.node(NodeId(i)).predecessors) {
        if (!inserted(before) && before.index() >= i) return true;
      }
    }
    return false;
  }

  // `after` may name a later node, which an access then contradicts.
  void ReportCycle(const TopologicalOrder& order) {
    if (order.complete()) return;
    const std::vector<NodeId> cycle = FindCycle(draft_.flow, order);
    constexpr size_t kShown = 8;
    std::string text = "cycle of \"after\" and accesses: ";
    for (size_t i = 0; i < cycle.size() && i < kShown; ++i) {
      absl::StrAppend(&text, Quoted(draft_.nodes[cycle[i].index()].name),
                      " before ");
    }
    if (cycle.size() > kShown) {
      absl::StrAppend(&text, "… (", cycle.size() - kShown, " more) before ");
    }
    absl::StrAppend(&text, Quoted(draft_.nodes[cycle[0].index()].name));
    violations_.Add(Field(At("nodes", cycle[0].index()), "after"),
                    std::move(text));
  }

  void AddWarning(std::string text) {
    if (++warnings_ <= kMostWarnings) {
      draft_.explanation.warnings.push_back(std::move(text));
    }
  }
  void LimitWarnings() {
    if (warnings_ <= kMostWarnings) return;
    draft_.explanation.warnings.push_back(
        absl::StrCat("and ", warnings_ - kMostWarnings, " more of these"));
  }

  Draft& draft_;
  const std::vector<ExactMask>& exact_;
  Violations& violations_;
  const size_t graph_nodes_;
  const bool explicit_;
  std::vector<NodeId> walk_;
  std::vector<uint32_t> offsets_;  // of uses_, by buffer
  std::vector<Use> uses_;
  BufferHistory history_;
  std::vector<std::pair<NodeId, NodeId>> edges_;  // after, before
  std::vector<Conflict> conflicts_;
  size_t warnings_ = 0;
};

}  // namespace

void AddOrder(Draft& draft, const std::vector<ExactMask>& exact,
              Violations& violations) {
  OrderBuilder(draft, exact, violations).Build();
}

}  // namespace graphd
