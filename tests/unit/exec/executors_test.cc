// Both executors on the software GPU; the names say what each promises.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/exec/device.h"
#include "core/softgpu/software_provider.h"
#include "tests/support/sample_plans.h"
#include "tests/support/scramble.h"

namespace graphd {
namespace {

using ::testing::HasSubstr;

std::string KindName(const testing::TestParamInfo<ExecutorKind>& info) {
  return info.param == ExecutorKind::kSequential ? "Sequential" : "CudaGraph";
}

class ExecutorsTest : public testing::TestWithParam<ExecutorKind> {
 protected:
  void SetUp() override {
    auto device = Device::Open(driver_, 0);
    ASSERT_TRUE(device.ok()) << device.status();
    device_ = *std::move(device);
  }

  std::unique_ptr<Instance> Make(Plan plan) {
    auto instance = device_->Instantiate(
        std::make_shared<const Plan>(std::move(plan)), GetParam());
    EXPECT_TRUE(instance.ok()) << instance.status();
    return instance.ok() ? *std::move(instance) : nullptr;
  }

  template <typename T>
  static std::vector<T> Run(Instance& instance, const std::vector<T>& x,
                            RunArguments arguments = {}) {
    std::vector<T> y(x.size());
    arguments.inputs = {
        {"x", absl::MakeConstSpan(reinterpret_cast<const char*>(x.data()),
                                  x.size() * sizeof(T))}};
    arguments.outputs = {{"y", absl::MakeSpan(reinterpret_cast<char*>(y.data()),
                                              y.size() * sizeof(T))}};
    RunReport report;
    const absl::Status status = instance.Run(arguments, report);
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(report.executor, GetParam());
    return y;
  }

  DriverTable driver_ = softgpu::SoftwareDriver();
  std::unique_ptr<Device> device_;
};

INSTANTIATE_TEST_SUITE_P(Both, ExecutorsTest,
                         testing::Values(ExecutorKind::kSequential,
                                         ExecutorKind::kCudaGraph),
                         KindName);

TEST_P(ExecutorsTest, AKernelRunsOnTheClientsBytes) {
  const auto instance = Make(ScalePlan(device_->description(), 1000));
  ASSERT_NE(instance, nullptr);
  std::vector<float> x(1000);
  std::iota(x.begin(), x.end(), -500.0f);
  const std::vector<float> y = Run(*instance, x);
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], 2 * x[i]) << i;
}

TEST_P(ExecutorsTest, AParameterChangesFromRunToRunAndGoesBackToItsDefault) {
  const auto instance = Make(ScalePlan(device_->description(), 64));
  ASSERT_NE(instance, nullptr);
  const std::vector<float> x(64, 3.0f);
  RunArguments seven;
  seven.parameters = {{"a", Scalar::F32(7)}};
  EXPECT_EQ(Run(*instance, x, seven)[63], 21.0f);
  EXPECT_EQ(Run(*instance, x)[63], 6.0f);
}

TEST_P(ExecutorsTest, ALaunchDimensionThatIsAParameterChangesTheLaunch) {
  const auto instance = Make(ScalePlan(device_->description(), 128));
  ASSERT_NE(instance, nullptr);
  ASSERT_TRUE(instance->Poison(0).ok());
  RunArguments one_block;
  one_block.parameters = {{"blocks", Scalar::U32(1)}};
  const std::vector<float> y =
      Run(*instance, std::vector<float>(128, 1.0f), one_block);
  EXPECT_EQ(y[63], 2.0f);
  EXPECT_EQ(y[64], 0.0f);
}

TEST_P(ExecutorsTest, BranchesOnTwoStreamsJoin) {
  const auto instance = Make(ForkJoinPlan(device_->description(), 1 << 16));
  ASSERT_NE(instance, nullptr);
  std::vector<uint32_t> x(1 << 16);
  std::iota(x.begin(), x.end(), 0);
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(instance->Poison(0xAB).ok());
    const std::vector<uint32_t> y = Run(*instance, x);
    for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], 2 * x[i] + 3) << i;
  }
}

TEST_P(ExecutorsTest, EveryOrderThatThePlanAllowsGivesTheSameBytes) {
  const Plan plan = ForkJoinPlan(device_->description(), 256);
  std::vector<uint32_t> x(256);
  std::iota(x.begin(), x.end(), 0);
  std::set<std::string> orders;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Plan scrambled = Scramble(plan, seed);
    std::string order;
    for (const PlanStep& step : scrambled.steps) order += step.name + " ";
    orders.insert(order);
    const auto instance = Make(scrambled);
    ASSERT_NE(instance, nullptr);
    const std::vector<uint32_t> y = Run(*instance, x);
    for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], 2 * x[i] + 3) << i;
  }
  EXPECT_EQ(orders.size(), 2u);  // left before right, right before left
}

