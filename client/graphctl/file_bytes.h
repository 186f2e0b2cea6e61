// Whole files, and the standard streams under the name "-".
//
// Thread safety: thread-safe, but for the standard streams.
#ifndef GRAPHD_CLIENT_GRAPHCTL_FILE_BYTES_H_
#define GRAPHD_CLIENT_GRAPHCTL_FILE_BYTES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace graphd::graphctl {

// "-" is standard input.
// Errors: NOT_FOUND, PERMISSION_DENIED or FAILED_PRECONDITION naming the file.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// "-" is standard output. A regular file appears whole or not at all; what is
// not one (a pipe, /dev/null) is written to as it is.
// Errors: as ReadFile; nothing is left behind.
absl::Status WriteFile(const std::string& path, absl::string_view bytes);

}  // namespace graphd::graphctl

#endif  // GRAPHD_CLIENT_GRAPHCTL_FILE_BYTES_H_
