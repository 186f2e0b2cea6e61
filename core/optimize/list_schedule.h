// Event-driven list scheduling of a flow graph on streams.
//
// Time passes from one node's end to the next. Whenever a stream is free, the
// ready node with the longest path to a sink (b-level) is issued to it; equal
// paths go in topological order. A node prefers the free stream of the
// predecessor that ended last, so that no wait is needed.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_OPTIMIZE_LIST_SCHEDULE_H_
#define GRAPHD_CORE_OPTIMIZE_LIST_SCHEDULE_H_

#include <cstdint>
#include <vector>

#include "core/analysis/flow_graph.h"
#include "core/analysis/topological_order.h"
#include "core/optimize/cost_model.h"
#include "core/optimize/draft.h"

namespace graphd {

struct Schedule {
  std::vector<NodeId> issue_order;  // by start
  std::vector<StreamId> streams;    // by node
  uint32_t stream_count = 0;
  uint64_t makespan_ns = 0;
  uint64_t kernels_end_ns = 0;  // the last node that is no copy
};

// `ways`: by node. Kernels go to streams below `streams`; copies to one more
// stream for each way (`copy_streams`), else to stream 0.
Schedule ListSchedule(const FlowGraph& flow, const TopologicalOrder& order,
                      const std::vector<CopyWay>& ways, uint32_t streams,
                      bool copy_streams);

// Everything in topological order.
Schedule OneStream(const Draft& draft, const TopologicalOrder& order);

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_LIST_SCHEDULE_H_
