// What a kernel node touches, from what its PTX shows.
//
// Each load and store is rooted in an argument; the argument's buffer is read
// or written there. The range is proved where the offset is a polynomial whose
// values the launch bounds; else it is the whole buffer. A derived write is a
// may-write: other threads may leave bytes out.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_OPTIMIZE_DERIVE_ACCESSES_H_
#define GRAPHD_CORE_OPTIMIZE_DERIVE_ACCESSES_H_

#include <cstdint>
#include <optional>

#include "core/analysis/flow_graph.h"
#include "core/graph/graph.h"
#include "core/ptx/access_analysis.h"

namespace graphd {

struct BufferRoot {
  BufferId buffer;
  uint64_t offset_bytes = 0;
};

// The buffer whose address `argument` holds at byte `offset_bytes` of itself.
std::optional<BufferRoot> RootOf(const Argument& argument,
                                 uint32_t offset_bytes);

// Reads and writes of the graph's buffers; module variables are not in it. One
// entry for each buffer and direction.
// Requires: every rooted access has a buffer (CheckKernelNode found nothing).
FlowGraph::AccessList DeriveAccesses(const Graph& graph, const KernelNode& node,
                                     const ptx::KernelFacts& facts);

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_DERIVE_ACCESSES_H_
