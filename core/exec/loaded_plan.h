// A plan's footing on one device: images loaded, functions found, arenas
// reserved, every buffer at its address.
//
// Addresses stay fixed for the life of the object; that is what lets a CUDA
// graph be instantiated once.
//
// Thread safety: thread-compatible. The device's context is current wherever a
// method is called.
#ifndef GRAPHD_CORE_EXEC_LOADED_PLAN_H_
#define GRAPHD_CORE_EXEC_LOADED_PLAN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/driver/driver_table.h"
#include "core/plan/plan.h"

namespace graphd {

class LoadedPlan {
 public:
  // Errors: INVALID_ARGUMENT (an image does not load, a function or variable is
  // not in it), RESOURCE_EXHAUSTED.
  static absl::StatusOr<std::unique_ptr<LoadedPlan>> Load(
      const DriverTable& driver, PlanPtr plan);
  ~LoadedPlan();
  LoadedPlan(const LoadedPlan&) = delete;
  LoadedPlan& operator=(const LoadedPlan&) = delete;

  // Fills both arenas with `pattern`, except what a run does not refill
  // (initial images of variables), so that a read of bytes that nothing wrote
  // shows.
  absl::Status Poison(uint8_t pattern);

  const Plan& plan() const { return *plan_; }
  const DriverTable& driver() const { return driver_; }
  // The function of a kernel step. Requires: the step is a kernel.
  CUfunction function(StepId step) const { return functions_[step.index()]; }
  // Address as the driver sees it; host buffers too (unified addressing).
  CUdeviceptr address(BufferId buffer) const {
    return addresses_[buffer.index()];
  }
  bool on_host(BufferId buffer) const {
    return plan_->buffers[buffer.index()].place == BufferPlace::kHostArena;
  }
  // Requires: on_host(buffer).
  char* host_bytes(BufferId buffer) const {
    return reinterpret_cast<char*>(addresses_[buffer.index()]);
  }

 private:
  LoadedPlan(const DriverTable& driver, PlanPtr plan)
      : driver_(driver), plan_(std::move(plan)) {}
  absl::Status LoadImages();
  absl::Status FindFunctions();
  absl::Status ReserveArenas();
  absl::Status PlaceBuffers();
  absl::Status KeepVariableImages();

  const DriverTable& driver_;
  PlanPtr plan_;
  std::vector<CUmodule> modules_;  // by ImageId
  std::vector<CUfunction>
      functions_;  // by StepId; null for steps that are not kernels
  std::vector<CUdeviceptr> addresses_;  // by BufferId
  CUdeviceptr device_arena_ = 0;
  void* host_arena_ = nullptr;
};

}  // namespace graphd

#endif  // GRAPHD_CORE_EXEC_LOADED_PLAN_H_
