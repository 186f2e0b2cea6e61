#include "server/services/call.h"

#include <chrono>

#include "server/services/grpc_status.h"

namespace graphd {
namespace {

// A replacement of a worker or the compiler takes about this long.
constexpr absl::Duration kReplaced = absl::Milliseconds(500);
// A place in a queue comes free sooner.
constexpr absl::Duration kQueued = absl::Milliseconds(100);

}  // namespace

absl::Time DeadlineOf(const grpc::ServerContext& context) {
  const auto deadline = context.deadline();
  if (deadline == std::chrono::system_clock::time_point::max()) {
    return absl::InfiniteFuture();
  }
  return absl::FromChrono(deadline);
}

CompilerClient::Patience PatienceOf(grpc::ServerContext& context) {
  return {DeadlineOf(context), [&context] { return context.IsCancelled(); }};
}

absl::Status WithRetryAdvice(absl::Status status) {
  if (absl::IsUnavailable(status)) {
    return WithRetryDelay(std::move(status), kReplaced);
  }
  if (absl::IsResourceExhausted(status)) {
    return WithRetryDelay(std::move(status), kQueued);
  }
  return status;
}

}  // namespace graphd
