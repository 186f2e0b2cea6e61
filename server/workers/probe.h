// Asks `graphd-worker --probe` which devices there are, so that no GPU driver
// is ever loaded into the daemon.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_SERVER_WORKERS_PROBE_H_
#define GRAPHD_SERVER_WORKERS_PROBE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "graphd/internal/v1/worker.pb.h"

namespace graphd {

// Errors: NOT_FOUND (no such program), UNAVAILABLE (it failed, with its exit),
// DEADLINE_EXCEEDED (it was killed), INTERNAL (its answer does not parse).
absl::StatusOr<internal::v1::ProbeReport> ProbeDevices(
    const std::string& program, absl::Time deadline);

}  // namespace graphd

#endif  // GRAPHD_SERVER_WORKERS_PROBE_H_
