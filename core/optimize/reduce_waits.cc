#include "core/optimize/reduce_waits.h"

#include <algorithm>
#include <utility>

#include "core/analysis/happens_before.h"

namespace graphd {

absl::Status ReduceWaits(Draft& draft, AnalysisCache&) {
  // One stream has nothing to wait for; seal says so.
  if (draft.issue_order.empty()) return absl::OkStatus();
  const size_t size = draft.flow.size();
  std::vector<uint32_t> issued(size, 0);
  for (size_t i = 0; i < draft.issue_order.size(); ++i) {
    issued[draft.issue_order[i].index()] = static_cast<uint32_t>(i);
  }
  HappensBefore clocks(size, draft.stream_count, draft.streams);
  std::vector<FlowGraph::NodeList> waits(size);
  std::vector<NodeId> candidates;
  for (const NodeId node : draft.issue_order) {
    clocks.Place(node);
    candidates.clear();
    for (const NodeId before : draft.flow.node(node).predecessors) {
      if (draft.streams[before.index()] != draft.streams[node.index()]) {
        candidates.push_back(before);
      }
    }
    std::sort(candidates.begin(), candidates.end(), [&](NodeId a, NodeId b) {
      return issued[a.index()] > issued[b.index()];
    });
    for (const NodeId before : candidates) {
      if (clocks.Before(before, node)) continue;
      clocks.Wait(node, before);
      waits[node.index()].push_back(before);
    }
  }
  draft.waits = std::move(waits);
  return absl::OkStatus();
}

}  // namespace graphd
