#include "core/analysis/happens_before.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace graphd {
namespace {

TEST(HappensBeforeTest, NodesOfOneStreamAreOrdered) {
  const std::vector<StreamId> streams(2, StreamId(0));
  HappensBefore clocks(2, 1, streams);
  clocks.Place(NodeId(0));
  clocks.Place(NodeId(1));
  EXPECT_TRUE(clocks.Before(NodeId(0), NodeId(1)));
  EXPECT_FALSE(clocks.Before(NodeId(1), NodeId(0)));
  EXPECT_FALSE(clocks.Before(NodeId(0), NodeId(0)));
}

TEST(HappensBeforeTest, NodesOfTwoStreamsAreOrderedByAWaitOnly) {
  const std::vector<StreamId> streams = {StreamId(0), StreamId(1), StreamId(1)};
  HappensBefore clocks(3, 2, streams);
  clocks.Place(NodeId(0));
  clocks.Place(NodeId(1));
  EXPECT_FALSE(clocks.Before(NodeId(0), NodeId(1)));
  clocks.Place(NodeId(2));
  clocks.Wait(NodeId(2), NodeId(0));
  EXPECT_TRUE(clocks.Before(NodeId(0), NodeId(2)));
  EXPECT_FALSE(clocks.Before(NodeId(0), NodeId(1)));
}

// Against the transitive closure of (same stream, earlier) and (wait).
TEST(HappensBeforeTest, AgreesWithTheClosureOnRandomSchedules) {
  std::mt19937 random(11);
  for (int round = 0; round < 100; ++round) {
    constexpr size_t kNodes = 40;
    const uint32_t k = 1 + random() % 5;
    std::vector<StreamId> streams;
    for (size_t i = 0; i < kNodes; ++i)
      streams.push_back(StreamId(random() % k));
    HappensBefore clocks(kNodes, k, streams);
    std::vector<std::vector<bool>> closure(kNodes, std::vector<bool>(kNodes));
    const auto order = [&](size_t before, size_t after) {
      closure[after][before] = true;
      for (size_t i = 0; i < kNodes; ++i) {
        if (closure[before][i]) closure[after][i] = true;
      }
    };
    for (size_t i = 0; i < kNodes; ++i) {
      clocks.Place(NodeId(i));
      for (size_t j = i; j-- > 0;) {
        if (streams[j] == streams[i]) {
          order(j, i);
          break;
        }
      }
      while (i > 0 && random() % 3 == 0) {
        const size_t j = random() % i;
        clocks.Wait(NodeId(i), NodeId(j));
        order(j, i);
      }
    }
    for (size_t a = 0; a < kNodes; ++a) {
      for (size_t b = 0; b < kNodes; ++b) {
        EXPECT_EQ(clocks.Before(NodeId(a), NodeId(b)), closure[b][a])
            << a << " " << b;
      }
    }
  }
}

}  // namespace
}  // namespace graphd
