#include "server/runs/device_lane.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <memory>
#include <string>

#include "server/runs/dispatcher.h"

namespace graphd {
namespace {

using ::testing::HasSubstr;

DeviceLane::Options Scripted(const std::string& way,
                             const std::string& name = "soft0") {
  DeviceLane::Options options;
  options.name = name;
  options.command = {GRAPHD_BINARY_DIR "/tests/scripted_worker", {way}};
  return options;
}

class DeviceLaneTest : public ::testing::Test {
 protected:
  // Runs a plan that copies `input`, and returns what came out.
  absl::StatusOr<std::string> Run(DeviceLane& lane, absl::string_view plan,
                                  absl::string_view input) {
    RunOrder order;
    order.plan = plan;
    order.plan_digest = Sha256(plan);
    order.inputs = {{"x", input}};
    order.outputs = {{"y", input.size()}};
    order.deadline = absl::Now() + absl::Seconds(30);
    order.cancelled = [] { return false; };
    std::string output;
    outcome_ = RunOutcome();
    const absl::Status status = lane.Run(
        order,
        [&](size_t, absl::string_view bytes) { output = std::string(bytes); },
        outcome_);
    if (!status.ok()) return status;
    return output;
  }

  RunOutcome outcome_;
};

TEST_F(DeviceLaneTest, InputsGoInAndOutputsComeOutWhateverTheirSize) {
  DeviceLane lane(Scripted("copy"), nullptr);
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{5000}, size_t{8} << 20, size_t{7}}) {
    const std::string input(size, static_cast<char>('a' + size % 26));
    const auto output = Run(lane, "plan", input);
    ASSERT_TRUE(output.ok()) << output.status();
    EXPECT_TRUE(*output == input) << size;
  }
}

TEST_F(DeviceLaneTest, APlanIsSentOnceAndAgainWhenTheWorkerDroppedIt) {
  DeviceLane lane(Scripted("copy"), nullptr);
  const auto plans_sent = [&](absl::string_view plan) {
    const auto output = Run(lane, plan, "x");
    EXPECT_TRUE(output.ok()) << output.status();
    return outcome_.reply.execute_ns();
  };
  EXPECT_EQ(plans_sent("one"), 1u);
  EXPECT_EQ(plans_sent("one"), 1u);
  EXPECT_EQ(plans_sent("two"), 2u);  // the worker drops "one"
  EXPECT_EQ(plans_sent("one"), 3u);
}

TEST_F(DeviceLaneTest, ARunThatAnIdleDeadWorkerNeverSawRunsOnItsSuccessor) {
  DeviceLane lane(Scripted("copy"), nullptr);
  ASSERT_TRUE(Run(lane, "plan", "before").ok());
  kill(lane.supervisor().pid(), SIGKILL);
  const auto output = Run(lane, "plan", "after");
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ(*output, "after");
}

TEST_F(DeviceLaneTest, AWorkerThatDiesDuringARunIsAborted) {
  DeviceLane lane(Scripted("die-on-request"), nullptr);
  const auto output = Run(lane, "plan", "x");
  EXPECT_EQ(output.status().code(), absl::StatusCode::kAborted);
  EXPECT_EQ(outcome_.reason, "WORKER_GONE");
  EXPECT_THAT(std::string(output.status().message()), HasSubstr("signal 9"));
}

TEST_F(DeviceLaneTest, AFaultIsAbortedAndTheWorkerIsNotUsedAgain) {
  DeviceLane lane(Scripted("fault"), nullptr);
  ASSERT_TRUE(lane.Describe(absl::Now() + absl::Seconds(30)).ok());
  const pid_t pid = lane.supervisor().pid();
  const auto output = Run(lane, "plan", "x");
  EXPECT_EQ(output.status().code(), absl::StatusCode::kAborted);
  EXPECT_EQ(outcome_.reason, "KERNEL_FAULT");
  EXPECT_EQ(outcome_.reply.fault().kernel(), "relu");
  EXPECT_NE(lane.supervisor().pid(), pid);
}

TEST_F(DeviceLaneTest, ARunWithoutAWorkerIsUnavailable) {
  DeviceLane lane(Scripted("die-at-once"), nullptr);
  RunOrder order;
  order.deadline = absl::Now() + absl::Milliseconds(50);
  order.cancelled = [] { return false; };
  EXPECT_EQ(lane.Run(order, nullptr, outcome_).code(),
            absl::StatusCode::kUnavailable);
}

TEST_F(DeviceLaneTest, TheDispatcherFindsDevicesByNameAndPrefersServingOnes) {
  std::vector<std::unique_ptr<DeviceLane>> lanes;
  lanes.push_back(
      std::make_unique<DeviceLane>(Scripted("die-at-once", "soft0"), nullptr));
  lanes.push_back(
      std::make_unique<DeviceLane>(Scripted("copy", "soft1"), nullptr));
  ASSERT_TRUE(lanes[1]->Describe(absl::Now() + absl::Seconds(30)).ok());
  Dispatcher dispatcher(std::move(lanes));
  EXPECT_EQ((*dispatcher.Choose("soft0"))->name(), "soft0");
  EXPECT_EQ((*dispatcher.Choose(""))->name(), "soft1");
  const auto missing = dispatcher.Choose("gpu7");
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(missing.status().message()),
              HasSubstr("soft0, soft1"));
}

}  // namespace
}  // namespace graphd
