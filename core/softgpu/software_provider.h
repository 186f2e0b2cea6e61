// The software GPU as a provider of the driver table.
//
// Work executes synchronously, when it is issued: a call that puts something
// into a stream returns when it is done. That is one of the executions that the
// stream model allows; streams, events and graphs keep their rules and errors.
// A launch that faults says so itself, as a driver may, and the fault stays
// with the context until the primary context is released for the last time. PTX
// is the only kind of module. CUDA_ERROR_NOT_SUPPORTED from a launch or a
// kernel node has its reason in the table's fault_detail, for the thread that
// called.
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
  // The clock of events; without one, all elapsed times are 0.
  uint64_t (*now_ns)() = nullptr;
};

// Errors show as CUresults of the functions, as with a real driver; filling the
// table cannot fail.
DriverTable SoftwareDriver(const SoftwareGpuOptions& options = {});

}  // namespace graphd::softgpu

#endif  // GRAPHD_CORE_SOFTGPU_SOFTWARE_PROVIDER_H_
