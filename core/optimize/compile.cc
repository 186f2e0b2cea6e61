#include "core/optimize/compile.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/graph/graph_digest.h"
#include "core/graph/validation.h"
#include "core/optimize/check_device.h"
#include "core/optimize/compile_draft.h"
#include "core/optimize/draft_builder.h"
#include "core/optimize/pipeline.h"

namespace graphd {

absl::StatusOr<CompileResult> CompileGraph(
    const Graph& graph, const std::vector<ModuleImage>& images,
    const DeviceDescription& device, const CompileOptions& options,
    const CompileClock& clock) {
  const Digest digest = GraphDigest(graph);
  return CompileDraft(graph, device, options, clock, Passes(),
                      [&](Draft& draft) -> absl::Status {
                        Violations violations;
                        BuildDraft(draft, images, violations);
                        GRAPHD_RETURN_IF_ERROR(violations.ToStatus("graph"));
                        draft.graph_digest = digest;
                        return CheckDevice(draft);
                      });
}

}  // namespace graphd
