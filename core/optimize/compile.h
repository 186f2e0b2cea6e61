// Graph in, plan out: the whole compiler behind two calls.
//
// CheckGraph is everything that can be said without a device; CompileGraph
// builds the draft, runs the passes, seals and verifies. Sources were compiled
// to PTX before (server/workers/nvrtc): `images` has one entry for each of the
// graph's modules, in their order.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_OPTIMIZE_COMPILE_H_
#define GRAPHD_CORE_OPTIMIZE_COMPILE_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/graph/graph.h"
#include "core/graph/violation.h"
#include "core/optimize/draft.h"
#include "core/plan/explanation.h"
#include "core/plan/plan.h"

namespace graphd {

// A graph's module after NVRTC.
struct ModuleImage {
  ImageKind kind = ImageKind::kPtx;
  std::string code;  // PTX text, or cubin bytes
  // Name expression -> PTX entry name, from NVRTC.
  std::vector<std::pair<std::string, std::string>> lowered_names;
};

// Parses each PTX image, finds each kernel's function (naming those that exist
// when it is unknown), and compares arguments, launch shapes and declared
// accesses with the signature and with what the PTX shows. Returns every
// finding, paths as in graphd.v1.Graph.
Violations CheckGraph(const Graph& graph,
                      const std::vector<ModuleImage>& images);

struct CompileResult {
  PlanPtr plan;
  Explanation explanation;
};

// Requires: Validate(graph) found nothing.
// Errors: INVALID_ARGUMENT (what CheckGraph finds, races, undefined reads),
// FAILED_PRECONDITION (the device cannot run it: launch limits, unsupported
// instruction, cubin on the software device), DEADLINE_EXCEEDED, INTERNAL (the
// plain plan does not verify).
struct CompileClock {
  std::function<absl::Time()> now;  // core reads no clock of its own
  absl::Time deadline = absl::InfiniteFuture();
};
absl::StatusOr<CompileResult> CompileGraph(
    const Graph& graph, const std::vector<ModuleImage>& images,
    const DeviceDescription& device, const CompileOptions& options,
    const CompileClock& clock);

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_COMPILE_H_
