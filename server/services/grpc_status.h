// absl::Status to grpc::Status: the one border where errors leave the daemon.
//
// The code tells a program what to do next, the message tells a person. Details
// ride along as google.rpc messages: BadRequest with one field violation a
// finding, RetryInfo, ErrorInfo.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_SERVER_SERVICES_GRPC_STATUS_H_
#define GRAPHD_SERVER_SERVICES_GRPC_STATUS_H_

#include <grpcpp/support/status.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/graph/violation.h"

namespace graphd {

// Details of an error travel inside absl::Status as payloads, so that every
// layer can add them and only this one knows gRPC.

// `status` with a finding for each violation.
absl::Status WithViolations(absl::Status status,
                            const std::vector<Violation>& violations);
// `status` with advice to wait before the next try.
absl::Status WithRetryDelay(absl::Status status, absl::Duration delay);
// `status` with a reason for programs ("RUN_LIMIT") and what belongs to it.
absl::Status WithReason(absl::Status status, absl::string_view reason,
                        const std::map<std::string, std::string>& metadata);

// INVALID_ARGUMENT with every finding in message and details; OK when empty.
absl::Status ViolationsStatus(const Violations& violations,
                              absl::string_view subject);

// Messages longer than what fits into gRPC's metadata are cut; the details keep
// as many findings as fit.
grpc::Status ToGrpcStatus(const absl::Status& status);

}  // namespace graphd

#endif  // GRAPHD_SERVER_SERVICES_GRPC_STATUS_H_
