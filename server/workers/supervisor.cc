#include "server/workers/supervisor.h"

#include <sys/eventfd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"

namespace graphd {
namespace {

// A process that said it is ending gets this long to do so.
constexpr absl::Duration kRetireGrace = absl::Seconds(1);

}  // namespace

Supervisor::Supervisor(Options options, Observer observer)
    : options_(std::move(options)),
      observer_(std::move(observer)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  thread_ = std::thread([this] { Loop(); });
}

Supervisor::~Supervisor() { Stop(); }

void Supervisor::Stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    if (handle_ != nullptr) handle_->Kill();
  }
  changed_.notify_all();
  ::eventfd_write(wake_.number(), 1);
  if (thread_.joinable()) thread_.join();
}

void Supervisor::Set(WorkerState state, std::shared_ptr<WorkerHandle> handle,
                     std::string cause, const WorkerHandle* replaces) {
  Change change{state, handle == nullptr ? 0 : handle->pid(), cause};
  // Observers hear of changes in the order in which they happened.
  std::lock_guard observer_lock(observer_mutex_);
  {
    std::lock_guard lock(mutex_);
    if (replaces != nullptr && handle_.get() != replaces) return;
    if (state_ == state && handle_ == handle &&
        state != WorkerState::kServing) {
      return;
    }
    state_ = state;
    handle_ = std::move(handle);
    if (handle_ != nullptr) {
      hello_ =
          std::make_shared<const internal::v1::ChannelReply>(handle_->hello());
    }
    if (!cause.empty()) cause_ = std::move(cause);
  }
  changed_.notify_all();
  if (observer_) observer_(change);
}

bool Supervisor::Pause(absl::Duration duration) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, absl::ToChronoMilliseconds(duration),
                    [&] { return stopping_; });
  return !stopping_;
}

bool Supervisor::Stopping() const {
  std::lock_guard lock(mutex_);
  return stopping_;
}

bool Supervisor::Watch(WorkerHandle& handle) {
  absl::Time give_up = absl::InfiniteFuture();
  while (!handle.WaitExit(give_up, wake_.number())) {
    eventfd_t events;
    ::eventfd_read(wake_.number(), &events);
    if (Stopping()) return false;
    if (absl::Now() >= give_up) handle.Kill();
    if (!handle.usable() && give_up == absl::InfiniteFuture()) {
      give_up = absl::Now() + kRetireGrace;
    }
  }
  return true;
}

void Supervisor::Loop() {
  absl::Duration pause = options_.first_pause;
  while (true) {
    {
      std::lock_guard lock(mutex_);
      if (stopping_) break;
      ++starts_;
    }
    const absl::Time born = absl::Now();
    auto started =
        WorkerHandle::Start(options_.command, born + options_.hello_limit);
    if (started.ok()) {
      const std::shared_ptr<WorkerHandle> handle = *std::move(started);
      Set(WorkerState::kServing, handle, "");
      if (!Watch(*handle) || Stopping()) break;
      Set(WorkerState::kNotServing, nullptr, handle->exit_cause());
      if (absl::Now() - born >= options_.healthy_after) {
        pause = options_.first_pause;
      }
    } else {
      Set(WorkerState::kNotServing, nullptr,
          std::string(started.status().message()));
    }
    if (!Pause(pause)) break;
    pause = std::min(pause * 2, options_.longest_pause);
  }
  Set(WorkerState::kStopped, nullptr, "stopped");
}

absl::StatusOr<std::shared_ptr<WorkerHandle>> Supervisor::Ready(
    absl::Time deadline) {
  std::unique_lock lock(mutex_);
  const auto ready = [&] {
    return stopping_ || (handle_ != nullptr && handle_->usable());
  };
  if (!ready()) {
    changed_.wait_until(lock, absl::ToChronoTime(deadline), ready);
  }
  if (!stopping_ && ready()) return handle_;
  return absl::UnavailableError(
      absl::StrCat("the ", options_.name, " is not ready",
                   stopping_ ? ": graphd is stopping" : "",
                   cause_.empty() ? "" : ": ", cause_));
}

void Supervisor::Retire(const std::shared_ptr<WorkerHandle>& handle) {
  handle->Retire();
  Set(WorkerState::kNotServing, nullptr, "a fault ended it", handle.get());
  ::eventfd_write(wake_.number(), 1);
}

WorkerState Supervisor::state() const {
  std::lock_guard lock(mutex_);
  return state_;
}

uint64_t Supervisor::restarts() const {
  std::lock_guard lock(mutex_);
  return starts_ == 0 ? 0 : starts_ - 1;
}

pid_t Supervisor::pid() const {
  std::lock_guard lock(mutex_);
  return handle_ == nullptr ? 0 : handle_->pid();
}

std::shared_ptr<const internal::v1::ChannelReply> Supervisor::hello() const {
  std::lock_guard lock(mutex_);
  return hello_;
}

}  // namespace graphd
