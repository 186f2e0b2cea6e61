// Takes file access away from this process, for good, by Landlock.
//
// A CUDA source may say #include "/etc/passwd", and the compiler's log would
// show it to the client. Descriptors that are open already keep working.
//
// Thread safety: thread-compatible; threads that run already keep their access.
#ifndef GRAPHD_SERVER_WORKERS_FILE_ACCESS_H_
#define GRAPHD_SERVER_WORKERS_FILE_ACCESS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace graphd {

// From now on the process reads what lies below `folders` and nothing else, and
// writes nothing. Folders that are not there are skipped.
// Errors: FAILED_PRECONDITION (this kernel has no Landlock), INTERNAL.
absl::Status AllowReadingOnly(const std::vector<std::string>& folders);

// Where NVRTC, its headers and shared libraries lie.
std::vector<std::string> ToolkitFolders();

}  // namespace graphd

#endif  // GRAPHD_SERVER_WORKERS_FILE_ACCESS_H_
