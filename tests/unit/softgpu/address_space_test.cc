#include "core/softgpu/address_space.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <vector>

namespace graphd::softgpu {
namespace {

constexpr uint64_t kBase = 1 << 20;
constexpr uint64_t kGranule = AddressSpace::kGranule;

TEST(AddressSpace, GivesAlignedAddressesThatDoNotOverlap) {
  AddressSpace space(kBase, 16 * kGranule);
  const auto a = space.Allocate(1);
  const auto b = space.Allocate(kGranule + 1);
  const auto c = space.Allocate(kGranule);
  ASSERT_TRUE(a && b && c);
  EXPECT_EQ(*a, kBase);
  EXPECT_EQ(*b, kBase + kGranule);
  EXPECT_EQ(*c, kBase + 3 * kGranule);
  EXPECT_EQ(space.free_bytes(), 12 * kGranule);
}

TEST(AddressSpace, TakesTheSmallestHoleThatFits) {
  AddressSpace space(kBase, 16 * kGranule);
  const auto large = space.Allocate(4 * kGranule);
  ASSERT_TRUE(space.Allocate(kGranule));
  const auto small = space.Allocate(2 * kGranule);
  ASSERT_TRUE(space.Allocate(kGranule));
  ASSERT_TRUE(space.Free(*large));
  ASSERT_TRUE(space.Free(*small));
  EXPECT_EQ(space.Allocate(2 * kGranule), small);
  EXPECT_EQ(space.Allocate(3 * kGranule), large);
}

TEST(AddressSpace, MergesAFreedRangeWithBothNeighbours) {
  AddressSpace space(kBase, 3 * kGranule);
  const auto a = space.Allocate(kGranule);
  const auto b = space.Allocate(kGranule);
  const auto c = space.Allocate(kGranule);
  EXPECT_FALSE(space.Allocate(1));
  ASSERT_TRUE(space.Free(*a));
  ASSERT_TRUE(space.Free(*c));
  EXPECT_FALSE(space.Allocate(2 * kGranule));
  ASSERT_TRUE(space.Free(*b));
  EXPECT_EQ(space.Allocate(3 * kGranule), kBase);
}

TEST(AddressSpace, HonoursALargerAlignmentAndKeepsWhatItSkips) {
  AddressSpace space(kBase, 64 * kGranule);
  ASSERT_TRUE(space.Allocate(1));
  const auto aligned = space.Allocate(kGranule, 16 * kGranule);
  ASSERT_TRUE(aligned);
  EXPECT_EQ(*aligned, kBase + 16 * kGranule);
  EXPECT_EQ(space.Allocate(15 * kGranule), kBase + kGranule);
}

TEST(AddressSpace, RefusesWhatCannotFit) {
  AddressSpace space(kBase, 4 * kGranule);
  EXPECT_FALSE(space.Allocate(0));
  EXPECT_FALSE(space.Allocate(4 * kGranule + 1));
  EXPECT_FALSE(space.Allocate(std::numeric_limits<uint64_t>::max()));
  EXPECT_FALSE(space.Allocate(1, uint64_t{1} << 63));
  EXPECT_EQ(space.free_bytes(), 4 * kGranule);
}

TEST(AddressSpace, FreesOnlyWhereAnAllocationBegins) {
  AddressSpace space(kBase, 4 * kGranule);
  const auto a = space.Allocate(2 * kGranule);
  EXPECT_FALSE(space.Free(*a + kGranule));
  EXPECT_FALSE(space.Free(*a + 2 * kGranule));
  const auto freed = space.Free(*a);
  ASSERT_TRUE(freed);
  EXPECT_EQ(freed->size_bytes, 2 * kGranule);
  EXPECT_FALSE(space.Free(*a));
}

TEST(AddressSpace, FindsBytesOfOneAllocationOnly) {
  AddressSpace space(kBase, 8 * kGranule);
  const auto a = space.Allocate(100);
  const auto b = space.Allocate(kGranule);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(space.Find(*a + 60, 40)->base, *a);
  EXPECT_FALSE(space.Find(*a + 60, 41));
  EXPECT_FALSE(space.Find(*b - 1, 1));
  EXPECT_EQ(space.Find(*b, kGranule)->base, *b);
  EXPECT_FALSE(space.Find(*b + 8, std::numeric_limits<uint64_t>::max()));
  EXPECT_FALSE(space.Find(kBase - 1, 1));
}

// Against a plain model: a map of what is allocated.
TEST(AddressSpace, NeverOverlapsNorLosesBytesInLongRandomUse) {
  AddressSpace space(kBase, 256 * kGranule);
  std::mt19937_64 random(7);
  std::map<uint64_t, uint64_t> live;
  for (int step = 0; step < 20000; ++step) {
    if (live.empty() || random() % 2 == 0) {
      const uint64_t size = 1 + random() % (20 * kGranule);
      const auto address = space.Allocate(size, kGranule << random() % 4);
      if (!address) continue;
      const auto next = live.lower_bound(*address);
      ASSERT_TRUE(next == live.end() || *address + size <= next->first);
      ASSERT_TRUE(next == live.begin() ||
                  std::prev(next)->first + std::prev(next)->second <= *address);
      ASSERT_LE(*address + size, kBase + 256 * kGranule);
      live.emplace(*address, size);
    } else {
      auto victim = live.begin();
      std::advance(victim, random() % live.size());
      ASSERT_TRUE(space.Free(victim->first));
      live.erase(victim);
    }
  }
  for (const auto& [base, size] : live) ASSERT_TRUE(space.Free(base));
  EXPECT_EQ(space.free_bytes(), 256 * kGranule);
  EXPECT_EQ(space.Allocate(256 * kGranule), kBase);
}

}  // namespace
}  // namespace graphd::softgpu