TEST_P(ExecutorsTest, CountRunsThePlanThatManyTimesAndResetsVariablesEachTime) {
  const auto instance = Make(CounterPlan(device_->description()));
  ASSERT_NE(instance, nullptr);
  for (uint64_t count : {1, 2, 200}) {
    uint32_t out = 0;
    RunArguments arguments;
    arguments.count = count;
    arguments.outputs = {
        {"out", absl::MakeSpan(reinterpret_cast<char*>(&out), 4)}};
    RunReport report;
    ASSERT_TRUE(instance->Run(arguments, report).ok());
    EXPECT_EQ(out, 42u) << count;
  }
}

TEST_P(ExecutorsTest,
       StepsOfTheFirstAndLastExecutionAreSkippedInBetweenAndBackAfterwards) {
  const auto instance = Make(ScalePlan(device_->description(), 64));
  ASSERT_NE(instance, nullptr);
  RunArguments five;
  five.count = 5;
  EXPECT_EQ(Run(*instance, std::vector<float>(64, 1.0f), five)[0], 2.0f);
  EXPECT_EQ(Run(*instance, std::vector<float>(64, 4.0f))[0], 8.0f);
}

TEST_P(ExecutorsTest, TwoInstancesOfAPlanDoNotShareMemory) {
  const Plan plan = ScalePlan(device_->description(), 64);
  const auto a = Make(plan);
  const auto b = Make(plan);
  ASSERT_NE(a, nullptr);
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(Run(*a, std::vector<float>(64, 1.0f))[9], 2.0f);
  EXPECT_EQ(Run(*b, std::vector<float>(64, 5.0f))[9], 10.0f);
  EXPECT_EQ(Run(*a, std::vector<float>(64, 1.0f))[9], 2.0f);
}

TEST_P(ExecutorsTest, AnUnknownFunctionIsNamedWithItsStep) {
  Plan plan = ScalePlan(device_->description(), 64);
  std::get<KernelStep>(plan.steps[1].body).function = "scal";
  const auto instance =
      device_->Instantiate(std::make_shared<const Plan>(plan), GetParam());
  EXPECT_EQ(instance.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(instance.status().message()),
              HasSubstr("step \"scale\": kernel \"scal\" of image 0"));
}

TEST_P(ExecutorsTest, APlanForAnotherCapabilityIsRefused) {
  Plan plan = ScalePlan(device_->description(), 64);
  plan.device.capability_major = 9;
  plan.device.capability_minor = 0;
  const auto instance =
      device_->Instantiate(std::make_shared<const Plan>(plan), GetParam());
  EXPECT_EQ(instance.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(instance.status().message()),
              HasSubstr("capability 9.0"));
}

TEST_P(ExecutorsTest, AnArenaBeyondTheDevicesMemoryIsRefusedAndNothingIsLost) {
  Plan plan = ScalePlan(device_->description(), 64);
  plan.device_arena_bytes = device_->description().memory_bytes * 2;
  EXPECT_EQ(device_->Instantiate(std::make_shared<const Plan>(plan), GetParam())
                .status()
                .code(),
            absl::StatusCode::kResourceExhausted);
  const auto instance = Make(ScalePlan(device_->description(), 64));
  ASSERT_NE(instance, nullptr);
  EXPECT_EQ(Run(*instance, std::vector<float>(64, 1.0f))[0], 2.0f);
}

using Edges = std::set<std::pair<std::string, std::string>>;

TEST(CudaGraphExecutorTest, TheGraphReadBackHasThePlansNodesAndEdges) {
  const DriverTable driver = softgpu::SoftwareDriver();
  const auto device = Device::Open(driver, 0);
  ASSERT_TRUE(device.ok());
  const Plan plan = ForkJoinPlan((*device)->description(), 256);
  const auto instance = (*device)->Instantiate(
      std::make_shared<const Plan>(plan), ExecutorKind::kCudaGraph);
  ASSERT_TRUE(instance.ok()) << instance.status();

  size_t count = 0;
  ASSERT_EQ(driver.cuGraphGetNodes((*instance)->cuda_graph(), nullptr, &count),
            CUDA_SUCCESS);
  std::vector<CUgraphNode> nodes(count);
  ASSERT_EQ(
      driver.cuGraphGetNodes((*instance)->cuda_graph(), nodes.data(), &count),
      CUDA_SUCCESS);
  ASSERT_EQ(nodes.size(), plan.steps.size());
  std::map<CUgraphNode, std::string> names;
  for (size_t i = 0; i < nodes.size(); ++i)
    names[nodes[i]] = plan.steps[i].name;

  ASSERT_EQ(driver.cuGraphGetEdges((*instance)->cuda_graph(), nullptr, nullptr,
                                   nullptr, &count),
            CUDA_SUCCESS);
  std::vector<CUgraphNode> from(count), to(count);
  ASSERT_EQ(driver.cuGraphGetEdges((*instance)->cuda_graph(), from.data(),
                                   to.data(), nullptr, &count),
            CUDA_SUCCESS);
  Edges edges;
  for (size_t i = 0; i < count; ++i)
    edges.emplace(names[from[i]], names[to[i]]);
  EXPECT_EQ(edges, (Edges{{"upload", "left"},
                          {"upload", "right"},
                          {"left", "join"},
                          {"right", "join"},
                          {"join", "download"}}));
}

}  // namespace
}  // namespace graphd
