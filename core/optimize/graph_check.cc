#include "core/optimize/compile.h"
#include "core/optimize/draft_builder.h"

namespace graphd {

Violations CheckGraph(const Graph& graph,
                      const std::vector<ModuleImage>& images) {
  Violations violations;
  Draft draft(graph, DeviceDescription(), CompileOptions());
  BuildDraft(draft, images, violations);
  return violations;
}

}  // namespace graphd
