// What a plan is compiled for: everything about a device that may change the
// plan.
//
// Thread safety: immutable.
#ifndef GRAPHD_CORE_PLAN_DEVICE_DESCRIPTION_H_
#define GRAPHD_CORE_PLAN_DEVICE_DESCRIPTION_H_

#include <array>
#include <cstdint>
#include <string>

namespace graphd {

enum class DeviceClass : uint8_t { kSoftware, kCuda };

struct DeviceDescription {
  DeviceClass device_class = DeviceClass::kSoftware;
  std::string
      name;  // "NVIDIA H200", "graphd software GPU"; not part of a plan's key
  std::string uuid;  // not part of a plan's key
  int capability_major = 7;
  int capability_minor = 5;
  int driver_version = 13000;  // as cuDriverGetVersion
  uint32_t sm_count = 1;
  uint32_t warp_size = 32;
  uint64_t memory_bytes = 0;
  uint32_t max_threads_per_block = 1024;
  std::array<uint32_t, 3> max_block{1024, 1024, 64};
  std::array<uint32_t, 3> max_grid{2147483647, 65535, 65535};
  uint32_t shared_bytes_per_block = 49152;        // without opt-in
  uint32_t shared_bytes_per_block_optin = 65536;  // with cuFuncSetAttribute
  uint32_t max_parameter_bytes = 4096;            // of one kernel

  bool operator==(const DeviceDescription&) const = default;
};

}  // namespace graphd

#endif  // GRAPHD_CORE_PLAN_DEVICE_DESCRIPTION_H_
