#include "core/optimize/remove_dead_nodes.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/optimize/byte_set.h"

namespace graphd {
namespace {

// Order through a dead node with more predecessors than this is kept by a
// barrier in its place; copying the predecessors around could cost quadratic
// time.
constexpr size_t kMostBridged = 8;

class DeadNodeRemover {
 public:
  DeadNodeRemover(Draft& draft, const TopologicalOrder& order)
      : draft_(draft),
        // The draft's edits would take the cache's away.
        order_(order.order()),
        alive_(draft.flow.size(), false),
        leads_to_live_(draft.flow.size(), false),
        wanted_(draft.buffers.size()) {}

  void Remove() {
    FindLive();
    bool any = false;
    for (const NodeId node : order_) any |= !alive_[node.index()];
    if (any) Bridge();
  }

 private:
  void FindLive() {
    for (size_t i = 0; i < draft_.buffers.size(); ++i) {
      if (draft_.buffers[i].role == BufferRole::kOutput) {
        wanted_[i].Add({.width_bytes = draft_.buffers[i].plan.size_bytes});
      }
    }
    for (const PlanBinding& output : draft_.outputs) {
      const size_t i = output.buffer.index();
      wanted_[i].Add({.width_bytes = draft_.buffers[i].plan.size_bytes});
    }
    for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
      const NodeId id = *it;
      const FlowGraph::FlowNode& node = draft_.flow.node(id);
      const bool alive = IsAlive(id, node);
      alive_[id.index()] = alive;
      if (alive) Want(node);
      if (!alive && !leads_to_live_[id.index()]) continue;
      for (const NodeId before : node.predecessors) {
        leads_to_live_[before.index()] = true;
      }
    }
  }

  bool IsAlive(NodeId id, const FlowGraph::FlowNode& node) const {
    const DraftNode& body = draft_.nodes[id.index()];
    if (body.facts != nullptr && body.facts->has_side_effects) return true;
    // A barrier lives for those behind it.
    if (std::holds_alternative<EmptyStep>(body.body)) {
      return leads_to_live_[id.index()];
    }
    return std::any_of(
        node.accesses.begin(), node.accesses.end(), [&](const Access& access) {
          return IsWrite(access.kind) &&
                 wanted_[access.buffer.index()].Meets(access.range);
        });
  }

  void Want(const FlowGraph::FlowNode& node) {
    for (const Access& access : node.accesses) {
      if (access.kind == AccessKind::kMustWrite) {
        wanted_[access.buffer.index()].Subtract(access.range);
      }
    }
    for (const Access& access : node.accesses) {
      if (access.kind == AccessKind::kMayRead) {
        wanted_[access.buffer.index()].Add(access.range);
      }
    }
  }

  // In topological order: predecessors that are gone are replaced by theirs.
  void Bridge() {
    std::vector<FlowGraph::NodeList> bridges(draft_.flow.size());
    std::vector<uint32_t> stamps(draft_.flow.size(), 0);
    uint32_t stamp = 0;
    for (const NodeId id : order_) {
      const bool alive = alive_[id.index()];
      if (!alive && !leads_to_live_[id.index()]) {
        Bury(id);
        continue;
      }
      ++stamp;
      bool changed = false;
      FlowGraph::NodeList kept;
      const auto keep = [&](NodeId node) {
        if (stamps[node.index()] == stamp) return;
        stamps[node.index()] = stamp;
        kept.push_back(node);
      };
      for (const NodeId before : draft_.flow.node(id).predecessors) {
        if (!draft_.flow.node(before).removed) {
          keep(before);
          continue;
        }
        changed = true;
        for (const NodeId further : bridges[before.index()]) keep(further);
      }
      if (changed) {
        std::sort(kept.begin(), kept.end());
        draft_.flow.Edit(id).predecessors = kept;
      }
      if (alive) continue;
      if (kept.size() > kMostBridged) {
        BecomeBarrier(id);
      } else {
        Bury(id);
        bridges[id.index()] = std::move(kept);
      }
    }
  }

  void Forget(NodeId id) {
    DraftNode& node = draft_.nodes[id.index()];
    draft_.dead_nodes.insert(draft_.dead_nodes.end(), node.covers.begin(),
                             node.covers.end());
    node.covers.clear();
    draft_.flow.Edit(id).accesses.clear();
  }

  void Bury(NodeId id) {
    Forget(id);
    FlowGraph::FlowNode& node = draft_.flow.Edit(id);
    node.predecessors.clear();
    node.removed = true;
  }

  void BecomeBarrier(NodeId id) {
    Forget(id);
    DraftNode& node = draft_.nodes[id.index()];
    node.body = EmptyStep{};
    node.facts = nullptr;
    node.name = draft_.UniqueName(absl::StrCat("barrier for ", node.name));
    draft_.flow.Edit(id).cost_ns = 0;
  }

  Draft& draft_;
  const std::vector<NodeId> order_;
  std::vector<bool> alive_;
  std::vector<bool> leads_to_live_;  // an edge leads to a live node, directly
                                     // or through others
  std::vector<ByteSet> wanted_;      // by buffer
};

}  // namespace

absl::Status RemoveDeadNodes(Draft& draft, AnalysisCache& facts) {
  DeadNodeRemover(draft, facts.topological_order()).Remove();
  return absl::OkStatus();
}

}  // namespace graphd
