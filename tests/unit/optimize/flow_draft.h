// Drafts for the tests of single passes: kernels by name, with what they read
// and write, on one graph that outlives them.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_TESTS_UNIT_OPTIMIZE_FLOW_DRAFT_H_
#define GRAPHD_TESTS_UNIT_OPTIMIZE_FLOW_DRAFT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "core/analysis/analysis_cache.h"
#include "core/graph/graph.h"
#include "core/optimize/draft.h"
#include "core/plan/plan.h"

namespace graphd {

class FlowDraft {
 public:
  BufferId Buffer(const std::string& name, BufferRole role, uint64_t bytes,
                  MemorySpace space = MemorySpace::kDevice);
  // Reads and writes whole buffers.
  NodeId Kernel(const std::string& name, const std::vector<std::string>& reads,
                const std::vector<std::string>& writes, uint64_t cost_ns = 1000,
                AccessKind write_kind = AccessKind::kMustWrite);
  NodeId Node(graphd::Node node);

  // Call once, after the last node.
  Draft& Build(uint32_t streams = 4);
  Draft& draft() { return *draft_; }
  AnalysisCache& facts() { return *facts_; }
  const Graph& graph() const { return graph_; }

  // By name in the draft; a failed test when there is none.
  NodeId Find(const std::string& name) const;
  uint64_t OffsetOf(const std::string& buffer) const;

 private:
  BufferId Id(const std::string& name) const;

  Graph graph_;
  absl::flat_hash_map<std::string, BufferId> ids_;  // by buffer's name
  std::unique_ptr<Draft> draft_;
  std::unique_ptr<AnalysisCache> facts_;
};

}  // namespace graphd

#endif  // GRAPHD_TESTS_UNIT_OPTIMIZE_FLOW_DRAFT_H_
