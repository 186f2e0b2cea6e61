#include "server/runs/run_registry.h"

#include "absl/status/status.h"

namespace graphd {

absl::StatusOr<RunRegistry::Entry> RunRegistry::Begin() {
  std::lock_guard lock(mutex_);
  if (draining_) {
    return absl::UnavailableError("graphd is draining and takes no new work");
  }
  ++active_;
  return Entry(*this);
}

void RunRegistry::Drain() {
  std::lock_guard lock(mutex_);
  draining_ = true;
}

bool RunRegistry::WaitIdle(absl::Time deadline) {
  std::unique_lock lock(mutex_);
  return idle_.wait_until(lock, absl::ToChronoTime(deadline),
                          [&] { return active_ == 0; });
}

void RunRegistry::End() {
  std::lock_guard lock(mutex_);
  if (--active_ == 0) idle_.notify_all();
}

}  // namespace graphd
