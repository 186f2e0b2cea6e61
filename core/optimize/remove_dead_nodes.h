// remove-dead-nodes: drops what no output depends on.
//
//   x → a → y (output)             x → a → y
//     ↘ b → t (read by nobody)     becomes nothing
//
// Backwards through the order with the bytes that are still wanted: a node is
// alive when it may write a wanted byte or does something that a client can
// notice; a must-write ends the want, a read begins one. Order that went
// through a dead node is kept. It runs first, so that nothing else spends time
// on the dead.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_OPTIMIZE_REMOVE_DEAD_NODES_H_
#define GRAPHD_CORE_OPTIMIZE_REMOVE_DEAD_NODES_H_

#include "absl/status/status.h"
#include "core/analysis/analysis_cache.h"
#include "core/optimize/draft.h"

namespace graphd {

absl::Status RemoveDeadNodes(Draft& draft, AnalysisCache& facts);

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_REMOVE_DEAD_NODES_H_
