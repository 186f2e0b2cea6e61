// Turns accesses into edges: a node waits for each earlier one that touches the
// same bytes, when at least one of the two may write.
//
// Works buffer by buffer (buffer_history.h), in declaration order, or, when the
// graph's order is explicit, in an order that `after` allows; then a conflict
// without a path is a race instead of an edge. On the way it sees reads of
// bytes that nothing defined. A buffer where that is only possible gets a fill
// before everything else.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_OPTIMIZE_ORDER_EDGES_H_
#define GRAPHD_CORE_OPTIMIZE_ORDER_EDGES_H_

#include <cstdint>
#include <vector>

#include "core/analysis/topological_order.h"
#include "core/graph/violation.h"
#include "core/optimize/draft.h"

namespace graphd {

// Which of a node's accesses are surely what happens: bit i for accesses[i];
// those beyond 64 are not.
using ExactMask = uint64_t;
inline constexpr ExactMask kAllExact = ~ExactMask{0};

// Requires: `draft` holds the graph's nodes (ids as in the graph) and the ones
// that the builder inserted before everything else, with their accesses and
// with `after` as predecessors; `exact` is by node.
// Adds edges, fills and warnings to the draft; races, undefined reads and
// cycles to `violations`.
void AddOrder(Draft& draft, const std::vector<ExactMask>& exact,
              Violations& violations);

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_ORDER_EDGES_H_
