#include "server/workers/file_access.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/base/descriptor.h"

namespace graphd {
namespace {

// Every right of Landlock's first version: what is not handled stays allowed.
constexpr uint64_t kHandled =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR |
    LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
    LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
    LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
    LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
    LANDLOCK_ACCESS_FS_MAKE_SYM;

absl::Status Failed(absl::string_view what) {
  return absl::InternalError(
      absl::StrCat("landlock: ", what, ": ", std::strerror(errno)));
}

absl::Status AllowReading(int ruleset, const std::string& path) {
  const Descriptor folder(::open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat state;
  if (!folder.valid() || ::fstat(folder.number(), &state) != 0) {
    return absl::OkStatus();  // not on this machine
  }
  landlock_path_beneath_attr rule{};
  rule.parent_fd = folder.number();
  rule.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE;
  if (S_ISDIR(state.st_mode)) {
    rule.allowed_access |= LANDLOCK_ACCESS_FS_READ_DIR;
  }
  if (::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH,
                &rule, 0) != 0) {
    return Failed(path);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status AllowReadingOnly(const std::vector<std::string>& folders) {
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = kHandled;
  const Descriptor ruleset(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes,
                                 sizeof(attributes.handled_access_fs), 0)));
  if (!ruleset.valid()) {
    if (errno == ENOSYS || errno == EOPNOTSUPP) {
      return absl::FailedPreconditionError("this kernel has no Landlock");
    }
    return Failed("create ruleset");
  }
  for (const std::string& folder : folders) {
    const absl::Status allowed = AllowReading(ruleset.number(), folder);
    if (!allowed.ok()) return allowed;
  }
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return Failed("no new privileges");
  }
  if (::syscall(SYS_landlock_restrict_self, ruleset.number(), 0) != 0) {
    return Failed("restrict self");
  }
  return absl::OkStatus();
}

std::vector<std::string> ToolkitFolders() {
  std::vector<std::string> folders = {"/usr/local/cuda", "/usr/include",
                                      "/usr/lib",        "/lib",
                                      "/lib64",          "/etc/ld.so.cache"};
  if (const char* home = std::getenv("CUDA_HOME"); home != nullptr) {
    folders.emplace_back(home);
  }
  if (const char* path = std::getenv("LD_LIBRARY_PATH"); path != nullptr) {
    for (absl::string_view folder :
         absl::StrSplit(path, ':', absl::SkipEmpty())) {
      folders.emplace_back(folder);
    }
  }
  return folders;
}

}  // namespace graphd
