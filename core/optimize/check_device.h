// Whether a device can run what a draft asks for: image kinds, instructions,
// launch shapes, shared memory.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_OPTIMIZE_CHECK_DEVICE_H_
#define GRAPHD_CORE_OPTIMIZE_CHECK_DEVICE_H_

#include "absl/status/status.h"
#include "core/optimize/draft.h"

namespace graphd {

// Errors: FAILED_PRECONDITION, naming the first node that the device cannot run
// and why.
absl::Status CheckDevice(const Draft& draft);

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_CHECK_DEVICE_H_
