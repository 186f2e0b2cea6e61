// RunRegistry counts the calls that are at work, so that a drain can refuse new
// ones and wait for the rest.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_SERVER_RUNS_RUN_REGISTRY_H_
#define GRAPHD_SERVER_RUNS_RUN_REGISTRY_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace graphd {

class RunRegistry {
 public:
  // One call at work, until it is destroyed.
  class Entry {
   public:
    explicit Entry(RunRegistry& registry) : registry_(&registry) {}
    Entry(Entry&& other) noexcept
        : registry_(std::exchange(other.registry_, nullptr)) {}
    Entry& operator=(Entry&&) = delete;
    ~Entry() {
      if (registry_ != nullptr) registry_->End();
    }

   private:
    RunRegistry* registry_;
  };

  // Errors: UNAVAILABLE while draining.
  absl::StatusOr<Entry> Begin();
  // Refuses new calls from now on.
  void Drain();
  // Waits until nothing is at work; false when `deadline` came first.
  bool WaitIdle(absl::Time deadline);

 private:
  void End();

  std::mutex mutex_;
  std::condition_variable idle_;
  uint64_t active_ = 0;
  bool draining_ = false;
};

}  // namespace graphd

#endif  // GRAPHD_SERVER_RUNS_RUN_REGISTRY_H_
