#include "core/driver/libcuda_provider.h"

#include <dlfcn.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace graphd {
namespace {

// cuda.h maps a name to its current version by a macro; the symbol is what the
// name expands to.
#define GRAPHD_STRINGIFY_EXPANDED(name) #name
#define GRAPHD_SYMBOL(name) GRAPHD_STRINGIFY_EXPANDED(name)

// PTX that a toolkit writes needs a driver at least as new as the header.
constexpr int kOldestDriver = CUDA_VERSION / 1000 * 1000;

absl::Status CheckVersion(const DriverTable& driver) {
  int version = 0;
  const CUresult result = driver.cuDriverGetVersion(&version);
  if (result != CUDA_SUCCESS) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the driver does not tell its version: CUDA error ", result));
  }
  if (version >= kOldestDriver) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the driver supports CUDA ", version / 1000, ".",
                   version % 1000 / 10, ", graphd needs ", kOldestDriver / 1000,
                   ".", kOldestDriver % 1000 / 10, " or newer"));
}

}  // namespace

absl::StatusOr<DriverTable> LibcudaDriver(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    return absl::NotFoundError(
        absl::StrCat("cannot open ", library, ": ", why == nullptr ? "" : why));
  }
  DriverTable driver;
  const char* missing = nullptr;
#define GRAPHD_DRIVER_OPTIONAL(name)                     \
  driver.name = reinterpret_cast<decltype(driver.name)>( \
      dlsym(handle, GRAPHD_SYMBOL(name)));
#define GRAPHD_DRIVER_REQUIRED(name)                \
  GRAPHD_DRIVER_OPTIONAL(name)                      \
  if (driver.name == nullptr && missing == nullptr) \
    missing = GRAPHD_SYMBOL(name);
#include "core/driver/functions.def"
#undef GRAPHD_DRIVER_REQUIRED
#undef GRAPHD_DRIVER_OPTIONAL
  if (missing != nullptr) {
    dlclose(handle);
    return absl::FailedPreconditionError(
        absl::StrCat(library, " has no function ", missing));
  }
  // The library stays open for the life of the process: a driver cannot be
  // unloaded.
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  const CUresult result = driver.cuInit(0);
  if (result == CUDA_ERROR_NO_DEVICE) {
    return absl::NotFoundError(absl::StrCat(library, ": no CUDA device"));
  }
  if (result != CUDA_SUCCESS) {
    return absl::FailedPreconditionError(
        absl::StrCat(library, ": cuInit: CUDA error ", result));
  }
  if (absl::Status status = CheckVersion(driver); !status.ok()) return status;
  return driver;
}

}  // namespace graphd
