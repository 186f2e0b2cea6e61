#include "core/optimize/assign_streams.h"

#include <algorithm>
#include <utility>

#include "core/optimize/cost_model.h"
#include "core/optimize/list_schedule.h"

namespace graphd {
namespace {

// Beyond this, fewer streams are not tried: it would cost more than it saves.
constexpr size_t kMostNodesCompared = 20'000;

void Take(Schedule schedule, Draft& draft) {
  draft.issue_order = std::move(schedule.issue_order);
  draft.streams = std::move(schedule.streams);
  draft.stream_count = schedule.stream_count;
}

}  // namespace

absl::Status AssignStreams(Draft& draft, AnalysisCache& facts) {
  const TopologicalOrder& order = facts.topological_order();
  if (order.order().empty()) return absl::OkStatus();
  const uint32_t most = std::max(1u, draft.options().streams);
  if (most == 1 || order.width() <= 1) {
    Take(OneStream(draft, order), draft);
    return absl::OkStatus();
  }
  std::vector<CopyWay> ways(draft.flow.size(), CopyWay::kNone);
  bool any_copy = false;
  for (const NodeId node : order.order()) {
    ways[node.index()] = WayOf(draft, draft.nodes[node.index()].body);
    any_copy |= ways[node.index()] != CopyWay::kNone;
  }
  Schedule best = ListSchedule(draft.flow, order, ways, most, any_copy);
  if (order.order().size() <= kMostNodesCompared) {
    // A stream that gains no time is not worth its events.
    if (any_copy) {
      Schedule shared = ListSchedule(draft.flow, order, ways, most, false);
      // Copies may end as late either way and still crowd kernels out.
      if (shared.makespan_ns <= best.makespan_ns &&
          shared.kernels_end_ns <= best.kernels_end_ns) {
        best = std::move(shared);
      }
    }
    Schedule one = OneStream(draft, order);
    if (one.makespan_ns <= best.makespan_ns) best = std::move(one);
  }
  Take(std::move(best), draft);
  return absl::OkStatus();
}

}  // namespace graphd
