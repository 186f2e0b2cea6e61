#include "server/runs/turn_queue.h"

#include <algorithm>
#include <chrono>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace graphd {
namespace {

// How soon a waiting caller notices that its client has gone.
constexpr absl::Duration kLookAround = absl::Milliseconds(50);

}  // namespace

absl::StatusOr<TurnQueue::Turn> TurnQueue::Enter(
    absl::Time deadline, const std::function<bool()>& cancelled) {
  std::unique_lock lock(mutex_);
  if (!busy_) {
    busy_ = true;
    return Turn(*this);
  }
  if (waiting_.size() >= capacity_) {
    return absl::ResourceExhaustedError(
        absl::StrCat(name_, ": ", waiting_.size(),
                     " calls wait already, the most there may be (--queue)"));
  }
  Waiter self;
  const auto place = waiting_.insert(waiting_.end(), &self);
  while (!self.has_turn) {
    const absl::Time now = absl::Now();
    if (now >= deadline || cancelled()) {
      waiting_.erase(place);
      return now >= deadline
                 ? absl::DeadlineExceededError(absl::StrCat(
                       name_, ": the deadline passed before it was free"))
                 : absl::CancelledError("the client cancelled the call");
    }
    self.called.wait_for(lock, absl::ToChronoMicroseconds(
                                   std::min(deadline - now, kLookAround)));
  }
  return Turn(*this);
}

void TurnQueue::Leave() {
  std::lock_guard lock(mutex_);
  if (waiting_.empty()) {
    busy_ = false;
    return;
  }
  Waiter* next = waiting_.front();
  waiting_.pop_front();
  next->has_turn = true;
  next->called.notify_one();
}

size_t TurnQueue::length() const {
  std::lock_guard lock(mutex_);
  return waiting_.size() + (busy_ ? 1 : 0);
}

}  // namespace graphd
