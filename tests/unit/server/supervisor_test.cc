#include "server/workers/supervisor.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace graphd {
namespace {

using ::testing::HasSubstr;

absl::Time Soon() { return absl::Now() + absl::Seconds(30); }

WorkerCommand Scripted(const std::string& way) {
  return {GRAPHD_BINARY_DIR "/tests/scripted_worker", {way}};
}

internal::v1::ChannelRequest Question() {
  internal::v1::ChannelRequest request;
  request.mutable_describe();
  return request;
}

absl::StatusOr<internal::v1::ChannelReply> Ask(WorkerHandle& handle,
                                               absl::Time deadline = Soon()) {
  auto request = Question();
  return handle.Call(request, -1, deadline);
}

TEST(WorkerHandleTest, AProcessAnswersUntilItsHandleGoes) {
  auto handle = WorkerHandle::Start(Scripted("answer"), Soon());
  ASSERT_TRUE(handle.ok()) << handle.status();
  const pid_t pid = (*handle)->pid();
  for (int i = 0; i < 3; ++i) {
    const auto reply = Ask(**handle);
    ASSERT_TRUE(reply.ok()) << reply.status();
    EXPECT_THAT(reply->message(), HasSubstr(absl::StrCat(pid)));
  }
  EXPECT_EQ(kill(pid, 0), 0);
  handle->reset();
  EXPECT_NE(kill(pid, 0), 0);
}

TEST(WorkerHandleTest, AProcessHasNoDescriptorButItsChannelAndStandardOnes) {
  const int extra = open("/dev/null", O_RDONLY);  // not closed on exec
  auto handle = WorkerHandle::Start(Scripted("answer"), Soon());
  ASSERT_TRUE(handle.ok());
  const auto reply = Ask(**handle);
  ASSERT_TRUE(reply.ok());
  const std::vector<std::string> words = absl::StrSplit(reply->message(), ' ');
  EXPECT_EQ(words[1], "4");  // 0, 1, 2 and the channel
  close(extra);
}

TEST(WorkerHandleTest, AProgramThatIsNotThereIsNotFound) {
  EXPECT_EQ(WorkerHandle::Start({"/nowhere/graphd-worker", {}}, Soon())
                .status()
                .code(),
            absl::StatusCode::kNotFound);
}

TEST(WorkerHandleTest, AProcessThatEndsBeforeItsHelloTellsWhy) {
  const auto handle = WorkerHandle::Start(Scripted("die-at-once"), Soon());
  EXPECT_EQ(handle.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(handle.status().message()), HasSubstr("exit code 7"));
}

TEST(WorkerHandleTest, AHelloMayRefuse) {
  const auto handle = WorkerHandle::Start(Scripted("refuse"), Soon());
  EXPECT_EQ(handle.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(handle.status().message(), "there is no such device");
}

TEST(WorkerHandleTest, AHelloThatIsNoneIsAnError) {
  EXPECT_FALSE(WorkerHandle::Start(Scripted("babble"), Soon()).ok());
}

TEST(WorkerHandleTest, AProcessWithoutAHelloMeetsTheDeadline) {
  EXPECT_EQ(WorkerHandle::Start(Scripted("silent"),
                                absl::Now() + absl::Milliseconds(50))
                .status()
                .code(),
            absl::StatusCode::kDeadlineExceeded);
}

TEST(WorkerHandleTest, AProcessThatDiesDuringACallIsAborted) {
  auto handle = WorkerHandle::Start(Scripted("die-on-request"), Soon());
  ASSERT_TRUE(handle.ok());
  const auto reply = Ask(**handle);
  EXPECT_EQ(reply.status().code(), absl::StatusCode::kAborted);
  EXPECT_THAT(std::string(reply.status().message()), HasSubstr("signal 9"));
  EXPECT_EQ((*handle)->exit_signal(), SIGKILL);
  EXPECT_FALSE((*handle)->usable());
  EXPECT_EQ(Ask(**handle).status().code(), absl::StatusCode::kUnavailable);
}

TEST(WorkerHandleTest, AProcessThatDiedBeforeACallIsUnavailable) {
  auto handle = WorkerHandle::Start(Scripted("answer"), Soon());
  ASSERT_TRUE(handle.ok());
  // Not through the handle: it must notice by itself.
  kill((*handle)->pid(), SIGSTOP);
  auto request = Question();
  kill((*handle)->pid(), SIGKILL);
  EXPECT_EQ((*handle)->Call(request, -1, Soon()).status().code(),
            absl::StatusCode::kUnavailable);
}

TEST(WorkerHandleTest, AProcessThatDoesNotAnswerIsEnded) {
  auto handle = WorkerHandle::Start(Scripted("ignore-requests"), Soon());
  ASSERT_TRUE(handle.ok());
  EXPECT_EQ(Ask(**handle, absl::Now() + absl::Milliseconds(20)).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_TRUE((*handle)->WaitExit(Soon()));
  EXPECT_EQ((*handle)->exit_signal(), SIGKILL);
}

// Collects the states that a supervisor goes through.
class Witness {
 public:
  Supervisor::Observer observer() {
    return [this](const Supervisor::Change& change) {
      std::lock_guard lock(mutex_);
      seen_.push_back(change);
      changed_.notify_all();
    };
  }
  bool WaitFor(WorkerState state, size_t times) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30), [&] {
      size_t count = 0;
      for (const auto& change : seen_) count += change.state == state;
      return count >= times;
    });
  }
  std::vector<Supervisor::Change> seen() {
    std::lock_guard lock(mutex_);
    return seen_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Supervisor::Change> seen_;
};

Supervisor::Options Quick(const std::string& way) {
  Supervisor::Options options;
  options.name = "worker under test";
  options.command = Scripted(way);
  options.first_pause = absl::Milliseconds(1);
  options.longest_pause = absl::Milliseconds(4);
  return options;
}

TEST(SupervisorTest, AKilledProcessIsReplaced) {
  Witness witness;
  Supervisor supervisor(Quick("answer"), witness.observer());
  auto first = supervisor.Ready(Soon());
  ASSERT_TRUE(first.ok()) << first.status();
  const pid_t old = (*first)->pid();
  EXPECT_EQ(supervisor.pid(), old);
  kill(old, SIGKILL);
  ASSERT_TRUE(witness.WaitFor(WorkerState::kServing, 2));
  auto second = supervisor.Ready(Soon());
  ASSERT_TRUE(second.ok());
  EXPECT_NE((*second)->pid(), old);
  EXPECT_TRUE(Ask(**second).ok());
  EXPECT_EQ(supervisor.restarts(), 1u);
  const auto seen = witness.seen();
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[1].state, WorkerState::kNotServing);
  EXPECT_THAT(seen[1].cause, HasSubstr("signal 9"));
}

