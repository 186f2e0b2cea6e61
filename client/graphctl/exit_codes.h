// The exit codes of graphctl, and which one an error gets.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CLIENT_GRAPHCTL_EXIT_CODES_H_
#define GRAPHD_CLIENT_GRAPHCTL_EXIT_CODES_H_

#include "absl/status/status.h"
#include "client/client.h"

namespace graphd::graphctl {

inline constexpr int kDone = 0;
inline constexpr int kAnswerIsNo = 1;  // it ran, and the answer is no
inline constexpr int kUsage = 2;
inline constexpr int kTimedOut = 3;
inline constexpr int kPartial = 4;      // some of what was named failed
inline constexpr int kStatusBase = 64;  // plus the code of the gRPC status
inline constexpr int kInterrupted = 130;

// Marks an error as one of the command line itself.
inline constexpr absl::string_view kUsageError = "graphctl/usage";

inline absl::Status UsageError(absl::string_view message) {
  absl::Status status = absl::InvalidArgumentError(message);
  status.SetPayload(kUsageError, absl::Cord("1"));
  return status;
}

inline int ExitCodeOf(const absl::Status& status) {
  if (status.ok()) return kDone;
  if (status.GetPayload(kUsageError).has_value()) return kUsage;
  if (status.GetPayload(Client::kTimedOut).has_value()) return kTimedOut;
  return kStatusBase + static_cast<int>(status.code());
}

}  // namespace graphd::graphctl

#endif  // GRAPHD_CLIENT_GRAPHCTL_EXIT_CODES_H_
