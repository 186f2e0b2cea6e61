// WorkerHandle is one process of ours, a worker or the compiler, from exec to
// exit.
//
// The process starts by fork and exec, has one descriptor (number 3, its end of
// the channel), a process group of its own, and dies with the thread that
// started it. It says hello (a reply with id 0) before it takes requests. A
// call that loses the process tells whether the request was taken: UNAVAILABLE
// before, ABORTED after.
//
// Thread safety: thread-safe; calls are served one at a time.
#ifndef GRAPHD_SERVER_WORKERS_WORKER_HANDLE_H_
#define GRAPHD_SERVER_WORKERS_WORKER_HANDLE_H_

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "graphd/internal/v1/worker.pb.h"
#include "server/workers/channel.h"

namespace graphd {

// What to execute.
struct WorkerCommand {
  std::string program;                 // path
  std::vector<std::string> arguments;  // without the program's name
};

class WorkerHandle {
 public:
  // Starts the process and waits for its hello.
  // Requires: the calling thread lives as long as the process shall.
  // Errors: NOT_FOUND (no such program), UNAVAILABLE (it ended, with the
  // cause), DEADLINE_EXCEEDED (no hello), and the error that its hello carried.
  static absl::StatusOr<std::shared_ptr<WorkerHandle>> Start(
      const WorkerCommand& command, absl::Time deadline);
  // Kills and reaps the process when it still lives.
  ~WorkerHandle();
  WorkerHandle(const WorkerHandle&) = delete;
  WorkerHandle& operator=(const WorkerHandle&) = delete;

  // Sends `request`, with a descriptor when it is not -1, and waits for the
  // answer. Sets the request's id. A reply whose code is not OK is a reply.
  // Errors: UNAVAILABLE (the process went before it took the request), ABORTED
  // (it went after), DEADLINE_EXCEEDED (it was killed for not answering),
  // RESOURCE_EXHAUSTED (request above the channel's limit).
  absl::StatusOr<internal::v1::ChannelReply> Call(
      internal::v1::ChannelRequest& request, int descriptor = -1,
      absl::Time deadline = absl::InfiniteFuture());
  // No further use: calls fail from now on. The process is left to end.
  void Retire() { usable_ = false; }
  void Kill();
  // Waits for the end; false when it still lives at `deadline`, or when `wake`
  // (a descriptor, may be -1) becomes readable.
  bool WaitExit(absl::Time deadline, int wake = -1);

  bool usable() const { return usable_; }
  pid_t pid() const { return pid_; }
  const internal::v1::ChannelReply& hello() const { return hello_; }
  // "exit code 1", "signal 9 (Killed)"; empty while it lives.
  std::string exit_cause() const;
  // The signal that ended it; 0 when none did.
  int exit_signal() const;

 private:
  WorkerHandle(pid_t pid, Descriptor process, Channel channel);
  bool Reap();

  const pid_t pid_;
  Descriptor process_;  // pidfd
  std::mutex call_mutex_;
  Channel channel_;
  uint64_t next_id_ = 1;
  internal::v1::ChannelReply hello_;
  std::atomic<bool> usable_{true};
  mutable std::mutex exit_mutex_;
  std::optional<int> wait_status_;
};

}  // namespace graphd

#endif  // GRAPHD_SERVER_WORKERS_WORKER_HANDLE_H_
