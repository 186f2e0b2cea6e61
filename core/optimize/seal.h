// Freezes a draft into a plan.
//
// Whatever a pass did not answer gets the plain answer: copies at both ends,
// one stream in topological order, a wait for every edge between streams, bytes
// of its own for every buffer. So correctness never depends on a pass. Only
// buffers and images that are used go into the plan; PTX is printed with
// explicit rounding.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_OPTIMIZE_SEAL_H_
#define GRAPHD_CORE_OPTIMIZE_SEAL_H_

#include "core/analysis/analysis_cache.h"
#include "core/optimize/draft.h"
#include "core/plan/plan.h"

namespace graphd {

// The draft is used up; its explanation has the plan's figures afterwards.
Plan Seal(Draft& draft, AnalysisCache& facts);

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_SEAL_H_
