// stage-io: puts the copies between the client's bytes and the device into the
// draft (insert_copies.h draws them).
//
// Inserted here, copies are nodes like any other: they overlap with kernels, on
// streams of their own where that helps, and their buffers lend bytes. It runs
// before fusion and streams, which have to know who else touches a buffer.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_OPTIMIZE_STAGE_IO_H_
#define GRAPHD_CORE_OPTIMIZE_STAGE_IO_H_

#include "absl/status/status.h"
#include "core/analysis/analysis_cache.h"
#include "core/optimize/draft.h"

namespace graphd {

absl::Status StageIo(Draft& draft, AnalysisCache& facts);

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_STAGE_IO_H_
