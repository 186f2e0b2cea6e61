// What a node is thought to cost when nobody says: enough to choose an order
// and streams by, no promise of a time.
//
// The larger of a launch's floor and the bytes at the speed of the memory that
// they pass through. Constants: an accelerator's memory at 3.5 TB/s, its link
// to the host at 25 GB/s, 3 us for the smallest launch.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_OPTIMIZE_COST_MODEL_H_
#define GRAPHD_CORE_OPTIMIZE_COST_MODEL_H_

#include <cstdint>

#include "core/optimize/draft.h"

namespace graphd {

// `hints.cost_ns` where it is set.
uint64_t CostOf(const Draft& draft, const DraftNode& node,
                const FlowGraph::AccessList& accesses);

// A copy between host and device memory, and which way.
enum class CopyWay : uint8_t { kNone, kToDevice, kToHost };
CopyWay WayOf(const Draft& draft, const StepBody& body);

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_COST_MODEL_H_
