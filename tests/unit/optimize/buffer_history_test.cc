#include "core/optimize/buffer_history.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace graphd {
namespace {

std::set<uint32_t> Follow(BufferHistory& history, uint32_t node,
                          const ByteRange& range, bool is_write) {
  std::set<uint32_t> before;
  history.Add(
      {NodeId(node), range, is_write},
      [&](const Touch& earlier) { before.insert(earlier.node.value()); },
      [](uint64_t, uint64_t) {});
  return before;
}

TEST(BufferHistoryTest, AWriteFollowsTheReadersSinceTheLastWrite) {
  BufferHistory history;
  const ByteRange all{0, 100};
  EXPECT_TRUE(Follow(history, 0, all, true).empty());
  EXPECT_EQ(Follow(history, 1, all, false), (std::set<uint32_t>{0}));
  EXPECT_EQ(Follow(history, 2, all, false), (std::set<uint32_t>{0}));
  EXPECT_EQ(Follow(history, 3, all, true), (std::set<uint32_t>{0, 1, 2}));
  EXPECT_EQ(Follow(history, 4, all, false), (std::set<uint32_t>{3}));
}

TEST(BufferHistoryTest, PartsThatDoNotMeetAreNotOrdered) {
  BufferHistory history;
  EXPECT_TRUE(Follow(history, 0, {0, 50}, true).empty());
  EXPECT_TRUE(Follow(history, 1, {50, 50}, true).empty());
  EXPECT_EQ(Follow(history, 2, {40, 20}, false), (std::set<uint32_t>{0, 1}));
  EXPECT_EQ(Follow(history, 3, {45, 1}, true), (std::set<uint32_t>{0, 2}));
  EXPECT_EQ(Follow(history, 4, {0, 10}, false), (std::set<uint32_t>{0}));
}

TEST(BufferHistoryTest, InterleavedRowsAreNotOrdered) {
  BufferHistory history;
  EXPECT_TRUE(Follow(history, 0, {0, 4, 8, 10}, true).empty());
  EXPECT_TRUE(Follow(history, 1, {4, 4, 8, 10}, true).empty());
  EXPECT_EQ(Follow(history, 2, {0, 80}, false), (std::set<uint32_t>{0, 1}));
}

TEST(BufferHistoryTest, ReadsOfWhatNothingWroteAreReported) {
  BufferHistory history;
  Follow(history, 0, {10, 10}, true);
  std::vector<std::pair<uint64_t, uint64_t>> gaps;
  history.Add(
      {NodeId(1), {0, 30}, false}, [](const Touch&) {},
      [&](uint64_t first, uint64_t end) {
        gaps.push_back({first, end});
      });
  EXPECT_EQ(gaps,
            (std::vector<std::pair<uint64_t, uint64_t>>{{0, 10}, {20, 30}}));
}

TEST(BufferHistoryTest, ManyReadersCostNoQuadraticTime) {
  // Quadratic time would take minutes here, past any time limit of the tests.
  BufferHistory history;
  Follow(history, 0, {0, 100}, true);
  constexpr uint32_t kReaders = 300'000;
  for (uint32_t i = 1; i <= kReaders; ++i) {
    ASSERT_EQ(Follow(history, i, {0, 100}, false).size(), 1u);
  }
  EXPECT_EQ(Follow(history, kReaders + 1, {0, 100}, true).size(), kReaders + 1);
}

}  // namespace
}  // namespace graphd
