// No code looks at a name: the examples under other kernel, register and label
// names make the same plan and give the same bytes.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "core/exec/device.h"
#include "core/ptx/parser.h"
#include "core/ptx/printer.h"
#include "core/softgpu/software_provider.h"
#include "tests/support/equality.h"
#include "tests/support/example_graph.h"
#include "tests/support/shuffle_names.h"

namespace graphd {
namespace {

// The example with each module's names shuffled, and its kernel nodes
// following.
ExampleGraph Shuffled(const ExampleGraph& example, uint64_t seed) {
  ExampleGraph shuffled = example;
  for (size_t i = 0; i < example.images.size(); ++i) {
    const auto module = ptx::Parse(example.images[i].code);
    EXPECT_TRUE(module.ok()) << module.status();
    if (!module.ok()) continue;
    ShuffledModule renamed = ShuffleNames(*module, seed + i);
    shuffled.images[i].code = ptx::Print(renamed.module);
    for (auto& [expression, entry] : shuffled.images[i].lowered_names) {
      entry = renamed.entries.at(entry);
    }
    for (Node& node : shuffled.graph.nodes) {
      auto* kernel = std::get_if<KernelNode>(&node.body);
      if (kernel == nullptr || kernel->module != ModuleId(i)) continue;
      for (const auto& [entry, name] : renamed.entries) {
        // Examples name their kernels as in the PTX, or by the C++ name inside
        // a mangled one.
        if (entry == kernel->function ||
            entry.find(kernel->function + "P") != std::string::npos) {
          kernel->function = name;
          break;
        }
      }
    }
  }
  return shuffled;
}

class RenamingTest : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Examples, RenamingTest,
                         testing::ValuesIn(ExampleNames()),
                         [](const auto& info) { return info.param; });

TEST_P(RenamingTest, OtherNamesMakeTheSamePlanAndTheSameBytes) {
  const auto example = LoadExample(GetParam());
  ASSERT_TRUE(example.ok()) << example.status();
  const DriverTable driver = softgpu::SoftwareDriver();
  const auto device = Device::Open(driver, 0);
  ASSERT_TRUE(device.ok()) << device.status();
  const auto inputs = RandomInputs(example->graph, 3);
  const auto plan = CompileWithout(example->graph, example->images,
                                   (*device)->description(), {});
  ASSERT_TRUE(plan.ok()) << plan.status();
  const auto expected =
      RunPlan(**device, *plan, ExecutorKind::kCudaGraph, inputs, 0x5a);
  ASSERT_TRUE(expected.ok()) << expected.status();

  const ExampleGraph shuffled = Shuffled(*example, 77);
  const auto other = CompileWithout(shuffled.graph, shuffled.images,
                                    (*device)->description(), {});
  ASSERT_TRUE(other.ok()) << other.status();
  ASSERT_EQ((*other)->steps.size(), (*plan)->steps.size());
  EXPECT_EQ((*other)->stream_count, (*plan)->stream_count);
  EXPECT_EQ((*other)->device_arena_bytes, (*plan)->device_arena_bytes);
  for (size_t i = 0; i < (*plan)->steps.size(); ++i) {
    EXPECT_EQ((*other)->steps[i].nodes, (*plan)->steps[i].nodes);
    EXPECT_EQ((*other)->steps[i].stream, (*plan)->steps[i].stream);
    EXPECT_EQ((*other)->steps[i].waits, (*plan)->steps[i].waits);
  }
  const auto found =
      RunPlan(**device, *other, ExecutorKind::kCudaGraph, inputs, 0xa5);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(*found, *expected);
}

}  // namespace
}  // namespace graphd
