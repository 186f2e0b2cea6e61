#include "core/exec/loaded_plan.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/driver/driver_status.h"

namespace graphd {
namespace {

// Dynamic shared memory beyond this needs the function's consent.
constexpr uint32_t kSharedBytesWithoutOptIn = 48 * 1024;

}  // namespace

absl::StatusOr<std::unique_ptr<LoadedPlan>> LoadedPlan::Load(
    const DriverTable& driver, PlanPtr plan) {
  auto loaded =
      std::unique_ptr<LoadedPlan>(new LoadedPlan(driver, std::move(plan)));
  GRAPHD_RETURN_IF_ERROR(loaded->LoadImages());
  GRAPHD_RETURN_IF_ERROR(loaded->FindFunctions());
  GRAPHD_RETURN_IF_ERROR(loaded->ReserveArenas());
  GRAPHD_RETURN_IF_ERROR(loaded->PlaceBuffers());
  GRAPHD_RETURN_IF_ERROR(loaded->KeepVariableImages());
  return loaded;
}

LoadedPlan::~LoadedPlan() {
  // Failures here mean that the context is gone, and the memory with it.
  for (CUmodule module : modules_) driver_.cuModuleUnload(module);
  if (device_arena_ != 0) driver_.cuMemFree(device_arena_);
  if (host_arena_ != nullptr) driver_.cuMemFreeHost(host_arena_);
}

absl::Status LoadedPlan::LoadImages() {
  for (size_t i = 0; i < plan_->images.size(); ++i) {
    std::array<char, 8192> log{};
    std::array<CUjit_option, 2> options = {CU_JIT_ERROR_LOG_BUFFER,
                                           CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    std::array<void*, 2> values = {
        log.data(), reinterpret_cast<void*>(uintptr_t{log.size()})};
    CUmodule module = nullptr;
    const CUresult result = driver_.cuModuleLoadDataEx(
        &module, plan_->images[i].code.c_str(), options.size(), options.data(),
        values.data());
    if (result != CUDA_SUCCESS) {
      const absl::Status status =
          ToStatus(driver_, result, absl::StrCat("loading image ", i));
      const absl::string_view detail(log.data(),
                                     strnlen(log.data(), log.size()));
      if (detail.empty()) return status;
      return absl::Status(status.code(),
                          absl::StrCat(status.message(), ": ", detail));
    }
    modules_.push_back(module);
  }
  return absl::OkStatus();
}

absl::Status LoadedPlan::FindFunctions() {
  functions_.assign(plan_->steps.size(), nullptr);
  std::map<CUfunction, uint32_t> shared_bytes;
  for (size_t i = 0; i < plan_->steps.size(); ++i) {
    const PlanStep& step = plan_->steps[i];
    const auto* kernel = std::get_if<KernelStep>(&step.body);
    if (kernel == nullptr) continue;
    const CUresult result = driver_.cuModuleGetFunction(
        &functions_[i], modules_[kernel->image.index()],
        kernel->function.c_str());
    if (result != CUDA_SUCCESS) {
      return absl::InvalidArgumentError(absl::StrCat(
          "step \"", step.name, "\": ",
          ToStatus(driver_, result,
                   absl::StrCat("kernel \"", kernel->function, "\" of image ",
                                kernel->image.index()))
              .message()));
    }
    uint32_t& most = shared_bytes[functions_[i]];
    most = std::max(most, kernel->shared_bytes);
  }
  for (const auto& [function, bytes] : shared_bytes) {
    if (bytes <= kSharedBytesWithoutOptIn) continue;
    GRAPHD_RETURN_IF_ERROR(ToStatus(
        driver_,
        driver_.cuFuncSetAttribute(
            function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
            static_cast<int>(bytes)),
        absl::StrCat("allowing ", bytes, " bytes of dynamic shared memory")));
  }
  return absl::OkStatus();
}

absl::Status LoadedPlan::ReserveArenas() {
  if (plan_->device_arena_bytes > 0) {
    GRAPHD_RETURN_IF_ERROR(ToStatus(
        driver_, driver_.cuMemAlloc(&device_arena_, plan_->device_arena_bytes),
        absl::StrCat("reserving a device arena of ", plan_->device_arena_bytes,
                     " bytes")));
  }
  if (plan_->host_arena_bytes > 0) {
    GRAPHD_RETURN_IF_ERROR(ToStatus(
        driver_,
        driver_.cuMemHostAlloc(&host_arena_, plan_->host_arena_bytes, 0),
        absl::StrCat("reserving a host arena of ", plan_->host_arena_bytes,
                     " bytes")));
    // Bytes that a client never sends must not be those of another run.
    std::memset(host_arena_, 0, plan_->host_arena_bytes);
  }
  return absl::OkStatus();
}

absl::Status LoadedPlan::PlaceBuffers() {
  addresses_.assign(plan_->buffers.size(), 0);
  for (size_t i = 0; i < plan_->buffers.size(); ++i) {
    const PlanBuffer& buffer = plan_->buffers[i];
    switch (buffer.place) {
      case BufferPlace::kDeviceArena:
        addresses_[i] = device_arena_ + buffer.offset_bytes;
        break;
      case BufferPlace::kHostArena:
        addresses_[i] =
            reinterpret_cast<CUdeviceptr>(host_arena_) + buffer.offset_bytes;
        break;
      case BufferPlace::kModuleVariable: {
        size_t size_bytes = 0;
        GRAPHD_RETURN_IF_ERROR(
            ToStatus(driver_,
                     driver_.cuModuleGetGlobal(&addresses_[i], &size_bytes,
                                               modules_[buffer.image.index()],
                                               buffer.symbol.c_str()),
                     absl::StrCat("variable \"", buffer.symbol, "\"")));
        if (size_bytes != buffer.size_bytes) {
          return absl::InvalidArgumentError(absl::StrCat(
              "variable \"", buffer.symbol, "\": the plan says ",
              buffer.size_bytes, " bytes, the image has ", size_bytes));
        }
        break;
      }
    }
  }
  return absl::OkStatus();
}

absl::Status LoadedPlan::KeepVariableImages() {
  for (size_t i = 0; i < plan_->buffers.size(); ++i) {
    const PlanBuffer& buffer = plan_->buffers[i];
    if (!buffer.variable_image) continue;
    CUdeviceptr variable = 0;
    size_t size_bytes = 0;
    GRAPHD_RETURN_IF_ERROR(
        ToStatus(driver_,
                 driver_.cuModuleGetGlobal(&variable, &size_bytes,
                                           modules_[buffer.image.index()],
                                           buffer.symbol.c_str()),
                 absl::StrCat("variable \"", buffer.symbol, "\"")));
    GRAPHD_RETURN_IF_ERROR(ToStatus(
        driver_,
        driver_.cuMemcpyDtoH(host_bytes(BufferId(i)), variable,
                             std::min<size_t>(size_bytes, buffer.size_bytes)),
        absl::StrCat("reading the initial bytes of \"", buffer.symbol, "\"")));
  }
  return absl::OkStatus();
}

absl::Status LoadedPlan::Poison(uint8_t pattern) {
  for (size_t i = 0; i < plan_->buffers.size(); ++i) {
    const PlanBuffer& buffer = plan_->buffers[i];
    if (buffer.place == BufferPlace::kHostArena && !buffer.variable_image) {
      std::memset(host_bytes(BufferId(i)), pattern, buffer.size_bytes);
    }
  }
  if (device_arena_ == 0) return absl::OkStatus();
  const std::string bytes(plan_->device_arena_bytes,
                          static_cast<char>(pattern));
  return ToStatus(
      driver_, driver_.cuMemcpyHtoD(device_arena_, bytes.data(), bytes.size()),
      "poisoning the device arena");
}

}  // namespace graphd
