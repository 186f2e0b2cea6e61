#include "core/plan/plan_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "absl/strings/str_split.h"
#include "tests/unit/plan/small_plan.h"

namespace graphd {
namespace {

using testing::HasSubstr;

TEST(PlanTextTest, TheTreeShowsStreamsWaitsAndMemory) {
  Explanation explanation;
  explanation.device_unshared_bytes = 1024;
  explanation.device_arena_bound_bytes = 768;
  explanation.warnings = {"buffer \"t\" starts filled with zeros"};
  EXPECT_EQ(
      PlanTree(SmallPlan(), explanation),
      "plan of 5 steps on 2 streams for a device\n"
      "├─ stream 0\n"
      "│  ├─ upload x: 256 bytes x (host) → x, first execution only\n"
      "│  ├─ left: left <<<1, 1>>>\n"
      "│  ├─ join: join <<<1, 1>>>\n"
      "│  │  └─ waits for right\n"
      "│  └─ download y: 256 bytes y → y (host), last execution only\n"
      "├─ stream 1\n"
      "│  └─ right: right <<<1, 1>>>\n"
      "│     └─ waits for upload x\n"
      "├─ device memory: 1024 bytes (1024 unshared, bound 768); host: 512\n"
      "│  ├─ x: 256 bytes at 0\n"
      "│  ├─ left: 256 bytes at 256\n"
      "│  ├─ right: 256 bytes at 512\n"
      "│  └─ y: 256 bytes at 768\n"
      "└─ warnings\n"
      "   └─ buffer \"t\" starts filled with zeros\n");
}

TEST(PlanTextTest, NoLineIsWiderThanEightyColumns) {
  Plan plan = SmallPlan();
  plan.steps[1].name = std::string(300, 'n') + "…";
  plan.buffers[2].name = std::string(200, 'b');
  const std::string tree = PlanTree(plan, Explanation());
  EXPECT_THAT(tree, HasSubstr("…"));
  for (const absl::string_view line : absl::StrSplit(tree, '\n')) {
    const auto columns = std::count_if(
        line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; });
    EXPECT_LE(columns, 80) << line;
  }
}

TEST(PlanTextTest, FusionsComeWithTheirReasons) {
  Explanation explanation;
  explanation.fusions = {
      {{"relu", "scale"}, true, "element-wise on both sides"},
      {{"scale", "sum"}, false, "it has a barrier"}};
  const std::string tree = PlanTree(SmallPlan(), explanation);
  EXPECT_THAT(tree, HasSubstr("fused relu, scale\n"));
  EXPECT_THAT(tree, HasSubstr("kept apart scale, sum\n"));
  EXPECT_THAT(tree, HasSubstr("it has a barrier"));
}

TEST(PlanTextTest, DotHasAClusterForEachStreamAndDashesForWaits) {
  Plan plan = SmallPlan();
  plan.steps[1].name = "a \"quoted\" name";
  const std::string dot = PlanDot(plan);
  EXPECT_THAT(dot, HasSubstr("subgraph cluster_1"));
  EXPECT_THAT(dot, HasSubstr("s2 -> s3 [style=dashed];"));
  EXPECT_THAT(dot, HasSubstr("s0 -> s1;"));
  EXPECT_THAT(dot, HasSubstr("a \\\"quoted\\\" name"));
}

}  // namespace
}  // namespace graphd
