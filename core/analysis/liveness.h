// Who uses each buffer, in one linear order: definitions, last uses,
// interference.
//
// A buffer is alive from its first use to its last, whatever lies between: a
// write after a read, several writers, a write that nobody reads. An output, or
// state that outlives the run, stays alive to the end; the caller says which.
// On several streams a lifetime is not an interval: see happens_before.h.
//
// Thread safety: immutable.
#ifndef GRAPHD_CORE_ANALYSIS_LIVENESS_H_
#define GRAPHD_CORE_ANALYSIS_LIVENESS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/analysis/flow_graph.h"
#include "core/analysis/topological_order.h"

namespace graphd {

struct BufferUse {
  NodeId node;
  uint32_t position = 0;  // of the node in the order
  bool reads = false;
  bool writes = false;
};

class Liveness {
 public:
  explicit Liveness(const FlowGraph& flow)
      : Liveness(flow, TopologicalOrder(flow)) {}
  Liveness(const FlowGraph& flow, const TopologicalOrder& order);

  // One entry a node, in order. Empty for a buffer that nothing touches.
  absl::Span<const BufferUse> uses(BufferId buffer) const;

  std::vector<NodeId> Definitions(BufferId buffer) const;  // all that write
  // The uses from the last write on, in this order.
  std::vector<NodeId> LastUses(BufferId buffer) const;
  bool IsUnread(BufferId buffer) const;
  // The first use reads: the bytes come from outside.
  bool IsLiveIn(BufferId buffer) const;

  // Whether the two need different bytes under this order. `kept`: its bytes
  // are wanted after the last node.
  bool Interfere(BufferId a, bool a_kept, BufferId b, bool b_kept) const;

 private:
  std::vector<uint32_t> offsets_;
  std::vector<BufferUse> uses_;
};

}  // namespace graphd

#endif  // GRAPHD_CORE_ANALYSIS_LIVENESS_H_
