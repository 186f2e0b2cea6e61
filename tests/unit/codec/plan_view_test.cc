#include "core/codec/plan_view.h"

#include <gtest/gtest.h>

#include "tests/unit/codec/sample_plan.h"

namespace graphd {
namespace {

TEST(PlanViewTest, EachStepIsOneLine) {
  const Plan plan = SamplePlan();
  EXPECT_EQ(StepDetail(plan, plan.steps[0]),
            "1024 bytes: x (host) -> t (first execution of a run)");
  EXPECT_EQ(
      StepDetail(plan, plan.steps[1]),
      "relu_scale<<<(blocks, 2, 1), (256, 1, 1), 16>>>(t + 4, -5, blocks, "
      "{16 bytes: t + 512})");
  EXPECT_EQ(StepDetail(plan, plan.steps[2]),
            "2 rows of 4 bytes of 0xab -> t + 4");
  EXPECT_EQ(StepDetail(plan, plan.steps[3]),
            "4 rows of 16 bytes: t + 16 -> y (host) (last execution of a run)");
  EXPECT_EQ(StepDetail(plan, plan.steps[4]), "barrier");
}

TEST(PlanViewTest, PlanAndExplanationAreBothThere) {
  const Plan plan = SamplePlan();
  Explanation explanation;
  explanation.passes = {{.pass = "fuse-kernels",
                         .skipped = false,
                         .seconds = 0.5,
                         .nodes_before = 4,
                         .nodes_after = 3,
                         .draft_text = "text"}};
  explanation.fusions = {{{"relu", "scale"}, true, "element-wise"}};
  explanation.warnings = {"careful"};
  explanation.device_arena_bound_bytes = 11;
  explanation.device_unshared_bytes = 12;
  explanation.edges = 13;
  explanation.waits = 14;
  explanation.makespan_ns = 15;
  explanation.critical_path_ns = 16;
  const v1::Plan view = PlanToPublic(plan, explanation);
  EXPECT_EQ(view.graph_digest(), plan.graph.ToString());
  ASSERT_EQ(view.steps_size(), 5);
  EXPECT_EQ(view.total_steps(), 5u);
  EXPECT_EQ(view.steps(1).kind(), v1::PlanStep::KIND_KERNEL);
  EXPECT_EQ(view.steps(1).nodes_size(), 2);
  EXPECT_EQ(view.steps(3).waits_size(), 2);
  EXPECT_EQ(view.steps(3).stream(), 1u);
  EXPECT_EQ(view.steps(4).index(), 4u);
  EXPECT_EQ(view.streams(), 2u);
  EXPECT_EQ(view.buffers(0).place(), "device");
  EXPECT_EQ(view.buffers(2).place(), "host");
  EXPECT_EQ(view.buffers(3).place(), "module");
  EXPECT_EQ(view.memory().device_arena_bytes(), 4096u);
  EXPECT_EQ(view.memory().device_bound_bytes(), 11u);
  EXPECT_EQ(view.memory().device_unshared_bytes(), 12u);
  EXPECT_TRUE(view.fusions(0).fused());
  EXPECT_EQ(view.fusions(0).reason(), "element-wise");
  EXPECT_EQ(view.passes(0).draft_text(), "text");
  EXPECT_EQ(view.passes(0).nodes_after(), 3u);
  EXPECT_EQ(view.warnings(0), "careful");
  EXPECT_EQ(view.edges(), 13u);
  EXPECT_EQ(view.waits(), 14u);
  EXPECT_EQ(view.makespan_ns(), 15);
  EXPECT_EQ(view.critical_path_ns(), 16);
}

}  // namespace
}  // namespace graphd
