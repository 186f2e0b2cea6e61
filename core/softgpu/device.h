// One software device: its limits, its memory, the threads that run its
// kernels, and its primary context.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_SOFTGPU_DEVICE_H_
#define GRAPHD_CORE_SOFTGPU_DEVICE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "core/driver/driver_table.h"
#include "core/softgpu/context.h"
#include "core/softgpu/device_memory.h"
#include "core/softgpu/launcher.h"
#include "core/softgpu/software_provider.h"

namespace graphd::softgpu {

// What a launch may ask for.
struct DeviceLimits {
  uint32_t max_threads_per_block = 1024;
  uint32_t max_block[3] = {1024, 1024, 64};
  uint32_t max_grid[3] = {2147483647, 65535, 65535};
  uint32_t shared_bytes_per_block = 48 * 1024;
  uint32_t shared_bytes_per_block_optin = 64 * 1024;
  uint32_t max_pitch_bytes = 2147483647;
};

class Device {
 public:
  Device(const SoftwareGpuOptions& options, int ordinal);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // The primary context, made at the first call. Errors:
  // CUDA_ERROR_OUT_OF_MEMORY when the memory range cannot be reserved.
  CUresult Retain(CUcontext* context);
  // The last release frees everything that belongs to the context. Errors:
  // CUDA_ERROR_INVALID_CONTEXT when it is not retained.
  CUresult Release();

  // Null before the first Retain.
  DeviceMemory* memory() const { return memory_.load(); }
  // Requires: retained once.
  Launcher& launcher() { return *launcher_; }
  // Errors: CUDA_ERROR_INVALID_VALUE (no such attribute).
  CUresult Attribute(CUdevice_attribute attribute, int* value) const;
  const DeviceLimits& limits() const { return limits_; }
  const SoftwareGpuOptions& options() const { return options_; }
  int ordinal() const { return ordinal_; }
  int capability() const {
    return options_.capability_major * 10 + options_.capability_minor;
  }

 private:
  CUresult LimitAttribute(CUdevice_attribute attribute, int* value) const;

  const SoftwareGpuOptions options_;
  const int ordinal_;
  const DeviceLimits limits_;
  std::mutex mutex_;  // of everything below
  std::unique_ptr<Launcher> launcher_;
  std::unique_ptr<DeviceMemory> owned_memory_;
  std::atomic<DeviceMemory*> memory_{nullptr};  // the same, for readers
  CUcontext handle_ = nullptr;
  int references_ = 0;
};

}  // namespace graphd::softgpu

#endif  // GRAPHD_CORE_SOFTGPU_DEVICE_H_
