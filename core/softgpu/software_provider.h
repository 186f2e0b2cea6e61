// The software GPU as a provider of the driver table.
//
// Thread safety: thread-safe. The devices live for the process, as a driver's
// do; their number and sizes are fixed by the first call.
#ifndef GRAPHD_CORE_SOFTGPU_SOFTWARE_PROVIDER_H_
#define GRAPHD_CORE_SOFTGPU_SOFTWARE_PROVIDER_H_

#include <cstdint>

#include "core/driver/driver_table.h"

namespace graphd::softgpu {

struct SoftwareGpuOptions {
  int devices = 1;
  uint64_t memory_bytes =
      uint64_t{2} << 30;  // of each device; reserved, committed when touched
  int capability_major = 7;
  int capability_minor = 5;
  unsigned threads = 0;  // of the pool; 0: one per hardware thread
};

// Errors show as CUresults of the functions, as with a real driver; filling the
// table cannot fail.
DriverTable SoftwareDriver(const SoftwareGpuOptions& options = {});

}  // namespace graphd::softgpu

#endif  // GRAPHD_CORE_SOFTGPU_SOFTWARE_PROVIDER_H_
