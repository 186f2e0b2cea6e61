// The copies between what a client binds and what nodes use.
//
//   x (DEVICE input)  → relu      becomes   x (host) → [upload x]   → x → relu
//   scale → y (DEVICE output)     becomes   scale → y → [download y] → y (host)
//
// An upload waits for nothing and whoever uses the buffer waits for it; a
// download waits for the buffer's last writers. Uploads are needed by a run's
// first execution only, unless nodes write the buffer; downloads by its last
// (docs/decisions/0003-run-phases.md). HOST buffers are bound as they are.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_OPTIMIZE_INSERT_COPIES_H_
#define GRAPHD_CORE_OPTIMIZE_INSERT_COPIES_H_

#include <vector>

#include "core/analysis/liveness.h"
#include "core/optimize/draft.h"

namespace graphd {

struct InsertedCopies {
  std::vector<NodeId> uploads;
  std::vector<NodeId> downloads;
};

// Requires: !draft.copies_inserted. `liveness` is read before the draft
// changes.
InsertedCopies InsertCopies(Draft& draft, const Liveness& liveness);

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_INSERT_COPIES_H_
