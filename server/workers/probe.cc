#include "server/workers/probe.h"

#include <fcntl.h>
#include <google/protobuf/util/json_util.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/descriptor.h"

extern char** environ;

namespace graphd {
namespace {

constexpr size_t kLongestReportBytes = 1 << 20;

// Reads to the end; false when `deadline` came first.
bool ReadAll(int descriptor, absl::Time deadline, std::string& out) {
  char bytes[4096];
  while (out.size() < kLongestReportBytes) {
    const int64_t left_ms = absl::ToInt64Milliseconds(deadline - absl::Now());
    if (left_ms <= 0) return false;
    pollfd entry{descriptor, POLLIN, 0};
    if (::poll(&entry, 1,
               static_cast<int>(std::min<int64_t>(left_ms, 60000))) <= 0) {
      continue;
    }
    const ssize_t got = ::read(descriptor, bytes, sizeof(bytes));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    out.append(bytes, static_cast<size_t>(got));
  }
  return true;
}

}  // namespace

absl::StatusOr<internal::v1::ProbeReport> ProbeDevices(
    const std::string& program, absl::Time deadline) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return absl::InternalError(absl::StrCat("pipe: ", std::strerror(errno)));
  }
  const Descriptor read_end(ends[0]);
  Descriptor write_end(ends[1]);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, write_end.number(), 1);
  std::string flag = "--probe";
  std::string name = program;
  char* argv[] = {name.data(), flag.data(), nullptr};
  pid_t pid = 0;
  const int error =
      ::posix_spawn(&pid, program.c_str(), &actions, nullptr, argv, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return absl::NotFoundError(
        absl::StrCat("program \"", program, "\": ", std::strerror(error)));
  }
  write_end.Close();
  std::string json;
  const bool whole = ReadAll(read_end.number(), deadline, json);
  if (!whole) ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!whole) {
    return absl::DeadlineExceededError(
        absl::StrCat("\"", program, " --probe\" did not end in time"));
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return absl::UnavailableError(absl::StrCat(
        "\"", program, " --probe\" failed: ",
        WIFSIGNALED(status) ? absl::StrCat("signal ", WTERMSIG(status))
                            : absl::StrCat("exit code ", WEXITSTATUS(status))));
  }
  internal::v1::ProbeReport report;
  const auto parsed =
      google::protobuf::util::JsonStringToMessage(json, &report);
  if (!parsed.ok()) {
    return absl::InternalError(
        absl::StrCat("\"", program,
                     " --probe\" printed something else than a "
                     "report: ",
                     parsed.ToString()));
  }
  return report;
}

}  // namespace graphd
