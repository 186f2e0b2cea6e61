// CompilerClient is the compiler process as the daemon sees it: the queue
// before it, its limits, and the digests that ended it.
//
// Calls are served one at a time. A call that passes the wall-clock limit ends
// the process; the process ends itself at its processor-time and memory limits.
// A graph that has ended two compilers is quarantined until graphd restarts.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_SERVER_RUNS_COMPILER_CLIENT_H_
#define GRAPHD_SERVER_RUNS_COMPILER_CLIENT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/base/digest.h"
#include "graphd/internal/v1/worker.pb.h"
#include "server/runs/turn_queue.h"
#include "server/workers/supervisor.h"

namespace graphd {

class CompilerClient {
 public:
  struct Options {
    WorkerCommand command;
    size_t queue_capacity = 64;
    absl::Duration limit = absl::Seconds(30);
    absl::Duration cpu_limit = absl::Seconds(60);  // for messages
  };
  // How long a caller is willing to wait.
  struct Patience {
    absl::Time deadline = absl::InfiniteFuture();
    std::function<bool()> cancelled = [] { return false; };
  };

  static constexpr int kStrikes = 2;

  CompilerClient(Options options, Supervisor::Observer observer);

  // Asks about the graph `digest`. A reply whose code is not OK is a reply.
  // Errors: FAILED_PRECONDITION (quarantined), UNAVAILABLE (the compiler
  // ended), DEADLINE_EXCEEDED (the limit, or the caller's deadline),
  // RESOURCE_EXHAUSTED (queue full, processor time), CANCELLED.
  absl::StatusOr<internal::v1::ChannelReply> Ask(
      const Digest& digest, internal::v1::ChannelRequest& request,
      const Patience& patience);
  void Stop() { supervisor_.Stop(); }

  const Supervisor& supervisor() const { return supervisor_; }

 private:
  absl::Status CheckQuarantine(const Digest& digest) const;
  absl::Status Strike(const Digest& digest, absl::string_view cause);

  const Options options_;
  TurnQueue queue_;
  Supervisor supervisor_;
  mutable std::mutex mutex_;
  std::map<Digest, int> strikes_;
};

}  // namespace graphd

#endif  // GRAPHD_SERVER_RUNS_COMPILER_CLIENT_H_
