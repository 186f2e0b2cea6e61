// From a way to make drafts to a verified plan.
//
// The plan that the passes make is proved by core/plan/verify.h. When the proof
// fails, the passes are switched off one at a time to name the one to blame,
// and the plain plan is served with a warning: an optimiser's fault costs
// speed, never the answer.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_OPTIMIZE_COMPILE_DRAFT_H_
#define GRAPHD_CORE_OPTIMIZE_COMPILE_DRAFT_H_

#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/optimize/compile.h"
#include "core/optimize/pass.h"

namespace graphd {

// Fills an empty draft; called again for each attempt.
using DraftMaker = std::function<absl::Status(Draft& draft)>;

// Errors: those of `make` and of CompileGraph.
absl::StatusOr<CompileResult> CompileDraft(const Graph& graph,
                                           const DeviceDescription& device,
                                           const CompileOptions& options,
                                           const CompileClock& clock,
                                           absl::Span<const Pass> passes,
                                           const DraftMaker& make);

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_COMPILE_DRAFT_H_
