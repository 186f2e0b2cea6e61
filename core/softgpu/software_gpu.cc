#include "core/softgpu/software_gpu.h"

#include <cstdint>
#include <mutex>
#include <utility>

#include "core/softgpu/result_macros.h"

namespace graphd::softgpu {
namespace {

std::atomic<SoftwareGpu*> instance{nullptr};

thread_local CUcontext current_context = nullptr;
thread_local std::optional<FaultDetail> last_refusal;

bool IsSpecial(CUstream stream) {
  return stream == nullptr || stream == CU_STREAM_LEGACY ||
         stream == CU_STREAM_PER_THREAD;
}

}  // namespace

SoftwareGpu& SoftwareGpu::Start(const SoftwareGpuOptions& options) {
  static SoftwareGpu* const made = new SoftwareGpu(options);
  instance = made;
  return *made;
}

SoftwareGpu& SoftwareGpu::Get() { return *instance; }

SoftwareGpu::SoftwareGpu(const SoftwareGpuOptions& options)
    : options_(options) {
  for (int i = 0; i < options.devices; ++i) {
    devices_.push_back(std::make_unique<Device>(options, i));
  }
}

void SoftwareGpu::SetCurrent(CUcontext context) { current_context = context; }

CUcontext SoftwareGpu::current_handle() const { return current_context; }

CUresult SoftwareGpu::CheckInitialised() const {
  return initialised_ ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult SoftwareGpu::Current(std::shared_ptr<Context>* context,
                              bool healthy) const {
  GRAPHD_RETURN_IF_FAILED(CheckInitialised());
  if (current_context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *context = contexts.Find(current_context);
  if (*context == nullptr) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  return healthy ? (*context)->state() : CUDA_SUCCESS;
}

CUresult SoftwareGpu::StreamContext(CUstream stream,
                                    std::shared_ptr<Context>* context) {
  GRAPHD_RETURN_IF_FAILED(Current(context));
  if (IsSpecial(stream)) return CUDA_SUCCESS;
  const std::shared_ptr<Stream> found = streams.Find(stream);
  if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *context = found->context;
  return found->context->state();
}

Device* SoftwareGpu::FindDevice(CUdevice device) const {
  return device < 0 || device >= device_count() ? nullptr
                                                : devices_[device].get();
}

DeviceMemory* SoftwareGpu::MemoryAt(uint64_t address) const {
  for (const auto& device : devices_) {
    DeviceMemory* memory = device->memory();
    if (memory != nullptr && memory->KindOf(address).has_value()) return memory;
  }
  return nullptr;
}

void SoftwareGpu::Forget(const Context& context) {
  functions.RemoveIf([&](const Function& function) {
    return function.module->context.get() == &context;
  });
  const auto belongs = [&](const auto& object) {
    return object.context.get() == &context;
  };
  modules.RemoveIf(belongs);
  streams.RemoveIf(belongs);
  events.RemoveIf(belongs);
  contexts.RemoveIf([&](const Context& other) { return &other == &context; });
}

void SoftwareGpu::SetRefusal(FaultDetail refusal) {
  last_refusal = std::move(refusal);
}

void SoftwareGpu::ClearRefusal() { last_refusal.reset(); }

std::optional<FaultDetail> SoftwareGpu::refusal() const { return last_refusal; }

}  // namespace graphd::softgpu
