#include "tests/support/daemon_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"

extern char** environ;

namespace graphd {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)),
                     std::istreambuf_iterator<char>());
}

// The loopback address among the addresses of a ready file.
std::string FindTcpAddress(const std::string& ready) {
  const size_t begin = ready.find("127.0.0.1:");
  if (begin == std::string::npos) return "";
  return ready.substr(begin, ready.find('"', begin) - begin);
}

}  // namespace

absl::StatusOr<std::unique_ptr<DaemonProcess>> DaemonProcess::Start(
    const std::string& program, std::vector<std::string> extra_flags) {
  std::unique_ptr<DaemonProcess> daemon(new DaemonProcess());
  std::string pattern =
      (std::filesystem::temp_directory_path() / "graphd-test.XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    return absl::InternalError("cannot make a temporary directory");
  }
  daemon->directory_ = pattern;
  daemon->unix_endpoint_ = absl::StrCat("unix:", pattern, "/graphd.sock");
  const std::string ready_file = pattern + "/ready.json";
  const std::string log_file = pattern + "/log";

  std::vector<std::string> arguments = {
      program,       "--listen", daemon->unix_endpoint_, "--listen",
      "127.0.0.1:0", "--state",  pattern + "/state",     "--ready-file",
      ready_file};
  for (std::string& flag : extra_flags) arguments.push_back(std::move(flag));
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 2, log_file.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int error = posix_spawn(&daemon->pid_, program.c_str(), &actions,
                                nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    daemon->pid_ = -1;
    return absl::NotFoundError(absl::StrCat("cannot start ", program));
  }

  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!std::filesystem::exists(ready_file)) {
    int status = 0;
    if (waitpid(daemon->pid_, &status, WNOHANG) == daemon->pid_) {
      daemon->pid_ = -1;
      return absl::InternalError(
          absl::StrCat(program, " ended: ", ReadFile(log_file)));
    }
    if (std::chrono::steady_clock::now() > deadline) {
      return absl::DeadlineExceededError(
          absl::StrCat(program, " does not serve: ", ReadFile(log_file)));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  daemon->tcp_endpoint_ = FindTcpAddress(ReadFile(ready_file));
  return daemon;
}

DaemonProcess::~DaemonProcess() {
  if (pid_ > 0) Stop();
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

int DaemonProcess::Stop() {
  kill(pid_, SIGTERM);
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace graphd
