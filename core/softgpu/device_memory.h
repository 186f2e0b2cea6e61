// A device's memory: host pages in one reserved range, so that a device pointer
// is a host pointer and one comparison tells whether a kernel may use it.
//
// The lower half is the device's memory, the upper half memory pinned for it,
// which this device's kernels may use too (unified addressing). Pages are
// committed when touched. The range stays reserved for the life of the object:
// an access to freed memory reads stale bytes, it never faults the process.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_SOFTGPU_DEVICE_MEMORY_H_
#define GRAPHD_CORE_SOFTGPU_DEVICE_MEMORY_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "core/softgpu/address_space.h"
#include "core/softgpu/launcher.h"

namespace graphd::softgpu {

class DeviceMemory {
 public:
  enum class Kind : uint8_t { kDevice, kPinned };

  // Null when the system has no such range.
  static std::unique_ptr<DeviceMemory> Reserve(uint64_t size_bytes);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // Nothing when there is not enough. The bytes are whatever was there before.
  std::optional<uint64_t> Allocate(Kind kind, uint64_t size_bytes,
                                   uint64_t align_bytes);
  // False when no allocation of this kind begins at `address`.
  bool Free(Kind kind, uint64_t address);
  // Frees everything and gives the pages back.
  void Reset();

  // Whether one live allocation holds all these bytes.
  bool Holds(uint64_t address, uint64_t size_bytes) const;
  // Of which kind an address is; nothing when it is outside the range.
  std::optional<Kind> KindOf(uint64_t address) const;
  DeviceRange range() const;
  uint64_t size_bytes() const { return device_.size_bytes(); }
  uint64_t free_bytes() const;

 private:
  DeviceMemory(void* pages, uint64_t size_bytes);
  AddressSpace& space(Kind kind) {
    return kind == Kind::kDevice ? device_ : pinned_;
  }

  void* const pages_;
  mutable std::mutex mutex_;
  AddressSpace device_;
  AddressSpace pinned_;
};

}  // namespace graphd::softgpu

#endif  // GRAPHD_CORE_SOFTGPU_DEVICE_MEMORY_H_
