// What every method does around its work: the deadline, the cancellation and
// the drain of a call.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_SERVER_SERVICES_CALL_H_
#define GRAPHD_SERVER_SERVICES_CALL_H_

#include <grpcpp/server_context.h>

#include "absl/time/time.h"
#include "server/runs/compiler_client.h"

namespace graphd {

// InfiniteFuture when the client set none.
absl::Time DeadlineOf(const grpc::ServerContext& context);

// How long this client waits. The context outlives it.
CompilerClient::Patience PatienceOf(grpc::ServerContext& context);

// Adds RetryInfo to UNAVAILABLE and RESOURCE_EXHAUSTED when there is none yet.
absl::Status WithRetryAdvice(absl::Status status);

}  // namespace graphd

#endif  // GRAPHD_SERVER_SERVICES_CALL_H_
