#include "core/graph/graph.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>

namespace graphd {
namespace {

std::set<uint64_t> BytesOf(const ByteRange& range) {
  std::set<uint64_t> bytes;
  for (uint64_t row = 0; row < range.rows; ++row) {
    for (uint64_t i = 0; i < range.width_bytes; ++i) {
      bytes.insert(range.offset_bytes + row * range.pitch_bytes + i);
    }
  }
  return bytes;
}

ByteRange RandomRange(std::mt19937& random) {
  const auto below = [&](uint64_t limit) { return random() % limit; };
  return {.offset_bytes = below(40),
          .width_bytes = below(6),
          .pitch_bytes = below(14),
          .rows = below(7)};
}

TEST(ByteRangeTest, OverlapAndContainmentAgreeWithSetsOfBytes) {
  std::mt19937 random(1);
  int overlapping = 0;
  int contained = 0;
  for (int i = 0; i < 200000; ++i) {
    const ByteRange a = RandomRange(random);
    const ByteRange b = RandomRange(random);
    const std::set<uint64_t> bytes_a = BytesOf(a);
    const std::set<uint64_t> bytes_b = BytesOf(b);
    bool overlap = false;
    bool contains = true;
    for (const uint64_t byte : bytes_b) {
      overlap = overlap || bytes_a.contains(byte);
      contains = contains && bytes_a.contains(byte);
    }
    ASSERT_EQ(Overlaps(a, b), overlap)
        << a.offset_bytes << " " << a.width_bytes << " " << a.pitch_bytes << " "
        << a.rows << " against " << b.offset_bytes << " " << b.width_bytes
        << " " << b.pitch_bytes << " " << b.rows;
    ASSERT_EQ(Overlaps(b, a), overlap);
    ASSERT_EQ(Contains(a, b), contains)
        << a.offset_bytes << " " << a.width_bytes << " " << a.pitch_bytes << " "
        << a.rows << " against " << b.offset_bytes << " " << b.width_bytes
        << " " << b.pitch_bytes << " " << b.rows;
    overlapping += overlap;
    contained += contains && !bytes_b.empty();
  }
  EXPECT_GT(overlapping, 10000);
  EXPECT_GT(contained, 1000);
}

TEST(ByteRangeTest, AnswersAtOnceForRowsWithoutNumber) {
  const uint64_t rows = uint64_t{1} << 40;
  const ByteRange even{
      .offset_bytes = 0, .width_bytes = 1, .pitch_bytes = 6, .rows = rows};
  const ByteRange odd{
      .offset_bytes = 1, .width_bytes = 1, .pitch_bytes = 4, .rows = rows};
  const ByteRange third{
      .offset_bytes = 3, .width_bytes = 1, .pitch_bytes = 9, .rows = rows};
  EXPECT_FALSE(Overlaps(even, odd));
  EXPECT_TRUE(Overlaps(odd, third));
  EXPECT_TRUE(
      Contains({.width_bytes = 1, .pitch_bytes = 3, .rows = 3 * rows}, third));
}

TEST(ByteRangeTest, EndFitsOnlyBelowTheLastByte) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  EXPECT_TRUE(EndFits({.offset_bytes = kMost - 1, .width_bytes = 1}));
  EXPECT_FALSE(EndFits({.offset_bytes = kMost, .width_bytes = 1}));
  EXPECT_TRUE(EndFits({.offset_bytes = kMost, .width_bytes = 0}));
  EXPECT_FALSE(
      EndFits({.width_bytes = kMost, .pitch_bytes = kMost, .rows = kMost}));
  EXPECT_FALSE(EndFits(
      {.width_bytes = 1, .pitch_bytes = uint64_t{1} << 32, .rows = kMost}));
}

TEST(ByteRangeTest, RowsWithoutGapsAreOneRow) {
  const ByteRange one{.offset_bytes = 8, .width_bytes = 12};
  EXPECT_EQ(
      Normalized(
          {.offset_bytes = 8, .width_bytes = 4, .pitch_bytes = 4, .rows = 3}),
      one);
  EXPECT_EQ(
      Normalized(
          {.offset_bytes = 8, .width_bytes = 4, .pitch_bytes = 5, .rows = 3})
          .rows,
      3u);
}

TEST(GraphTest, ShapeBytesSeesOverflow) {
  EXPECT_EQ(ShapeBytes(ScalarType::kF32, {3, 5}), 60u);
  EXPECT_EQ(ShapeBytes(ScalarType::kF64, {}), 8u);
  EXPECT_EQ(ShapeBytes(ScalarType::kU8, {uint64_t{1} << 32, uint64_t{1} << 32}),
            std::nullopt);
}

TEST(GraphTest, KindsHaveTheNamesOfTheMessage) {
  EXPECT_EQ(KindName(KernelNode{}), "kernel");
  EXPECT_EQ(KindName(MemcpyNode{}), "memcpy");
  EXPECT_EQ(KindName(MemsetNode{}), "memset");
  EXPECT_EQ(KindName(EmptyNode{}), "empty");
}

}  // namespace
}  // namespace graphd
