// Every example: unoptimised and sequential, optimised, each pass off in turn,
// other orders: equal bytes.
#include "tests/support/equality.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>

#include "core/exec/device.h"
#include "tests/support/drivers.h"
#include "tests/support/example_graph.h"

namespace graphd {
namespace {

using Way = std::tuple<size_t, std::string>;  // index of the driver, example

class EqualityTest : public testing::TestWithParam<Way> {};

INSTANTIATE_TEST_SUITE_P(
    Providers, EqualityTest,
    testing::Combine(testing::Range(size_t{0}, TestDrivers().size()),
                     testing::ValuesIn(ExampleNames())),
    [](const testing::TestParamInfo<Way>& info) {
      return TestDrivers()[std::get<size_t>(info.param)].name + "_" +
             std::get<std::string>(info.param);
    });

TEST_P(EqualityTest, EveryWayGivesTheSameBytes) {
  const auto example = LoadExample(std::get<std::string>(GetParam()));
  ASSERT_TRUE(example.ok()) << example.status();
  const auto device =
      Device::Open(TestDrivers()[std::get<size_t>(GetParam())].table, 0);
  ASSERT_TRUE(device.ok()) << device.status();
  const absl::Status status =
      CheckAllWays(**device, example->graph, example->images, 1, 3);
  EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace graphd