TEST(SupervisorTest, ARetiredProcessIsNotHandedOutAgain) {
  Witness witness;
  Supervisor supervisor(Quick("answer"), witness.observer());
  auto first = supervisor.Ready(Soon());
  ASSERT_TRUE(first.ok());
  supervisor.Retire(*first);
  EXPECT_NE(supervisor.pid(), (*first)->pid());
  // It does not end by itself: the supervisor ends it.
  ASSERT_TRUE((*first)->WaitExit(Soon()));
  auto second = supervisor.Ready(Soon());
  ASSERT_TRUE(second.ok());
  EXPECT_NE(*second, *first);
}

TEST(SupervisorTest, AProcessThatNeverStartsIsTriedAgainAndTold) {
  Witness witness;
  Supervisor supervisor(Quick("die-at-once"), witness.observer());
  ASSERT_TRUE(witness.WaitFor(WorkerState::kNotServing, 1));
  const auto ready = supervisor.Ready(absl::Now() + absl::Milliseconds(50));
  EXPECT_EQ(ready.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(ready.status().message()),
              HasSubstr("worker under test is not ready"));
  EXPECT_THAT(std::string(ready.status().message()), HasSubstr("exit code 7"));
  EXPECT_GE(supervisor.restarts(), 1u);
}

TEST(SupervisorTest, StoppingEndsTheProcess) {
  auto supervisor = std::make_unique<Supervisor>(Quick("answer"));
  auto handle = supervisor->Ready(Soon());
  ASSERT_TRUE(handle.ok());
  supervisor->Stop();
  EXPECT_TRUE((*handle)->WaitExit(absl::Now() + absl::Seconds(5)));
  EXPECT_EQ(supervisor->state(), WorkerState::kStopped);
  EXPECT_EQ(supervisor->Ready(Soon()).status().code(),
            absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace graphd
