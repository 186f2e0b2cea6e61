// assign-streams: gives each node a stream and a place in the order of issue.
//
//   a → b → d           stream 0:  a  b  d
//     ↘ c ↗             stream 1:     c
//
// Event-driven list scheduling: whenever a stream is free, the ready node with
// the longest path to a sink goes to it, by preference to the stream of a
// predecessor. Copies in each direction share one stream beside the k for
// kernels, where that ends sooner than without; so does a second stream. A
// chain stays on one. It runs before plan-memory: who may lend bytes to whom
// follows from this order.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_OPTIMIZE_ASSIGN_STREAMS_H_
#define GRAPHD_CORE_OPTIMIZE_ASSIGN_STREAMS_H_

#include "absl/status/status.h"
#include "core/analysis/analysis_cache.h"
#include "core/optimize/draft.h"

namespace graphd {

absl::Status AssignStreams(Draft& draft, AnalysisCache& facts);

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_ASSIGN_STREAMS_H_
