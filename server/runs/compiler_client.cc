#include "server/runs/compiler_client.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"

namespace graphd {
namespace {

using internal::v1::ChannelReply;
using internal::v1::ChannelRequest;

// How long a call waits for a compiler that is being replaced.
constexpr absl::Duration kReplacement = absl::Seconds(5);
// Digests with a strike that are remembered.
constexpr size_t kMostStrikes = 4096;

}  // namespace

CompilerClient::CompilerClient(Options options, Supervisor::Observer observer)
    : options_(std::move(options)),
      queue_("compiler", options_.queue_capacity),
      supervisor_({"compiler", options_.command}, std::move(observer)) {}

absl::Status CompilerClient::CheckQuarantine(const Digest& digest) const {
  std::lock_guard lock(mutex_);
  const auto found = strikes_.find(digest);
  if (found == strikes_.end() || found->second < kStrikes) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      digest.ToString(), " is quarantined: it ended the compiler ",
      found->second, " times; an operator clears it by restarting graphd"));
}

absl::Status CompilerClient::Strike(const Digest& digest,
                                    absl::string_view cause) {
  {
    std::lock_guard lock(mutex_);
    if (strikes_.size() >= kMostStrikes) strikes_.clear();
    ++strikes_[digest];
  }
  const absl::Status quarantined = CheckQuarantine(digest);
  const std::string what = absl::StrCat(
      "the compiler ended while it worked on ", digest.ToString(), ": ", cause);
  if (quarantined.ok()) return absl::UnavailableError(what);
  return absl::FailedPreconditionError(
      absl::StrCat(quarantined.message(), "; ", what));
}

absl::StatusOr<ChannelReply> CompilerClient::Ask(const Digest& digest,
                                                 ChannelRequest& request,
                                                 const Patience& patience) {
  GRAPHD_RETURN_IF_ERROR(CheckQuarantine(digest));
  GRAPHD_ASSIGN_OR_RETURN(const TurnQueue::Turn turn,
                          queue_.Enter(patience.deadline, patience.cancelled));
  for (int attempt = 0;; ++attempt) {
    GRAPHD_ASSIGN_OR_RETURN(
        auto handle, supervisor_.Ready(std::min(patience.deadline,
                                                absl::Now() + kReplacement)));
    auto reply = handle->Call(request, -1, absl::Now() + options_.limit);
    const absl::StatusCode code = reply.status().code();
    if (code == absl::StatusCode::kUnavailable && attempt == 0) continue;
    if (code == absl::StatusCode::kDeadlineExceeded) {
      return absl::DeadlineExceededError(absl::StrCat(
          "compilation passed its limit of ",
          absl::FormatDuration(options_.limit), " (--compile-limit)"));
    }
    if (code == absl::StatusCode::kAborted) {
      if (handle->exit_signal() == SIGXCPU) {
        return absl::ResourceExhaustedError(
            absl::StrCat("compilation passed its processor-time limit of ",
                         absl::FormatDuration(options_.cpu_limit),
                         " (--compile-cpu-limit)"));
      }
      return Strike(digest, handle->exit_cause());
    }
    return reply;
  }
}

}  // namespace graphd
