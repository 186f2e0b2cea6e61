// Facts about a FlowGraph, computed when asked for and thrown away when the
// graph was edited since.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_ANALYSIS_ANALYSIS_CACHE_H_
#define GRAPHD_CORE_ANALYSIS_ANALYSIS_CACHE_H_

#include <cstdint>
#include <memory>

#include "core/analysis/dominance.h"
#include "core/analysis/flow_graph.h"
#include "core/analysis/liveness.h"
#include "core/analysis/topological_order.h"

namespace graphd {

class AnalysisCache {
 public:
  explicit AnalysisCache(const FlowGraph& flow) : flow_(flow) {}

  // Valid until the graph's next edit.
  const TopologicalOrder& topological_order() { return Get(order_); }
  const Dominance& dominance() { return Get(dominance_); }
  const Liveness& liveness() { return Get(liveness_); }

 private:
  template <typename Fact>
  const Fact& Get(std::unique_ptr<Fact>& fact) {
    if (edits_ != flow_.edits()) {
      order_.reset();
      dominance_.reset();
      liveness_.reset();
      edits_ = flow_.edits();
    }
    if (fact == nullptr) fact = std::make_unique<Fact>(flow_);
    return *fact;
  }

  const FlowGraph& flow_;
  uint64_t edits_ = 0;
  std::unique_ptr<TopologicalOrder> order_;
  std::unique_ptr<Dominance> dominance_;
  std::unique_ptr<Liveness> liveness_;
};

}  // namespace graphd

#endif  // GRAPHD_CORE_ANALYSIS_ANALYSIS_CACHE_H_
