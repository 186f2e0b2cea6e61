#include "core/graph/violation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphd {
namespace {

TEST(ViolationsTest, NoneIsOk) { EXPECT_TRUE(Violations().ToStatus("x").ok()); }

TEST(ViolationsTest, AllAreInOneMessage) {
  Violations violations;
  violations.Add("nodes[0]", "is odd");
  violations.Add("buffers[1].name", "is empty");
  const absl::Status status = violations.ToStatus("the graph");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "the graph has 2 findings\nnodes[0]: is odd\n"
            "buffers[1].name: is empty");
  EXPECT_TRUE(violations.Has("nodes[0]"));
  EXPECT_FALSE(violations.Has("nodes[00]"));
}

TEST(ViolationsTest, BeyondTheLimitOnlyTheCountGrows) {
  Violations violations;
  for (size_t i = 0; i < Violations::kLimit + 5; ++i) violations.Add("p", "m");
  EXPECT_EQ(violations.found().size(), Violations::kLimit);
  EXPECT_EQ(violations.dropped(), 5u);
  Violations more;
  more.Add("q", "n");
  more.Append(violations);
  EXPECT_EQ(more.found().size(), Violations::kLimit);
  EXPECT_EQ(more.dropped(), 6u);
  EXPECT_THAT(std::string(more.ToStatus("x").message()),
              testing::EndsWith("and 6 more"));
}

}  // namespace
}  // namespace graphd
