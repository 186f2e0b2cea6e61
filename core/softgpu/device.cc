#include "core/softgpu/device.h"

#include <algorithm>
#include <thread>

#include "core/softgpu/software_gpu.h"

namespace graphd::softgpu {
namespace {

// CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability": what a block may opt in to, of static and dynamic together.
uint32_t SharedBytesOptIn(int capability) {
  switch (capability) {
    case 70:
    case 72:
      return 96 * 1024;
    case 75:
      return 64 * 1024;
    case 80:
    case 87:
      return 163 * 1024;
    case 86:
    case 89:
      return 99 * 1024;
    default:
      return capability >= 90 ? 227 * 1024 : 48 * 1024;
  }
}

DeviceLimits LimitsOf(const SoftwareGpuOptions& options) {
  DeviceLimits limits;
  limits.shared_bytes_per_block_optin = SharedBytesOptIn(
      options.capability_major * 10 + options.capability_minor);
  return limits;
}

// A processor that runs blocks is the nearest thing to a multiprocessor.
int Multiprocessors(const SoftwareGpuOptions& options) {
  const unsigned threads = options.threads > 0
                               ? options.threads
                               : std::thread::hardware_concurrency();
  return static_cast<int>(std::max(1u, threads));
}

}  // namespace

Device::Device(const SoftwareGpuOptions& options, int ordinal)
    : options_(options), ordinal_(ordinal), limits_(LimitsOf(options)) {}

CUresult Device::Retain(CUcontext* context) {
  std::lock_guard lock(mutex_);
  if (owned_memory_ == nullptr) {
    owned_memory_ = DeviceMemory::Reserve(options_.memory_bytes);
    if (owned_memory_ == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    launcher_ = std::make_unique<Launcher>(options_.threads);
    memory_ = owned_memory_.get();
  }
  if (references_ == 0) {
    handle_ = SoftwareGpu::Get().contexts.Add(std::make_shared<Context>(*this));
  }
  ++references_;
  *context = handle_;
  return CUDA_SUCCESS;
}

CUresult Device::Release() {
  std::lock_guard lock(mutex_);
  if (references_ == 0) return CUDA_ERROR_INVALID_CONTEXT;
  if (--references_ > 0) return CUDA_SUCCESS;
  SoftwareGpu& gpu = SoftwareGpu::Get();
  const std::shared_ptr<Context> context = gpu.contexts.Find(handle_);
  context->Destroy();
  Turn turn({context.get()});  // after the work that still runs
  gpu.Forget(*context);
  owned_memory_->Reset();
  handle_ = nullptr;
  return CUDA_SUCCESS;
}

CUresult Device::Attribute(CUdevice_attribute attribute, int* value) const {
  if (attribute < CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK ||
      attribute >= CU_DEVICE_ATTRIBUTE_MAX) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (LimitAttribute(attribute, value) == CUDA_SUCCESS) return CUDA_SUCCESS;
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = options_.capability_major;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      *value = options_.capability_minor;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = Multiprocessors(options_);
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID:
      *value = ordinal_;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
      *value = 1000 * 1000;  // kHz; nominal
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
      *value = 64;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_INTEGRATED:
    case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
    case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED:
      *value = 1;
      return CUDA_SUCCESS;
    default:
      *value = 0;  // what it does not have: textures, peers, pools, clusters
      return CUDA_SUCCESS;
  }
}

CUresult Device::LimitAttribute(CUdevice_attribute attribute,
                                int* value) const {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
      *value = static_cast<int>(limits_.max_threads_per_block);
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
      *value = static_cast<int>(
          limits_.max_block[attribute - CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X]);
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
      *value = static_cast<int>(
          limits_.max_grid[attribute - CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X]);
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
      *value = static_cast<int>(limits_.shared_bytes_per_block);
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
      *value = static_cast<int>(limits_.shared_bytes_per_block_optin);
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_PITCH:
      *value = static_cast<int>(limits_.max_pitch_bytes);
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY:
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
      *value = 64 * 1024;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      *value = 32;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
      *value = 16;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;  // not a limit
  }
}

}  // namespace graphd::softgpu
