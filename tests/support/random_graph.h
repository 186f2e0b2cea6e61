// Random right graphs: element-wise kernels, kernels that read elsewhere,
// in-place updates, copies and fills of parts, inputs that nodes write, unread
// results.
//
// Every read is of bytes that something wrote, so the answer is defined and any
// two right executions agree.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_TESTS_SUPPORT_RANDOM_GRAPH_H_
#define GRAPHD_TESTS_SUPPORT_RANDOM_GRAPH_H_

#include <cstdint>

#include "core/graph/graph.h"

namespace graphd {

struct RandomGraphOptions {
  uint64_t seed = 0;
  uint32_t nodes = 24;
  uint32_t buffers = 8;     // besides one input and one output
  uint32_t elements = 200;  // words of 32 bits in each buffer
  GraphOrder order = GraphOrder::kFromAccesses;
};

// With order kExplicit, `after` holds the hazards of the declaration order.
Graph RandomGraph(const RandomGraphOptions& options);

}  // namespace graphd

#endif  // GRAPHD_TESTS_SUPPORT_RANDOM_GRAPH_H_
