// The list of passes, and the one wrapper that runs them.
//
// The wrapper does the same for all: stop when late, skip what is switched off,
// time it, run it, check the draft, record. A pass that leaves a draft that
// cannot be is our own fault: INTERNAL, naming the pass.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_OPTIMIZE_PIPELINE_H_
#define GRAPHD_CORE_OPTIMIZE_PIPELINE_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/analysis/analysis_cache.h"
#include "core/optimize/compile.h"
#include "core/optimize/draft.h"
#include "core/optimize/pass.h"

namespace graphd {

// In the order in which they run.
absl::Span<const Pass> Passes();

// INVALID_ARGUMENT, naming those that there are, when `options` switches off a
// pass that is not in `passes`.
absl::Status CheckSkippedPasses(absl::Span<const Pass> passes,
                                const CompileOptions& options);

// Errors: DEADLINE_EXCEEDED, INTERNAL, and whatever a pass returns.
absl::Status RunPasses(Draft& draft, AnalysisCache& facts,
                       absl::Span<const Pass> passes,
                       const CompileClock& clock);

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_PIPELINE_H_
