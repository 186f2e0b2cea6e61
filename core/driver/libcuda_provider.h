// The real driver: libcuda.so.1, opened at run time, so that one binary runs on
// any machine.
//
// Sets module loading to EAGER before cuInit: a lazily loaded kernel would load
// inside a replay.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_DRIVER_LIBCUDA_PROVIDER_H_
#define GRAPHD_CORE_DRIVER_LIBCUDA_PROVIDER_H_

#include <string>

#include "absl/status/statusor.h"
#include "core/driver/driver_table.h"

namespace graphd {

// Opens `library` and resolves every function of functions.def; cuInit has been
// called on success. Errors: NOT_FOUND (no such library, or no device),
// FAILED_PRECONDITION naming the required symbol that is missing or the driver
// that is too old.
absl::StatusOr<DriverTable> LibcudaDriver(
    const std::string& library = "libcuda.so.1");

}  // namespace graphd

#endif  // GRAPHD_CORE_DRIVER_LIBCUDA_PROVIDER_H_
