// The state behind the driver functions: devices, objects by handle, and which
// context is current in this thread.
//
// Driver functions are plain functions, so there is one of it in a process,
// made by the first call of SoftwareDriver and never destroyed: threads may
// still call in while the process ends.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_SOFTGPU_SOFTWARE_GPU_H_
#define GRAPHD_CORE_SOFTGPU_SOFTWARE_GPU_H_

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/driver/driver_table.h"
#include "core/softgpu/context.h"
#include "core/softgpu/device.h"
#include "core/softgpu/graph_state.h"
#include "core/softgpu/handle_table.h"
#include "core/softgpu/module_state.h"
#include "core/softgpu/software_provider.h"
#include "core/softgpu/stream_state.h"

namespace graphd::softgpu {

class SoftwareGpu {
 public:
  // Makes it at the first call; later options are ignored.
  static SoftwareGpu& Start(const SoftwareGpuOptions& options);
  // Requires: started.
  static SoftwareGpu& Get();

  void Initialise() { initialised_ = true; }  // cuInit
  void SetCurrent(CUcontext context);

  // CUDA_ERROR_NOT_INITIALIZED before cuInit.
  CUresult CheckInitialised() const;
  // The current context. Errors: CUDA_ERROR_NOT_INITIALIZED, _INVALID_CONTEXT
  // (none), _CONTEXT_IS_DESTROYED; with `healthy`, also its sticky fault.
  CUresult Current(std::shared_ptr<Context>* context,
                   bool healthy = true) const;
  CUcontext current_handle() const;
  // The context that a stream argument works in; the special streams (null,
  // legacy, per thread) stand for the current context. Errors: those of
  // Current, CUDA_ERROR_INVALID_HANDLE, the stream's context's state.
  CUresult StreamContext(CUstream stream, std::shared_ptr<Context>* context);
  // Null when there is no such device.
  Device* FindDevice(CUdevice device) const;
  // The memory whose range holds `address`, of any device; null when none does.
  DeviceMemory* MemoryAt(uint64_t address) const;
  // Everything made in `context` becomes unknown.
  void Forget(const Context& context);

  // Why this thread's last launch or kernel node was refused: the detail that
  // CUDA_ERROR_NOT_SUPPORTED cannot carry.
  void SetRefusal(FaultDetail refusal);
  void ClearRefusal();
  std::optional<FaultDetail> refusal() const;

  uint64_t NowNs() const {
    return options_.now_ns == nullptr ? 0 : options_.now_ns();
  }
  int device_count() const { return static_cast<int>(devices_.size()); }

  HandleTable<CUcontext, Context> contexts;
  HandleTable<CUmodule, Module> modules;
  HandleTable<CUfunction, Function> functions;
  HandleTable<CUstream, Stream> streams;
  HandleTable<CUevent, Event> events;
  HandleTable<CUgraph, Graph> graphs;
  HandleTable<CUgraphNode, GraphNode> nodes;
  HandleTable<CUgraphExec, GraphExec> execs;

 private:
  explicit SoftwareGpu(const SoftwareGpuOptions& options);

  const SoftwareGpuOptions options_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::atomic<bool> initialised_{false};
};

}  // namespace graphd::softgpu

#endif  // GRAPHD_CORE_SOFTGPU_SOFTWARE_GPU_H_
