#include "core/plan/plan.h"

#include <gtest/gtest.h>

#include "tests/unit/plan/small_plan.h"

namespace graphd {
namespace {

TEST(PlanTest, EachStepFollowsThePreviousOneOfItsStream) {
  EXPECT_EQ(PreviousOnStream(SmallPlan()),
            (std::vector<int64_t>{-1, 0, -1, 1, 3}));
}

}  // namespace
}  // namespace graphd
