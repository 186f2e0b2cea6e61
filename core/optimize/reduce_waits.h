// reduce-waits: keeps only the waits that say something new.
//
//   stream 0:  a ─────▶ c          c and d both depend on a: d's wait for c
//   stream 1:     b ──▶ d          covers its wait for a
//
// Nodes in issue order, each one's predecessors on other streams from the
// latest to the earliest: a wait is left out when the clocks cover it already.
// It runs last, because streams decide which edges are waits and plan-memory
// may add edges.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_OPTIMIZE_REDUCE_WAITS_H_
#define GRAPHD_CORE_OPTIMIZE_REDUCE_WAITS_H_

#include "absl/status/status.h"
#include "core/analysis/analysis_cache.h"
#include "core/optimize/draft.h"

namespace graphd {

absl::Status ReduceWaits(Draft& draft, AnalysisCache& facts);

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_REDUCE_WAITS_H_
