// The one table of driver functions that everything above the driver calls
// through.
//
// Two providers fill it: libcuda_provider (the real driver, opened at run time)
// and core/softgpu/software_provider. It is passed by reference; there is no
// global.
//
// Thread safety: immutable once filled; the functions are as thread-safe as
// CUDA documents them.
#ifndef GRAPHD_CORE_DRIVER_DRIVER_TABLE_H_
#define GRAPHD_CORE_DRIVER_DRIVER_TABLE_H_

#include <cuda.h>

#include <array>
#include <cstdint>
#include <string>

namespace graphd {

// Where a kernel faulted, as far as the provider knows.
struct FaultDetail {
  CUresult code = CUDA_SUCCESS;
  std::string kernel;
  std::array<uint32_t, 3> block{};
  std::array<uint32_t, 3> thread{};
  int line = 0;  // in the PTX of the module that was loaded
  uint64_t address = 0;
  std::string message;  // "store of 4 bytes outside device memory"
};

struct DriverTable {
#define GRAPHD_DRIVER_REQUIRED(name) decltype(&::name) name = nullptr;
#define GRAPHD_DRIVER_OPTIONAL(name) decltype(&::name) name = nullptr;
#include "core/driver/functions.def"
#undef GRAPHD_DRIVER_REQUIRED
#undef GRAPHD_DRIVER_OPTIONAL

  // Whether kernels run on the CPU.
  bool is_software = false;
  // Not a CUDA function: detail of the sticky fault of the current context's
  // device; without one, why this thread's last launch or kernel node was
  // answered with CUDA_ERROR_NOT_SUPPORTED. False when there is neither. Null
  // for libcuda, which cannot tell.
  bool (*fault_detail)(FaultDetail* detail) = nullptr;
  // Not a CUDA function: asks running kernels of the current context's device
  // to stop with CUDA_ERROR_LAUNCH_TIMEOUT. Null for libcuda, which cannot.
  void (*stop_kernels)() = nullptr;
};

}  // namespace graphd

#endif  // GRAPHD_CORE_DRIVER_DRIVER_TABLE_H_
