// Random graphs: optimised against unoptimised, in every way of equality.h.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "core/exec/device.h"
#include "core/graph/validate.h"
#include "tests/support/drivers.h"
#include "tests/support/equality.h"
#include "tests/support/random_graph.h"

namespace graphd {
namespace {

using Way = std::tuple<size_t, GraphOrder>;  // index of the driver, order

class RandomEqualityTest : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    auto device =
        Device::Open(TestDrivers()[std::get<size_t>(GetParam())].table, 0);
    ASSERT_TRUE(device.ok()) << device.status();
    device_ = *std::move(device);
  }

  void Check(RandomGraphOptions options, int scrambles) {
    options.order = std::get<GraphOrder>(GetParam());
    const Graph graph = RandomGraph(options);
    ASSERT_TRUE(Validate(graph).empty())
        << Validate(graph).ToStatus("random graph");
    const std::vector<ModuleImage> images = {
        ModuleImage{ImageKind::kPtx, graph.modules[0].code}};
    const absl::Status status =
        CheckAllWays(*device_, graph, images, options.seed, scrambles);
    EXPECT_TRUE(status.ok()) << "seed " << options.seed << ": " << status;
  }

  std::unique_ptr<Device> device_;
};

INSTANTIATE_TEST_SUITE_P(
    Providers, RandomEqualityTest,
    testing::Combine(testing::Range(size_t{0}, TestDrivers().size()),
                     testing::Values(GraphOrder::kFromAccesses,
                                     GraphOrder::kExplicit)),
    [](const testing::TestParamInfo<Way>& info) {
      return TestDrivers()[std::get<size_t>(info.param)].name +
             (std::get<GraphOrder>(info.param) == GraphOrder::kExplicit
                  ? "Explicit"
                  : "FromAccesses");
    });

TEST_P(RandomEqualityTest, SmallGraphsGiveEqualBytesEveryWay) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Check({.seed = seed, .nodes = 8, .buffers = 3, .elements = 70}, 2);
  }
}

TEST_P(RandomEqualityTest, WideGraphsGiveEqualBytesEveryWay) {
  for (uint64_t seed = 1; seed <= 15; ++seed) {
    Check({.seed = seed, .nodes = 40, .buffers = 24, .elements = 200}, 4);
  }
}

TEST_P(RandomEqualityTest, LongGraphsOverFewBuffersGiveEqualBytesEveryWay) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    Check({.seed = seed, .nodes = 150, .buffers = 6, .elements = 130}, 3);
  }
}

}  // namespace
}  // namespace graphd
