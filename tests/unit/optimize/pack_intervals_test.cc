#include "core/optimize/pack_intervals.h"

#include <gtest/gtest.h>

#include <random>

namespace graphd {
namespace {

bool Alive(const PackItem& a, const PackItem& b) {
  return a.first <= b.last && b.first <= a.last;
}

void ExpectSound(const std::vector<PackItem>& items, const Packing& packing) {
  for (size_t i = 0; i < items.size(); ++i) {
    EXPECT_EQ(packing.offsets[i] % 256, 0u);
    EXPECT_LE(packing.offsets[i] + items[i].size_bytes, packing.height_bytes);
    for (size_t j = 0; j < i; ++j) {
      if (!Alive(items[i], items[j])) continue;
      EXPECT_FALSE(
          packing.offsets[i] < packing.offsets[j] + items[j].size_bytes &&
          packing.offsets[j] < packing.offsets[i] + items[i].size_bytes)
          << i << " and " << j;
    }
  }
}

TEST(PackIntervalsTest, NothingThatIsAliveTogetherOverlaps) {
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    std::vector<PackItem> items;
    for (int i = 0; i < 80; ++i) {
      const uint32_t first = random() % 100;
      items.push_back(
          {first, first + uint32_t(random() % 20), 1 + random() % 5000});
    }
    const Packing sweep = PackIntervals(items, 256);
    ExpectSound(items, sweep);
    const Packing exact = PackByConflict(items, 256, [&](size_t a, size_t b) {
      return Alive(items[a], items[b]);
    });
    ExpectSound(items, exact);
    EXPECT_GE(sweep.height_bytes, MaximumLoad(items, 256));
    EXPECT_GE(exact.height_bytes, MaximumLoad(items, 256));
  }
}

TEST(PackIntervalsTest, BytesComeBackWhenTheirBufferEnds) {
  std::vector<PackItem> items;
  for (uint32_t i = 0; i < 100; ++i) items.push_back({i, i, 4096});
  EXPECT_EQ(PackIntervals(items, 256).height_bytes, 4096u);
  EXPECT_EQ(MaximumLoad(items, 256), 4096u);
}

TEST(PackIntervalsTest, NoItemsTakeNoBytes) {
  EXPECT_EQ(PackIntervals({}, 256).height_bytes, 0u);
  EXPECT_EQ(MaximumLoad({}, 256), 0u);
}

}  // namespace
}  // namespace graphd
