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
  daemon->program_ = program;
  daemon->extra_flags_ = std::move(extra_flags);
  daemon->directory_ = pattern;
  daemon->unix_endpoint_ = absl::StrCat("unix:", pattern, "/graphd.sock");
  const absl::Status status = daemon->Restart();
  if (!status.ok()) return status;
  return daemon;
}

absl::Status DaemonProcess::Restart() {
  const std::string ready_file = directory_ + "/ready.json";
  const std::string log_file = directory_ + "/log";
  std::filesystem::remove(ready_file);
  std::vector<std::string> arguments = {
      program_,      "--listen", unix_endpoint_,        "--listen",
      "127.0.0.1:0", "--state",  directory_ + "/state", "--ready-file",
      ready_file};
  arguments.insert(arguments.end(), extra_flags_.begin(), extra_flags_.end());
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 2, log_file.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int error = posix_spawn(&pid_, program_.c_str(), &actions, nullptr,
                                argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    pid_ = -1;
    return absl::NotFoundError(absl::StrCat("cannot start ", program_));
  }

  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!std::filesystem::exists(ready_file)) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      return absl::InternalError(
          absl::StrCat(program_, " ended: ", ReadFile(log_file)));
    }
    if (std::chrono::steady_clock::now() > deadline) {
      return absl::DeadlineExceededError(
          absl::StrCat(program_, " does not serve: ", ReadFile(log_file)));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  tcp_endpoint_ = FindTcpAddress(ReadFile(ready_file));
  return absl::OkStatus();
}

DaemonProcess::~DaemonProcess() {
  if (pid_ > 0) Stop();
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

void DaemonProcess::Kill() {
  kill(pid_, SIGKILL);
  Wait();
}

int DaemonProcess::Stop() {
  kill(pid_, SIGTERM);
  return Wait();
}

int DaemonProcess::Wait() {
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace graphd
