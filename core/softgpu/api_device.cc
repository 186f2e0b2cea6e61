// Initialisation, devices, and the primary context.
#include <algorithm>
#include <cstring>
#include <memory>

#include "core/softgpu/api.h"
#include "core/softgpu/result_macros.h"
#include "core/softgpu/software_gpu.h"

namespace graphd::softgpu::api {
namespace {

constexpr char kName[] = "graphd software GPU";

CUresult FindDevice(CUdevice ordinal, Device** device) {
  SoftwareGpu& gpu = SoftwareGpu::Get();
  GRAPHD_RETURN_IF_FAILED(gpu.CheckInitialised());
  *device = gpu.FindDevice(ordinal);
  return *device == nullptr ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

}  // namespace

CUresult cuInit(unsigned int flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  SoftwareGpu& gpu = SoftwareGpu::Get();
  if (gpu.device_count() == 0) return CUDA_ERROR_NO_DEVICE;
  gpu.Initialise();
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  SoftwareGpu& gpu = SoftwareGpu::Get();
  GRAPHD_RETURN_IF_FAILED(gpu.CheckInitialised());
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *count = gpu.device_count();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  Device* found = nullptr;
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  GRAPHD_RETURN_IF_FAILED(FindDevice(ordinal, &found));
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  Device* found = nullptr;
  if (name == nullptr || length <= 0) return CUDA_ERROR_INVALID_VALUE;
  GRAPHD_RETURN_IF_FAILED(FindDevice(device, &found));
  const size_t copied = std::min<size_t>(length - 1, sizeof(kName) - 1);
  std::memcpy(name, kName, copied);
  name[copied] = '\0';
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  Device* found = nullptr;
  if (uuid == nullptr) return CUDA_ERROR_INVALID_VALUE;
  GRAPHD_RETURN_IF_FAILED(FindDevice(device, &found));
  // The same in every process: a software GPU is nobody's property.
  static_assert(sizeof(uuid->bytes) <= sizeof(kName));
  std::memcpy(uuid->bytes, kName, sizeof(uuid->bytes));
  uuid->bytes[sizeof(uuid->bytes) - 1] =
      static_cast<char>(found->ordinal() + 1);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute,
                              CUdevice device) {
  Device* found = nullptr;
  if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  GRAPHD_RETURN_IF_FAILED(FindDevice(device, &found));
  return found->Attribute(attribute, value);
}

CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
  Device* found = nullptr;
  if (bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
  GRAPHD_RETURN_IF_FAILED(FindDevice(device, &found));
  *bytes = found->options().memory_bytes;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  Device* found = nullptr;
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  GRAPHD_RETURN_IF_FAILED(FindDevice(device, &found));
  return found->Retain(context);
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  Device* found = nullptr;
  GRAPHD_RETURN_IF_FAILED(FindDevice(device, &found));
  return found->Release();
}

CUresult cuCtxSetCurrent(CUcontext context) {
  SoftwareGpu& gpu = SoftwareGpu::Get();
  GRAPHD_RETURN_IF_FAILED(gpu.CheckInitialised());
  if (context != nullptr && gpu.contexts.Find(context) == nullptr) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  gpu.SetCurrent(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  SoftwareGpu& gpu = SoftwareGpu::Get();
  GRAPHD_RETURN_IF_FAILED(gpu.CheckInitialised());
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *context = gpu.current_handle();
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() {
  // What was issued is done; only a fault is left to tell.
  std::shared_ptr<Context> context;
  return SoftwareGpu::Get().Current(&context);
}

bool FaultDetailOfCurrent(FaultDetail* detail) {
  SoftwareGpu& gpu = SoftwareGpu::Get();
  std::shared_ptr<Context> context;
  std::optional<FaultDetail> found;
  if (gpu.Current(&context, /*healthy=*/false) == CUDA_SUCCESS) {
    found = context->fault();
  }
  if (!found.has_value()) found = gpu.refusal();
  if (!found.has_value()) return false;
  *detail = *std::move(found);
  return true;
}

void StopKernelsOfCurrent() {
  std::shared_ptr<Context> context;
  if (SoftwareGpu::Get().Current(&context, /*healthy=*/false) == CUDA_SUCCESS) {
    context->Stop();
  }
}

}  // namespace graphd::softgpu::api
