#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/softgpu/device.h"
#include "core/softgpu/result_macros.h"
#include "core/softgpu/software_gpu.h"
#include "core/softgpu/work.h"

namespace graphd::softgpu {
namespace {

// One side of a copy, whichever of its fields hold the address.
struct Side {
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  size_t x, y, z, lod, pitch, height;
  const void* reserved;
};

Side SourceOf(const CUDA_MEMCPY3D& form) {
  return {form.srcMemoryType, form.srcHost,  form.srcDevice, form.srcXInBytes,
          form.srcY,          form.srcZ,     form.srcLOD,    form.srcPitch,
          form.srcHeight,     form.reserved0};
}

Side TargetOf(const CUDA_MEMCPY3D& form) {
  return {form.dstMemoryType, form.dstHost,  form.dstDevice, form.dstXInBytes,
          form.dstY,          form.dstZ,     form.dstLOD,    form.dstPitch,
          form.dstHeight,     form.reserved1};
}

// a * b + c; nothing when it does not fit.
std::optional<uint64_t> MultiplyAdd(uint64_t a, uint64_t b, uint64_t c) {
  uint64_t product = 0;
  uint64_t sum = 0;
  if (__builtin_mul_overflow(a, b, &product) ||
      __builtin_add_overflow(product, c, &sum)) {
    return std::nullopt;
  }
  return sum;
}

// From the first to the last byte of `rows` rows.
std::optional<uint64_t> Span(uint64_t width, uint64_t rows, uint64_t pitch) {
  return MultiplyAdd(rows - 1, pitch, width);
}

MemoryPlace PlaceOf(uint64_t address) {
  const DeviceMemory* memory = SoftwareGpu::Get().MemoryAt(address);
  if (memory == nullptr) return {};
  return {memory, *memory->KindOf(address)};
}

bool Accessible(const MemoryPlace& place, uint64_t address,
                uint64_t size_bytes) {
  if (place.memory != nullptr) return place.memory->Holds(address, size_bytes);
  // Pageable memory is the caller's own; only what cannot be it is refused.
  uint64_t end = 0;
  return address != 0 && !__builtin_add_overflow(address, size_bytes, &end);
}

// The address of the side's first byte, checked. Requires: extents are not 0.
CUresult ResolveSide(const Side& side, const CUDA_MEMCPY3D& form,
                     uint64_t* address, MemoryPlace* place) {
  if (side.lod != 0 || side.reserved != nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  uint64_t base = 0;
  switch (side.type) {
    case CU_MEMORYTYPE_HOST:
      base = reinterpret_cast<uint64_t>(side.host);
      break;
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED:
      base = side.device;
      break;
    case CU_MEMORYTYPE_ARRAY:
      return CUDA_ERROR_NOT_SUPPORTED;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  const bool rows = form.Height > 1 || side.y > 0 || side.z > 0;
  const std::optional<uint64_t> row_end =
      MultiplyAdd(1, side.x, form.WidthInBytes);
  if (!row_end.has_value() ||
      (rows && (*row_end > side.pitch ||
                side.pitch > DeviceLimits{}.max_pitch_bytes))) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const auto row = MultiplyAdd(side.z, side.height, side.y);
  const auto offset =
      row.has_value() ? MultiplyAdd(*row, side.pitch, side.x) : std::nullopt;
  const auto span = Span(form.WidthInBytes, form.Height, side.pitch);
  if (base == 0 || !offset.has_value() || !span.has_value() ||
      __builtin_add_overflow(base, *offset, address)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *place = PlaceOf(*address);
  if ((side.type == CU_MEMORYTYPE_DEVICE && place->memory == nullptr) ||
      !Accessible(*place, *address, *span)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

// Memory was freed between adding the node and running it.
FaultDetail Gone(absl::string_view what, uint64_t address,
                 uint64_t size_bytes) {
  FaultDetail fault;
  fault.code = CUDA_ERROR_ILLEGAL_ADDRESS;
  fault.address = address;
  fault.message =
      absl::StrCat(what, " of ", size_bytes, " bytes outside allocated memory");
  return fault;
}

void FillRow(uint8_t* row, const CUDA_MEMSET_NODE_PARAMS& form) {
  switch (form.elementSize) {
    case 1:
      std::memset(row, static_cast<int>(form.value & 0xff), form.width);
      return;
    case 2:
      std::fill_n(reinterpret_cast<uint16_t*>(row), form.width,
                  static_cast<uint16_t>(form.value));
      return;
    default:
      std::fill_n(reinterpret_cast<uint32_t*>(row), form.width, form.value);
  }
}

}  // namespace

CUresult MakeCopyWork(const CUDA_MEMCPY3D& form,
                      std::shared_ptr<Context> context, CopyWork* work) {
  if (form.WidthInBytes == 0 || form.Height == 0 || form.Depth == 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (form.Depth > 1) return CUDA_ERROR_NOT_SUPPORTED;
  CopyWork made;
  made.context = std::move(context);
  made.form = form;
  GRAPHD_RETURN_IF_FAILED(
      ResolveSide(SourceOf(form), form, &made.source, &made.source_place));
  GRAPHD_RETURN_IF_FAILED(
      ResolveSide(TargetOf(form), form, &made.target, &made.target_place));
  *work = std::move(made);
  return CUDA_SUCCESS;
}

CUresult MakeFillWork(const CUDA_MEMSET_NODE_PARAMS& form,
                      std::shared_ptr<Context> context, FillWork* work) {
  const uint64_t element = form.elementSize;
  if ((element != 1 && element != 2 && element != 4) || form.width == 0 ||
      form.height == 0 || form.dst % element != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const auto width = MultiplyAdd(form.width, element, 0);
  if (!width.has_value()) return CUDA_ERROR_INVALID_VALUE;
  // The pitch is unused when there is one row.
  const uint64_t pitch = form.height == 1 ? *width : form.pitch;
  if (pitch < *width || pitch % element != 0) return CUDA_ERROR_INVALID_VALUE;
  const auto span = Span(*width, form.height, pitch);
  FillWork made;
  made.context = std::move(context);
  made.form = form;
  made.place = PlaceOf(form.dst);
  if (!span.has_value() || made.place.memory == nullptr ||
      !Accessible(made.place, form.dst, *span)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *work = std::move(made);
  return CUDA_SUCCESS;
}

std::optional<FaultDetail> RunCopy(const CopyWork& work) {
  const CUDA_MEMCPY3D& form = work.form;
  const uint64_t width = form.WidthInBytes;
  const uint64_t read = *Span(width, form.Height, form.srcPitch);
  const uint64_t written = *Span(width, form.Height, form.dstPitch);
  if (!Accessible(work.source_place, work.source, read)) {
    return Gone("copy", work.source, read);
  }
  if (!Accessible(work.target_place, work.target, written)) {
    return Gone("copy", work.target, written);
  }
  const auto* from = reinterpret_cast<const uint8_t*>(work.source);
  auto* to = reinterpret_cast<uint8_t*>(work.target);
  for (size_t row = 0; row < form.Height; ++row) {
    std::memmove(to + row * form.dstPitch, from + row * form.srcPitch, width);
  }
  return std::nullopt;
}

std::optional<FaultDetail> RunFill(const FillWork& work) {
  const CUDA_MEMSET_NODE_PARAMS& form = work.form;
  const uint64_t written =
      *Span(form.width * form.elementSize, form.height, form.pitch);
  if (!Accessible(work.place, form.dst, written)) {
    return Gone("fill", form.dst, written);
  }
  for (size_t row = 0; row < form.height; ++row) {
    FillRow(reinterpret_cast<uint8_t*>(form.dst) + row * form.pitch, form);
  }
  return std::nullopt;
}

}  // namespace graphd::softgpu
