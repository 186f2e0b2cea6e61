#include "server/workers/run_watchdog.h"

#include <chrono>
#include <utility>

namespace graphd {
namespace {

constexpr std::chrono::milliseconds kLookAround(20);

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

RunWatchdog::RunWatchdog(std::function<void()> stop,
                         std::function<void()> give_up, absl::Duration grace)
    : stop_(std::move(stop)),
      give_up_(std::move(give_up)),
      grace_ns_(absl::ToInt64Nanoseconds(grace)),
      thread_([this] { Loop(); }) {}

RunWatchdog::~RunWatchdog() {
  {
    std::lock_guard lock(mutex_);
    end_ = true;
  }
  ending_.notify_all();
  thread_.join();
}

void RunWatchdog::Arm(absl::Duration limit) {
  passed_ = false;
  deadline_ns_ = limit <= absl::ZeroDuration()
                     ? 0
                     : NowNs() + absl::ToInt64Nanoseconds(limit);
}

bool RunWatchdog::Disarm() {
  // The lock waits for a `stop` that is under way: it must not meet the next
  // run.
  deadline_ns_ = 0;
  if (!passed_) return false;
  std::lock_guard lock(mutex_);
  return passed_;
}

void RunWatchdog::Loop() {
  std::unique_lock lock(mutex_);
  while (!ending_.wait_for(lock, kLookAround, [this] { return end_; })) {
    const int64_t deadline_ns = deadline_ns_;
    const int64_t now_ns = NowNs();
    if (deadline_ns == 0 || now_ns < deadline_ns) continue;
    passed_ = true;
    if (deadline_ns_ != deadline_ns) continue;  // it ended just now
    if (now_ns > deadline_ns + grace_ns_) {
      give_up_();
      return;
    }
    stop_();
  }
}

}  // namespace graphd
