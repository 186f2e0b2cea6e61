#include "client/graphctl/file_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/base/descriptor.h"
#include "core/base/status_macros.h"

namespace graphd::graphctl {
namespace {

absl::Status FileError(const std::string& path, absl::string_view verb) {
  const int error = errno;
  const std::string message =
      absl::StrCat("cannot ", verb, " \"", absl::CEscape(path),
                   "\": ", std::strerror(error));
  if (error == ENOENT || error == ENOTDIR) return absl::NotFoundError(message);
  if (error == EACCES || error == EPERM || error == EROFS) {
    return absl::PermissionDeniedError(message);
  }
  return absl::FailedPreconditionError(message);
}

absl::Status WriteAll(int descriptor, absl::string_view bytes,
                      const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return FileError(path, "write");
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

absl::Status Replace(const std::string& path, absl::string_view bytes) {
  const std::string unfinished = absl::StrCat(path, ".", ::getpid(), ".part");
  Descriptor file(::open(unfinished.c_str(),
                         O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.valid()) return FileError(path, "write");
  absl::Status status = WriteAll(file.number(), bytes, path);
  if (::close(file.Release()) != 0 && status.ok()) {
    status = FileError(path, "write");
  }
  if (status.ok() && std::rename(unfinished.c_str(), path.c_str()) != 0) {
    status = FileError(path, "write");
  }
  if (!status.ok()) ::unlink(unfinished.c_str());
  return status;
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const bool standard = path == "-";
  const Descriptor opened(
      standard ? -1 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!standard && !opened.valid()) return FileError(path, "read");
  const int descriptor = standard ? STDIN_FILENO : opened.number();
  std::string bytes;
  struct stat entry {};
  if (::fstat(descriptor, &entry) == 0 && S_ISREG(entry.st_mode)) {
    bytes.reserve(static_cast<size_t>(entry.st_size));
  }
  char chunk[1 << 16];
  while (true) {
    const ssize_t got = ::read(descriptor, chunk, sizeof(chunk));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FileError(path, "read");
    if (got == 0) return bytes;
    bytes.append(chunk, static_cast<size_t>(got));
  }
}

absl::Status WriteFile(const std::string& path, absl::string_view bytes) {
  if (path == "-") return WriteAll(STDOUT_FILENO, bytes, "standard output");
  struct stat entry {};
  const bool there = ::stat(path.c_str(), &entry) == 0;
  if (there && S_ISDIR(entry.st_mode)) {
    errno = EISDIR;
    return FileError(path, "write");
  }
  if (!there || S_ISREG(entry.st_mode)) return Replace(path, bytes);
  const Descriptor opened(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!opened.valid()) return FileError(path, "write");
  return WriteAll(opened.number(), bytes, path);
}

}  // namespace graphd::graphctl
