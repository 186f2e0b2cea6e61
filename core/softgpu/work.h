// A piece of work, checked and ready: what a stream call runs at once and what
// a graph node keeps.
//
// Making one checks what CUDA checks when it is issued or added; running one
// checks again what may have changed since (memory freed, module unloaded) and
// ends in a fault, as on a device.
//
// Thread safety: thread-compatible; Run* require the context's Turn.
#ifndef GRAPHD_CORE_SOFTGPU_WORK_H_
#define GRAPHD_CORE_SOFTGPU_WORK_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "core/driver/driver_table.h"
#include "core/softgpu/context.h"
#include "core/softgpu/device_memory.h"
#include "core/softgpu/module_state.h"

namespace graphd::softgpu {

struct KernelWork {
  CUfunction handle = nullptr;
  std::shared_ptr<Function> function;
  std::array<uint32_t, 3> grid{};
  std::array<uint32_t, 3> block{};
  uint32_t dynamic_shared_bytes = 0;
  std::vector<uint8_t> parameters;  // the kernel's parameter block
};

// Where one side of a copy lies: in a device's range, or in the host's memory.
struct MemoryPlace {
  const DeviceMemory* memory = nullptr;  // null: pageable host memory
  DeviceMemory::Kind kind = DeviceMemory::Kind::kDevice;

  bool operator==(const MemoryPlace&) const = default;
};

struct CopyWork {
  std::shared_ptr<Context> context;
  CUDA_MEMCPY3D form{};  // as the caller wrote it
  uint64_t source = 0;   // of the first byte that is copied
  uint64_t target = 0;
  MemoryPlace source_place;
  MemoryPlace target_place;
};

struct FillWork {
  std::shared_ptr<Context> context;
  CUDA_MEMSET_NODE_PARAMS form{};
  MemoryPlace place;
};

// monostate: an empty node, which only orders.
using Work = std::variant<std::monostate, KernelWork, CopyWork, FillWork>;

// Copies the arguments. Errors: CUDA_ERROR_INVALID_HANDLE (function),
// _INVALID_VALUE (shape, shared memory, arguments), _LAUNCH_OUT_OF_RESOURCES
// (more threads than .maxntid allows), _NOT_SUPPORTED (the software GPU does
// not execute this kernel), the state of the function's context.
CUresult MakeKernelWork(const CUDA_KERNEL_NODE_PARAMS& params,
                        KernelWork* work);

// Errors: CUDA_ERROR_INVALID_VALUE (form, or bytes outside live allocations),
// _NOT_SUPPORTED (arrays, more than one layer).
CUresult MakeCopyWork(const CUDA_MEMCPY3D& form,
                      std::shared_ptr<Context> context, CopyWork* work);

// Errors: CUDA_ERROR_INVALID_VALUE (form, alignment, bytes outside live
// allocations).
CUresult MakeFillWork(const CUDA_MEMSET_NODE_PARAMS& form,
                      std::shared_ptr<Context> context, FillWork* work);

// The context that the work runs in; null for empty work.
Context* ContextOf(const Work& work);

// Each runs the work and returns its fault, if any.
std::optional<FaultDetail> RunKernel(const KernelWork& work);
std::optional<FaultDetail> RunCopy(const CopyWork& work);
std::optional<FaultDetail> RunFill(const FillWork& work);

// Runs any work. A fault becomes the context's. Errors: the context's state,
// the fault's code.
CUresult Run(const Work& work);
// The same, when the context's turn comes. Requires: not empty, no Turn held.
CUresult Issue(const Work& work);

}  // namespace graphd::softgpu

#endif  // GRAPHD_CORE_SOFTGPU_WORK_H_
