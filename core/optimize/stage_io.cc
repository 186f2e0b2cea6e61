#include "core/optimize/stage_io.h"

#include "core/optimize/insert_copies.h"

namespace graphd {

absl::Status StageIo(Draft& draft, AnalysisCache& facts) {
  InsertCopies(draft, facts.liveness());
  return absl::OkStatus();
}

}  // namespace graphd
