#include "core/optimize/byte_set.h"

#include <gtest/gtest.h>

#include <random>

namespace graphd {
namespace {

TEST(ByteSetTest, AgreesWithASetOfSingleBytes) {
  std::mt19937 random(9);
  for (int round = 0; round < 200; ++round) {
    ByteSet set;
    std::vector<bool> bytes(64, false);
    for (int i = 0; i < 30; ++i) {
      const uint64_t first = random() % 60;
      const uint64_t width = random() % (64 - first);
      const ByteRange range{first, width};
      switch (random() % 3) {
        case 0:
          set.Add(range);
          std::fill_n(bytes.begin() + first, width, true);
          break;
        case 1:
          set.Subtract(range);
          std::fill_n(bytes.begin() + first, width, false);
          break;
        default: {
          bool meets = false;
          for (uint64_t b = first; b < first + width; ++b) {
            meets = meets || bytes[b];
          }
          ASSERT_EQ(meets, set.Meets(range));
        }
      }
    }
  }
}

TEST(ByteSetTest, RowsWithGapsCountGapsWhenAddedAndNothingWhenTakenAway) {
  ByteSet set;
  set.Add({0, 4, 16, 3});
  EXPECT_TRUE(set.Meets({8, 2}));
  set.Subtract({0, 4, 16, 3});
  EXPECT_TRUE(set.Meets({0, 2}));
}

}  // namespace
}  // namespace graphd
