// Scalars as people type them.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CLIENT_GRAPHCTL_SCALAR_TEXT_H_
#define GRAPHD_CLIENT_GRAPHCTL_SCALAR_TEXT_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/graph/scalar.h"

namespace graphd::graphctl {

// "0.5", "-3", "1e-3", "inf", "0x10" (integers), "true", "1" (bool).
// Errors: INVALID_ARGUMENT: no such value, or it does not fit the type.
absl::StatusOr<Scalar> ParseScalar(ScalarType type, absl::string_view text);

}  // namespace graphd::graphctl

#endif  // GRAPHD_CLIENT_GRAPHCTL_SCALAR_TEXT_H_
