// Names and texts of results.
#include "core/softgpu/api.h"

namespace graphd::softgpu::api {
namespace {

struct ErrorText {
  const char* name = nullptr;
  const char* text = nullptr;
};

ErrorText TextOf(CUresult error) {
  switch (error) {
#define GRAPHD_DRIVER_ERROR(name, text) \
  case name:                            \
    return {#name, text};
#include "core/softgpu/errors.def"
#undef GRAPHD_DRIVER_ERROR
  }
  return {};  // a number that is no CUresult
}

CUresult GiveOut(const char* found, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *text = found;
  return found == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

}  // namespace

CUresult cuGetErrorName(CUresult error, const char** name) {
  return GiveOut(TextOf(error).name, name);
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  return GiveOut(TextOf(error).text, text);
}

}  // namespace graphd::softgpu::api
