// Allocation, copies and fills.
#include <memory>
#include <optional>
#include <utility>

#include "core/softgpu/api.h"
#include "core/softgpu/result_macros.h"
#include "core/softgpu/software_gpu.h"
#include "core/softgpu/work.h"

namespace graphd::softgpu::api {
namespace {

constexpr unsigned kHostAllocFlags = CU_MEMHOSTALLOC_PORTABLE |
                                     CU_MEMHOSTALLOC_DEVICEMAP |
                                     CU_MEMHOSTALLOC_WRITECOMBINED;

CUresult Allocate(DeviceMemory::Kind kind, size_t size_bytes,
                  uint64_t* address) {
  std::shared_ptr<Context> context;
  GRAPHD_RETURN_IF_FAILED(SoftwareGpu::Get().Current(&context));
  if (size_bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  const std::optional<uint64_t> found = context->device().memory()->Allocate(
      kind, size_bytes, AddressSpace::kGranule);
  if (!found.has_value()) return CUDA_ERROR_OUT_OF_MEMORY;
  *address = *found;
  return CUDA_SUCCESS;
}

CUresult Free(DeviceMemory::Kind kind, uint64_t address) {
  SoftwareGpu& gpu = SoftwareGpu::Get();
  std::shared_ptr<Context> context;
  GRAPHD_RETURN_IF_FAILED(gpu.Current(&context));
  if (kind == DeviceMemory::Kind::kDevice && address == 0) return CUDA_SUCCESS;
  DeviceMemory* memory = gpu.MemoryAt(address);
  if (memory == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Turn turn({context.get()});  // after the work that still runs
  return memory->Free(kind, address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

struct Operand {
  CUmemorytype type;
  uint64_t address;
};

Operand OnHost(const void* address) {
  return {CU_MEMORYTYPE_HOST, reinterpret_cast<uint64_t>(address)};
}

Operand OnDevice(CUdeviceptr address) {
  return {CU_MEMORYTYPE_DEVICE, address};
}

CUresult Copy(CUDA_MEMCPY3D form, CUstream stream) {
  std::shared_ptr<Context> context;
  GRAPHD_RETURN_IF_FAILED(SoftwareGpu::Get().StreamContext(stream, &context));
  if (form.WidthInBytes == 0 || form.Height == 0) return CUDA_SUCCESS;
  CopyWork work;
  GRAPHD_RETURN_IF_FAILED(MakeCopyWork(form, std::move(context), &work));
  return Issue(std::move(work));
}

CUresult CopyBytes(const Operand& to, const Operand& from, size_t size_bytes,
                   CUstream stream) {
  CUDA_MEMCPY3D form{};
  form.srcMemoryType = from.type;
  form.srcHost = reinterpret_cast<const void*>(from.address);
  form.srcDevice = from.address;
  form.dstMemoryType = to.type;
  form.dstHost = reinterpret_cast<void*>(to.address);
  form.dstDevice = to.address;
  form.WidthInBytes = size_bytes;
  form.Height = 1;
  form.Depth = 1;
  return Copy(form, stream);
}

CUresult Fill(CUdeviceptr to, size_t pitch, unsigned value,
              unsigned element_bytes, size_t width, size_t height,
              CUstream stream) {
  std::shared_ptr<Context> context;
  GRAPHD_RETURN_IF_FAILED(SoftwareGpu::Get().StreamContext(stream, &context));
  if (width == 0 || height == 0) return CUDA_SUCCESS;
  CUDA_MEMSET_NODE_PARAMS form{};
  form.dst = to;
  form.pitch = pitch;
  form.value = value;
  form.elementSize = element_bytes;
  form.width = width;
  form.height = height;
  FillWork work;
  GRAPHD_RETURN_IF_FAILED(MakeFillWork(form, std::move(context), &work));
  return Issue(std::move(work));
}

}  // namespace

CUresult cuMemAlloc(CUdeviceptr* address, size_t size_bytes) {
  if (address == nullptr) return CUDA_ERROR_INVALID_VALUE;
  uint64_t found = 0;
  GRAPHD_RETURN_IF_FAILED(
      Allocate(DeviceMemory::Kind::kDevice, size_bytes, &found));
  *address = found;
  return CUDA_SUCCESS;
}

CUresult cuMemFree(CUdeviceptr address) {
  return Free(DeviceMemory::Kind::kDevice, address);
}

CUresult cuMemHostAlloc(void** address, size_t size_bytes, unsigned int flags) {
  if (address == nullptr || (flags & ~kHostAllocFlags) != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  uint64_t found = 0;
  GRAPHD_RETURN_IF_FAILED(
      Allocate(DeviceMemory::Kind::kPinned, size_bytes, &found));
  *address = reinterpret_cast<void*>(found);
  return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void* address) {
  return Free(DeviceMemory::Kind::kPinned, reinterpret_cast<uint64_t>(address));
}

CUresult cuMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  std::shared_ptr<Context> context;
  GRAPHD_RETURN_IF_FAILED(SoftwareGpu::Get().Current(&context));
  if (free_bytes == nullptr || total_bytes == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const DeviceMemory& memory = *context->device().memory();
  *free_bytes = memory.free_bytes();
  *total_bytes = memory.size_bytes();
  return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t size_bytes) {
  return CopyBytes(OnDevice(to), OnHost(from), size_bytes, nullptr);
}

CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t size_bytes) {
  return CopyBytes(OnHost(to), OnDevice(from), size_bytes, nullptr);
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size_bytes,
                       CUstream stream) {
  return CopyBytes({CU_MEMORYTYPE_UNIFIED, to}, {CU_MEMORYTYPE_UNIFIED, from},
                   size_bytes, stream);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t size_bytes,
                           CUstream stream) {
  return CopyBytes(OnDevice(to), OnHost(from), size_bytes, stream);
}

CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t size_bytes,
                           CUstream stream) {
  return CopyBytes(OnHost(to), OnDevice(from), size_bytes, stream);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t size_bytes,
                           CUstream stream) {
  return CopyBytes(OnDevice(to), OnDevice(from), size_bytes, stream);
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* copy, CUstream stream) {
  if (copy == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUDA_MEMCPY3D form{};
  form.srcXInBytes = copy->srcXInBytes;
  form.srcY = copy->srcY;
  form.srcMemoryType = copy->srcMemoryType;
  form.srcHost = copy->srcHost;
  form.srcDevice = copy->srcDevice;
  form.srcPitch = copy->srcPitch;
  form.dstXInBytes = copy->dstXInBytes;
  form.dstY = copy->dstY;
  form.dstMemoryType = copy->dstMemoryType;
  form.dstHost = copy->dstHost;
  form.dstDevice = copy->dstDevice;
  form.dstPitch = copy->dstPitch;
  form.WidthInBytes = copy->WidthInBytes;
  form.Height = copy->Height;
  form.Depth = 1;
  return Copy(form, stream);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count,
                         CUstream stream) {
  return Fill(to, 0, value, 1, count, 1, stream);
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count,
                          CUstream stream) {
  return Fill(to, 0, value, 2, count, 1, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count,
                          CUstream stream) {
  return Fill(to, 0, value, 4, count, 1, stream);
}

CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value,
                           size_t width, size_t height, CUstream stream) {
  return Fill(to, pitch, value, 1, width, height, stream);
}

CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value,
                            size_t width, size_t height, CUstream stream) {
  return Fill(to, pitch, value, 2, width, height, stream);
}

CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned int value,
                            size_t width, size_t height, CUstream stream) {
  return Fill(to, pitch, value, 4, width, height, stream);
}

}  // namespace graphd::softgpu::api
