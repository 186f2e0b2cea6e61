// CUresult to absl::Status, and which errors lose the context.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_DRIVER_DRIVER_STATUS_H_
#define GRAPHD_CORE_DRIVER_DRIVER_STATUS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "core/driver/driver_table.h"

namespace graphd {

// The context is lost and the process must end: 226, 700, 702, 710, 714…719,
// 721, 810, 911.
bool IsSticky(CUresult result);

// OK for CUDA_SUCCESS. Else "<what>: CUDA_ERROR_NAME (number): text", coded:
// out of memory RESOURCE_EXHAUSTED, invalid PTX or arguments INVALID_ARGUMENT,
// not found NOT_FOUND, not supported FAILED_PRECONDITION, sticky ABORTED, the
// rest INTERNAL. A sticky error carries the fault's kernel, block, thread and
// line when the table knows them; not supported carries the reason.
absl::Status ToStatus(const DriverTable& driver, CUresult result,
                      absl::string_view what);

}  // namespace graphd

#endif  // GRAPHD_CORE_DRIVER_DRIVER_STATUS_H_
