// A device's primary context: its fault, and the turn that its work takes.
//
// Work runs in the thread that issues it, one piece after the other within a
// context. That is one of the executions that the stream model allows: what is
// issued to a stream is done when the call returns, so events are complete when
// recorded and nothing is ever left to wait for.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_SOFTGPU_CONTEXT_H_
#define GRAPHD_CORE_SOFTGPU_CONTEXT_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "core/driver/driver_table.h"

namespace graphd::softgpu {

class Device;

class Context {
 public:
  explicit Context(Device& device) : device_(device) {}

  // The first fault stays until the context is destroyed.
  void SetFault(FaultDetail fault);
  // No longer usable: the primary context was released.
  void Destroy() { destroyed_ = true; }
  // Ends the turn that is running, if one is: its kernel faults with
  // CUDA_ERROR_LAUNCH_TIMEOUT.
  void Stop();

  // CUDA_SUCCESS while work may be issued, else why not.
  CUresult state() const;
  std::optional<FaultDetail> fault() const;
  bool destroyed() const { return destroyed_; }
  Device& device() const { return device_; }
  const std::atomic<bool>& stop() const { return stop_; }

 private:
  friend class Turn;

  Device& device_;
  std::atomic<bool> destroyed_{false};
  std::atomic<CUresult> fault_code_{CUDA_SUCCESS};
  std::atomic<bool> stop_{false};
  mutable std::mutex mutex_;  // of fault_ and running_
  FaultDetail fault_;
  bool running_ = false;
  std::mutex turn_;  // held by work while it runs
};

// Exclusive use of contexts while work runs in them.
class Turn {
 public:
  using Contexts = absl::InlinedVector<Context*, 2>;

  // Waits for the work of other threads. `contexts` may repeat one.
  explicit Turn(Contexts contexts);
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Contexts contexts_;
};

}  // namespace graphd::softgpu

#endif  // GRAPHD_CORE_SOFTGPU_CONTEXT_H_
