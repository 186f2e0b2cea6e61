// RunWatchdog notices a run that takes longer than its limit.
//
// Arming and disarming cost one store each, because they stand in every replay;
// a thread looks at the clock now and then. Past the limit it calls `stop`
// again and again; when the run is still there after a grace it calls `give_up`
// once.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_SERVER_WORKERS_RUN_WATCHDOG_H_
#define GRAPHD_SERVER_WORKERS_RUN_WATCHDOG_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

#include "absl/time/time.h"

namespace graphd {

class RunWatchdog {
 public:
  // `stop` and `give_up` run in the watchdog's thread.
  RunWatchdog(std::function<void()> stop, std::function<void()> give_up,
              absl::Duration grace);
  ~RunWatchdog();
  RunWatchdog(const RunWatchdog&) = delete;
  RunWatchdog& operator=(const RunWatchdog&) = delete;

  // A run begins. Zero: no limit.
  void Arm(absl::Duration limit);
  // The run is over; true when it had passed its limit.
  bool Disarm();

 private:
  void Loop();

  const std::function<void()> stop_;
  const std::function<void()> give_up_;
  const int64_t grace_ns_;
  std::atomic<int64_t> deadline_ns_{0};  // on the steady clock; 0: not armed
  std::atomic<bool> passed_{false};
  std::mutex mutex_;
  std::condition_variable ending_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace graphd

#endif  // GRAPHD_SERVER_WORKERS_RUN_WATCHDOG_H_
