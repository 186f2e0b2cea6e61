// Supervisor keeps one process of ours alive: it starts it, notices its end,
// and starts it again after a pause.
//
// The pause doubles while the process keeps dying young and goes back to the
// first one when it lived long enough. Whoever needs the process asks Ready().
//
// Thread safety: thread-safe.
#ifndef GRAPHD_SERVER_WORKERS_SUPERVISOR_H_
#define GRAPHD_SERVER_WORKERS_SUPERVISOR_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/base/descriptor.h"
#include "server/workers/worker_handle.h"

namespace graphd {

enum class WorkerState : uint8_t { kStarting, kServing, kNotServing, kStopped };

class Supervisor {
 public:
  struct Options {
    std::string name;  // "compiler", "worker of soft0": for messages
    WorkerCommand command;
    absl::Duration hello_limit = absl::Seconds(60);
    absl::Duration first_pause = absl::Milliseconds(20);
    absl::Duration longest_pause = absl::Seconds(5);
    absl::Duration healthy_after = absl::Seconds(5);
  };
  struct Change {
    WorkerState state;
    pid_t pid = 0;
    std::string cause;  // of kNotServing
  };
  // Called from several threads, one change at a time.
  using Observer = std::function<void(const Change&)>;

  // Starts at once, in a thread of its own.
  explicit Supervisor(Options options, Observer observer = nullptr);
  ~Supervisor();  // as Stop
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // The process, waited for until `deadline`.
  // Errors: UNAVAILABLE (not ready, with the latest cause).
  absl::StatusOr<std::shared_ptr<WorkerHandle>> Ready(absl::Time deadline);
  // `handle` has said that it is ending: NOT_SERVING until its successor is
  // there. Kills it when it does not end soon.
  void Retire(const std::shared_ptr<WorkerHandle>& handle);
  // Ends the process and the thread.
  void Stop();

  WorkerState state() const;
  // Times a process was replaced.
  uint64_t restarts() const;
  // 0 when there is none.
  pid_t pid() const;
  // The latest hello; null when there was none yet.
  std::shared_ptr<const internal::v1::ChannelReply> hello() const;

 private:
  void Loop();
  // Sleeps; false when stopped.
  bool Pause(absl::Duration duration);
  // With `replaces`, only while that is the current handle.
  void Set(WorkerState state, std::shared_ptr<WorkerHandle> handle,
           std::string cause, const WorkerHandle* replaces = nullptr);
  bool Stopping() const;
  // Waits for the end of `handle`; false when stopped.
  bool Watch(WorkerHandle& handle);

  const Options options_;
  const Observer observer_;
  Descriptor wake_;  // eventfd: readable when stopping or a handle retired

  std::mutex observer_mutex_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  WorkerState state_ = WorkerState::kStarting;
  std::shared_ptr<WorkerHandle> handle_;
  std::shared_ptr<const internal::v1::ChannelReply> hello_;
  std::string cause_;
  uint64_t starts_ = 0;
  std::thread thread_;
};

}  // namespace graphd

#endif  // GRAPHD_SERVER_WORKERS_SUPERVISOR_H_
