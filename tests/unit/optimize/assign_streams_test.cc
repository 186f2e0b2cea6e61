#include "core/optimize/assign_streams.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/optimize/stage_io.h"
#include "tests/unit/optimize/flow_draft.h"

namespace graphd {
namespace {

std::vector<int> NodesByStream(const Draft& draft) {
  std::vector<int> counts(draft.stream_count, 0);
  for (const NodeId node : draft.issue_order) {
    ++counts[draft.streams[node.index()].index()];
  }
  return counts;
}

TEST(AssignStreamsTest, IndependentKernelsAreSharedOutEvenly) {
  FlowDraft f;
  f.Buffer("x", BufferRole::kInput, 64);
  for (int i = 0; i < 1000; ++i) {
    const std::string y = absl::StrCat("y", i);
    f.Buffer(y, BufferRole::kOutput, 64);
    f.Kernel(absl::StrCat("k", i), {"x"}, {y});
  }
  Draft& draft = f.Build(8);
  ASSERT_TRUE(AssignStreams(draft, f.facts()).ok());
  EXPECT_EQ(NodesByStream(draft), std::vector<int>(8, 125));
}

TEST(AssignStreamsTest, AForkOfAHundredIsSharedOutEvenly) {
  FlowDraft f;
  f.Buffer("x", BufferRole::kInput, 64);
  f.Buffer("t", BufferRole::kTransient, 64);
  f.Kernel("fork", {"x"}, {"t"});
  for (int i = 0; i < 100; ++i) {
    const std::string y = absl::StrCat("y", i);
    f.Buffer(y, BufferRole::kOutput, 64);
    f.Kernel(absl::StrCat("k", i), {"t"}, {y});
  }
  Draft& draft = f.Build(4);
  ASSERT_TRUE(AssignStreams(draft, f.facts()).ok());
  EXPECT_EQ(NodesByStream(draft), (std::vector<int>{26, 25, 25, 25}));
}

TEST(AssignStreamsTest, TheLongestPathGoesFirst) {
  FlowDraft f;
  f.Buffer("x", BufferRole::kInput, 64);
  for (const char* name : {"s", "t", "a", "b"}) {
    f.Buffer(name, BufferRole::kOutput, 64);
  }
  f.Kernel("short1", {"x"}, {"s"}, 1000);
  f.Kernel("short2", {"x"}, {"t"}, 1000);
  f.Kernel("long1", {"x"}, {"a"}, 1000);
  f.Kernel("long2", {"a"}, {"b"}, 9000);
  Draft& draft = f.Build(2);
  ASSERT_TRUE(AssignStreams(draft, f.facts()).ok());
  EXPECT_EQ(draft.issue_order[0], f.Find("long1"));
  // And its successor stays on its stream.
  EXPECT_EQ(draft.streams[f.Find("long1").index()],
            draft.streams[f.Find("long2").index()]);
}

TEST(AssignStreamsTest, AChainStaysOnOneStreamWithItsCopies) {
  FlowDraft f;
  f.Buffer("x", BufferRole::kInput, 64);
  f.Buffer("t", BufferRole::kTransient, 64);
  f.Buffer("y", BufferRole::kOutput, 64);
  f.Kernel("a", {"x"}, {"t"});
  f.Kernel("b", {"t"}, {"y"});
  Draft& draft = f.Build(4);
  ASSERT_TRUE(StageIo(draft, f.facts()).ok());
  ASSERT_TRUE(AssignStreams(draft, f.facts()).ok());
  EXPECT_EQ(draft.stream_count, 1u);
  EXPECT_EQ(draft.issue_order.size(), 4u);
}

TEST(AssignStreamsTest, CopiesThatEverythingWaitsForNeedNoStreamOfTheirOwn) {
  FlowDraft f;
  f.Buffer("x", BufferRole::kInput, 64);
  f.Buffer("y", BufferRole::kOutput, 64);
  std::vector<std::string> branches;
  for (int i = 0; i < 16; ++i) {
    branches.push_back(absl::StrCat("t", i));
    f.Buffer(branches.back(), BufferRole::kTransient, 64);
    f.Kernel(absl::StrCat("k", i), {"x"}, {branches.back()}, 5000);
  }
  f.Kernel("join", branches, {"y"});
  Draft& draft = f.Build(4);
  ASSERT_TRUE(StageIo(draft, f.facts()).ok());
  ASSERT_TRUE(AssignStreams(draft, f.facts()).ok());
  EXPECT_EQ(draft.stream_count, 4u);
}

TEST(AssignStreamsTest, CopiesThatOverlapWithKernelsGetStreamsOfTheirOwn) {
  FlowDraft f;
  constexpr uint64_t kBytes = uint64_t{1} << 20;
  for (int i = 0; i < 8; ++i) {
    const std::string n = absl::StrCat(i);
    f.Buffer("x" + n, BufferRole::kInput, kBytes);
    f.Buffer("y" + n, BufferRole::kOutput, kBytes);
    f.Kernel("k" + n, {"x" + n}, {"y" + n}, 80'000);
  }
  Draft& draft = f.Build(2);
  ASSERT_TRUE(StageIo(draft, f.facts()).ok());
  ASSERT_TRUE(AssignStreams(draft, f.facts()).ok());
  EXPECT_EQ(draft.stream_count, 4u);
  EXPECT_EQ(NodesByStream(draft), (std::vector<int>{4, 4, 8, 8}));
}

}  // namespace
}  // namespace graphd
