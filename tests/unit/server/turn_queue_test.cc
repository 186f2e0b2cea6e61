#include "server/runs/turn_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace graphd {
namespace {

const auto kNever = [] { return false; };

absl::Time Soon() { return absl::Now() + absl::Seconds(30); }

void WaitForLength(const TurnQueue& queue, size_t length) {
  while (queue.length() != length) std::this_thread::yield();
}

TEST(TurnQueueTest, CallersGoOneAtATimeInTheirOrder) {
  TurnQueue queue("q", 10);
  auto turn = std::make_optional(queue.Enter(Soon(), kNever));
  ASSERT_TRUE(turn->ok());
  std::vector<int> order;
  std::vector<std::thread> threads;
  for (int i = 0; i < 5; ++i) {
    threads.emplace_back([&queue, &order, i] {
      const auto mine = queue.Enter(Soon(), kNever);
      EXPECT_TRUE(mine.ok());
      order.push_back(i);  // safe: one at a time
    });
    WaitForLength(queue, static_cast<size_t>(i) + 2);
  }
  turn.reset();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(queue.length(), 0u);
}

TEST(TurnQueueTest, AFullQueueRefuses) {
  TurnQueue queue("device soft0", 1);
  auto turn = std::make_optional(queue.Enter(Soon(), kNever));
  std::thread waiter([&] { EXPECT_TRUE(queue.Enter(Soon(), kNever).ok()); });
  WaitForLength(queue, 2);
  const auto refused = queue.Enter(Soon(), kNever);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(refused.status().message().find("device soft0"),
            absl::string_view::npos);
  turn.reset();
  waiter.join();
}

TEST(TurnQueueTest, AWaiterWhoseDeadlinePassesLeavesTheQueue) {
  TurnQueue queue("q", 10);
  const auto turn = queue.Enter(Soon(), kNever);
  EXPECT_EQ(
      queue.Enter(absl::Now() + absl::Milliseconds(1), kNever).status().code(),
      absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(queue.length(), 1u);
}

TEST(TurnQueueTest, AWaiterWhoseClientWentLeavesTheQueue) {
  TurnQueue queue("q", 10);
  const auto turn = queue.Enter(Soon(), kNever);
  EXPECT_EQ(queue.Enter(Soon(), [] { return true; }).status().code(),
            absl::StatusCode::kCancelled);
  EXPECT_EQ(queue.length(), 1u);
}

}  // namespace
}  // namespace graphd
