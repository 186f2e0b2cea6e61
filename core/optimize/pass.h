// What a pass is: a free function in one list, run by one wrapper (pipeline.h).
//
// Thread safety: immutable.
#ifndef GRAPHD_CORE_OPTIMIZE_PASS_H_
#define GRAPHD_CORE_OPTIMIZE_PASS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "core/analysis/analysis_cache.h"
#include "core/optimize/draft.h"

namespace graphd {

struct Pass {
  absl::string_view name;     // "fuse-kernels": flags, metrics, golden tests
  absl::string_view summary;  // one line
  absl::Status (*run)(Draft& draft, AnalysisCache& facts);
};

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_PASS_H_
