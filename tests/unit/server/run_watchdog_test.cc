#include "server/workers/run_watchdog.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

namespace graphd {
namespace {

TEST(RunWatchdogTest, ARunWithinItsLimitIsLeftAlone) {
  std::atomic<int> stops{0};
  RunWatchdog watchdog([&] { ++stops; }, [] { FAIL(); }, absl::Seconds(60));
  for (int i = 0; i < 1000; ++i) {
    watchdog.Arm(absl::Seconds(60));
    EXPECT_FALSE(watchdog.Disarm());
  }
  EXPECT_EQ(stops, 0);
}

TEST(RunWatchdogTest, ARunPastItsLimitIsStopped) {
  std::promise<void> stopped;
  std::atomic<bool> first{true};
  RunWatchdog watchdog(
      [&] {
        if (first.exchange(false)) stopped.set_value();
      },
      [] { FAIL(); }, absl::Seconds(60));
  watchdog.Arm(absl::Milliseconds(1));
  stopped.get_future().wait();
  EXPECT_TRUE(watchdog.Disarm());
  watchdog.Arm(absl::Seconds(60));
  EXPECT_FALSE(watchdog.Disarm());
}

TEST(RunWatchdogTest, ARunThatDoesNotStopIsGivenUp) {
  std::promise<void> given_up;
  RunWatchdog watchdog([] {}, [&] { given_up.set_value(); },
                       absl::Milliseconds(1));
  watchdog.Arm(absl::Milliseconds(1));
  given_up.get_future().wait();
}

TEST(RunWatchdogTest, ZeroMeansNoLimit) {
  RunWatchdog watchdog([] { FAIL(); }, [] { FAIL(); }, absl::ZeroDuration());
  watchdog.Arm(absl::ZeroDuration());
  EXPECT_FALSE(watchdog.Disarm());
}

}  // namespace
}  // namespace graphd
