#include "core/graph/name_table.h"

#include <gtest/gtest.h>

namespace graphd {
namespace {

TEST(NameTableTest, TheFirstOfTwoEqualNamesKeepsIt) {
  NameTable table("buffer");
  table.Declare("x", 0);
  table.Declare("x", 1);
  Violations violations;
  EXPECT_EQ(table.Find<BufferId>("x", "p", violations), BufferId(0));
  EXPECT_TRUE(violations.empty());
}

TEST(NameTableTest, AnUnknownNameIsAFindingThatListsTheOthers) {
  NameTable table("buffer");
  table.Declare("x", 0);
  table.Declare("", 1);
  Violations violations;
  EXPECT_FALSE(table.Find<BufferId>("y\n", "p", violations).valid());
  ASSERT_EQ(violations.found().size(), 1u);
  EXPECT_EQ(violations.found()[0],
            (Violation{"p", "unknown buffer \"y\\n\"; the graph has \"x\""}));
}

}  // namespace
}  // namespace graphd
