#include "core/driver/driver_status.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace graphd {
namespace {

absl::StatusCode CodeOf(CUresult result) {
  if (IsSticky(result)) return absl::StatusCode::kAborted;
  switch (result) {
    case CUDA_ERROR_OUT_OF_MEMORY:
      return absl::StatusCode::kResourceExhausted;
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_INVALID_SOURCE:
      return absl::StatusCode::kInvalidArgument;
    case CUDA_ERROR_NOT_FOUND:
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_INVALID_DEVICE:
      return absl::StatusCode::kNotFound;
    case CUDA_ERROR_NOT_SUPPORTED:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return absl::StatusCode::kFailedPrecondition;
    default:
      return absl::StatusCode::kInternal;
  }
}

std::string Place(const FaultDetail& detail) {
  const auto triple = [](const std::array<uint32_t, 3>& index) {
    return absl::StrCat("(", index[0], ", ", index[1], ", ", index[2], ")");
  };
  return absl::StrCat("kernel \"", detail.kernel, "\", block ",
                      triple(detail.block), ", thread ", triple(detail.thread),
                      ", PTX line ", detail.line, ": ", detail.message);
}

}  // namespace

bool IsSticky(CUresult result) {
  // By number: not every header names all of them.
  switch (static_cast<int>(result)) {
    case 226:
    case 700:
    case 702:
    case 710:
    case 714:
    case 715:
    case 716:
    case 717:
    case 718:
    case 719:
    case 721:
    case 810:
    case 911:
      return true;
    default:
      return false;
  }
}

absl::Status ToStatus(const DriverTable& driver, CUresult result,
                      absl::string_view what) {
  if (result == CUDA_SUCCESS) return absl::OkStatus();
  const char* name = nullptr;
  const char* text = nullptr;
  driver.cuGetErrorName(result, &name);
  driver.cuGetErrorString(result, &text);
  std::string message =
      absl::StrCat(what, ": ", name == nullptr ? "unknown error" : name, " (",
                   static_cast<int>(result), ")", text == nullptr ? "" : ": ",
                   text == nullptr ? "" : text);
  FaultDetail detail;
  if (driver.fault_detail != nullptr && driver.fault_detail(&detail)) {
    if (IsSticky(result)) {
      absl::StrAppend(&message, "; ", Place(detail));
    } else if (result == CUDA_ERROR_NOT_SUPPORTED && detail.code == result) {
      absl::StrAppend(&message, "; kernel \"", detail.kernel,
                      "\": ", detail.message);
    }
  }
  return absl::Status(CodeOf(result), message);
}

}  // namespace graphd
