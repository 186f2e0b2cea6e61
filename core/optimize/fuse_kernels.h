// fuse-kernels: makes one kernel of those that hand element i on to thread i.
//
//   x → relu → t → scale → y        x → relu+scale → y
//
// In stream order all of a kernel happens before all of the next; fused, only
// the order within a thread is left. That is the same when no two threads touch
// a common byte, one in each kernel, and one of them writes: proved for kernels
// of one shape and bound whose threads touch their own elements only
// (fuse_candidate.h). A value that was just stored stays in a register, and a
// buffer that nobody else touches is gone. A group never has a path that leaves
// it and comes back. It runs after the copies are in, which touch buffers too,
// and before streams, which see fewer nodes.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_OPTIMIZE_FUSE_KERNELS_H_
#define GRAPHD_CORE_OPTIMIZE_FUSE_KERNELS_H_

#include "absl/status/status.h"
#include "core/analysis/analysis_cache.h"
#include "core/optimize/draft.h"

namespace graphd {

// Each decision is in the draft's explanation; of refusals the first thousand.
// Errors: INTERNAL when a merged kernel is not what was proved of it.
absl::Status FuseKernels(Draft& draft, AnalysisCache& facts);

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_FUSE_KERNELS_H_
