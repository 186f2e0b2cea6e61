#include "server/workers/worker_handle.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"

namespace graphd {
namespace {

using internal::v1::ChannelReply;
using internal::v1::ChannelRequest;

constexpr int kChannelNumber = 3;
// A process that closed its channel is ending; it gets this long to do so.
constexpr absl::Duration kExitGrace = absl::Milliseconds(500);
// How long a call looks for the answer before it sleeps: a small replay answers
// sooner than a sleeping thread wakes.
constexpr absl::Duration kSpin = absl::Microseconds(50);

// Runs in the child: only calls that are safe after a fork of a process with
// threads.
[[noreturn]] void Exec(const char* program, char* const* argv, int channel,
                       pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(125);
  ::setpgid(0, 0);  // Ctrl-C at a terminal is for the daemon, which drains
  if (channel == kChannelNumber) {
    ::fcntl(channel, F_SETFD, 0);
  } else {
    ::dup2(channel, kChannelNumber);
  }
  const int null = ::open("/dev/null", O_RDWR);
  ::dup2(null, 0);
  ::dup2(2, 1);
  ::syscall(SYS_close_range, kChannelNumber + 1, ~0u, 0);
  struct sigaction plain = {};
  plain.sa_handler = SIG_DFL;
  for (int signal : {SIGTERM, SIGINT, SIGPIPE, SIGHUP, SIGCHLD}) {
    ::sigaction(signal, &plain, nullptr);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execv(program, argv);
  ::_exit(127);
}

absl::StatusOr<pid_t> Spawn(const WorkerCommand& command, int channel) {
  if (::access(command.program.c_str(), X_OK) != 0) {
    return absl::NotFoundError(absl::StrCat("program \"", command.program,
                                            "\": ", std::strerror(errno)));
  }
  std::vector<char*> argv;
  argv.push_back(const_cast<char*>(command.program.c_str()));
  for (const std::string& argument : command.arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    return absl::ResourceExhaustedError(
        absl::StrCat("fork: ", std::strerror(errno)));
  }
  if (child == 0) {
    Exec(command.program.c_str(), argv.data(), channel, parent);
  }
  return child;
}

}  // namespace

WorkerHandle::WorkerHandle(pid_t pid, Descriptor process, Channel channel)
    : pid_(pid), process_(std::move(process)), channel_(std::move(channel)) {}

absl::StatusOr<std::shared_ptr<WorkerHandle>> WorkerHandle::Start(
    const WorkerCommand& command, absl::Time deadline) {
  GRAPHD_ASSIGN_OR_RETURN(auto ends, Channel::Pair());
  GRAPHD_ASSIGN_OR_RETURN(const pid_t pid,
                          Spawn(command, ends.second.number()));
  Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  { const Channel theirs = std::move(ends.second); }  // only the child has it
  std::shared_ptr<WorkerHandle> handle(
      new WorkerHandle(pid, std::move(process), std::move(ends.first)));
  if (!handle->process_.valid()) {
    return absl::InternalError(
        absl::StrCat("pidfd_open: ", std::strerror(errno)));
  }
  auto message = handle->channel_.Receive(deadline);
  if (!message.ok()) {
    if (absl::IsDeadlineExceeded(message.status())) {
      return absl::DeadlineExceededError(
          absl::StrCat("\"", command.program, "\" did not say hello in time"));
    }
    handle->WaitExit(absl::Now() + kExitGrace);
    return absl::UnavailableError(
        absl::StrCat("\"", command.program,
                     "\" ended before it was ready: ", handle->exit_cause()));
  }
  if (!handle->hello_.ParseFromString(message->payload) ||
      handle->hello_.id() != 0) {
    return absl::InternalError(absl::StrCat(
        "\"", command.program, "\" said something else than hello"));
  }
  if (handle->hello_.code() != 0) {
    return absl::Status(static_cast<absl::StatusCode>(handle->hello_.code()),
                        handle->hello_.message());
  }
  return handle;
}

WorkerHandle::~WorkerHandle() {
  Kill();
  WaitExit(absl::InfiniteFuture());
}

absl::StatusOr<ChannelReply> WorkerHandle::Call(ChannelRequest& request,
                                                int descriptor,
                                                absl::Time deadline) {
  std::lock_guard lock(call_mutex_);
  if (!usable_) {
    return absl::UnavailableError("the process is gone");
  }
  request.set_id(next_id_++);
  const std::string payload = request.SerializeAsString();
  absl::Status sent = channel_.Send(payload, descriptor, deadline);
  if (absl::IsResourceExhausted(sent)) return sent;  // nothing went out
  ChannelReply reply;
  absl::Status failure = sent;
  if (sent.ok()) {
    auto message = channel_.Receive(deadline, kSpin);
    failure = message.status();
    if (message.ok()) {
      if (reply.ParseFromString(message->payload) &&
          reply.id() == request.id()) {
        return reply;
      }
      failure = absl::AbortedError(
          "the process sent something else than an "
          "answer");
    }
  }
  usable_ = false;
  // Killed before its channel closes: it would take that for a plain end.
  if (absl::IsDeadlineExceeded(failure)) Kill();
  channel_.Shutdown();
  if (!WaitExit(absl::Now() + kExitGrace)) {
    Kill();
    WaitExit(absl::Now() + kExitGrace);
  }
  const std::string cause = exit_cause();
  return absl::Status(
      failure.code(),
      absl::StrCat(failure.message(), cause.empty() ? "" : ": ", cause));
}

void WorkerHandle::Kill() {
  usable_ = false;
  std::lock_guard lock(exit_mutex_);
  if (!wait_status_.has_value()) ::kill(pid_, SIGKILL);
}

bool WorkerHandle::Reap() {
  std::lock_guard lock(exit_mutex_);
  if (wait_status_.has_value()) return true;
  int status = 0;
  const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
  if (ended == pid_) {
    wait_status_ = status;
  } else if (ended < 0 && errno == ECHILD) {
    wait_status_ = 0;  // reaped elsewhere; its status is lost
  }
  if (wait_status_.has_value()) usable_ = false;
  return wait_status_.has_value();
}

bool WorkerHandle::WaitExit(absl::Time deadline, int wake) {
  while (!Reap()) {
    int timeout_ms = -1;
    if (deadline != absl::InfiniteFuture()) {
      const absl::Duration left = deadline - absl::Now();
      if (left <= absl::ZeroDuration()) return false;
      timeout_ms = static_cast<int>(std::min<int64_t>(
          absl::ToInt64Milliseconds(left) + 1, 60 * 60 * 1000));
    }
    pollfd entries[2] = {{process_.number(), POLLIN, 0}, {wake, POLLIN, 0}};
    if (!process_.valid() && timeout_ms < 0) timeout_ms = 10;
    ::poll(entries, 2, timeout_ms);
    if ((entries[1].revents & POLLIN) != 0) return Reap();
  }
  return true;
}

std::string WorkerHandle::exit_cause() const {
  std::lock_guard lock(exit_mutex_);
  if (!wait_status_.has_value()) return "";
  if (WIFSIGNALED(*wait_status_)) {
    const int signal = WTERMSIG(*wait_status_);
    return absl::StrCat("signal ", signal, " (", ::strsignal(signal), ")");
  }
  return absl::StrCat("exit code ", WEXITSTATUS(*wait_status_));
}

int WorkerHandle::exit_signal() const {
  std::lock_guard lock(exit_mutex_);
  return wait_status_.has_value() && WIFSIGNALED(*wait_status_)
             ? WTERMSIG(*wait_status_)
             : 0;
}

}  // namespace graphd
