// TurnQueue lets callers use something one at a time, in the order in which
// they came, and refuses them when too many wait.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_SERVER_RUNS_TURN_QUEUE_H_
#define GRAPHD_SERVER_RUNS_TURN_QUEUE_H_

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace graphd {

class TurnQueue {
 public:
  // `name` ("device soft0") is for messages; at most `capacity` callers wait.
  TurnQueue(std::string name, size_t capacity)
      : name_(std::move(name)), capacity_(capacity) {}

  // The right to go on; passed to the next caller when destroyed.
  class Turn {
   public:
    explicit Turn(TurnQueue& queue) : queue_(&queue) {}
    Turn(Turn&& other) noexcept
        : queue_(std::exchange(other.queue_, nullptr)) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (queue_ != nullptr) queue_->Leave();
    }

   private:
    TurnQueue* queue_;
  };

  // Waits for the caller's turn.
  // Errors: RESOURCE_EXHAUSTED (the queue is full), DEADLINE_EXCEEDED,
  // CANCELLED (`cancelled`, asked now and then, said so).
  absl::StatusOr<Turn> Enter(absl::Time deadline,
                             const std::function<bool()>& cancelled);

  // Callers that wait or work.
  size_t length() const;

 private:
  struct Waiter {
    std::condition_variable called;
    bool has_turn = false;
  };
  void Leave();

  const std::string name_;
  const size_t capacity_;
  mutable std::mutex mutex_;
  bool busy_ = false;
  std::list<Waiter*> waiting_;
};

}  // namespace graphd

#endif  // GRAPHD_SERVER_RUNS_TURN_QUEUE_H_
