// plan-memory: lets buffers that are never alive together lie on the same
// bytes.
//
//   a → t → b → u → c       t: [0, 4096)   u: [4096, 8192)   v: [0, 4096)
//             → v → d       v may take t's bytes once every access of t happens
//                           before every access of v
//
// Happens before: by clocks over the streams, all edges included, so it holds
// however the streams drift. A lifetime in one linear order would not do.
// Inputs that no node writes keep bytes of their own, so that a run with a
// count uploads them once. It runs after assign-streams, whose order it needs.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_OPTIMIZE_PLAN_MEMORY_H_
#define GRAPHD_CORE_OPTIMIZE_PLAN_MEMORY_H_

#include "absl/status/status.h"
#include "core/analysis/analysis_cache.h"
#include "core/optimize/draft.h"

namespace graphd {

absl::Status PlanMemory(Draft& draft, AnalysisCache& facts);

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_PLAN_MEMORY_H_
