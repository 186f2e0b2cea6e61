#include "core/plan/plan_digest.h"

#include <gtest/gtest.h>

#include "tests/unit/plan/small_plan.h"

namespace graphd {
namespace {

TEST(PlanDigestTest, EqualPlansHaveEqualDigestsAndOthersDoNot) {
  const Digest digest = PlanDigest(SmallPlan());
  EXPECT_EQ(digest, PlanDigest(SmallPlan()));
  Plan other = SmallPlan();
  other.buffers[2].offset_bytes += 256;
  EXPECT_NE(digest, PlanDigest(other));
  other = SmallPlan();
  other.steps[2].waits.clear();
  EXPECT_NE(digest, PlanDigest(other));
  other = SmallPlan();
  other.steps[0].phase = RunPhase::kEvery;
  EXPECT_NE(digest, PlanDigest(other));
}

TEST(PlanDigestTest, TheDevicesNameDoesNotMatter) {
  Plan other = SmallPlan();
  other.device.name = "another";
  other.device.uuid = "1234";
  EXPECT_EQ(PlanDigest(SmallPlan()), PlanDigest(other));
}

}  // namespace
}  // namespace graphd
