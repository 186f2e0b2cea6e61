#include "core/optimize/plan_memory.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "core/optimize/stage_io.h"
#include "tests/unit/optimize/flow_draft.h"

namespace graphd {
namespace {

bool Share(const FlowDraft& f, const std::string& a, uint64_t a_bytes,
           const std::string& b, uint64_t b_bytes) {
  return f.OffsetOf(a) < f.OffsetOf(b) + b_bytes &&
         f.OffsetOf(b) < f.OffsetOf(a) + a_bytes;
}

// Puts nodes on streams by hand.
void Schedule(FlowDraft& f,
              const std::vector<std::vector<std::string>>& streams,
              const std::vector<std::string>& issue) {
  Draft& draft = f.draft();
  draft.streams.assign(draft.flow.size(), StreamId(0));
  draft.stream_count = static_cast<uint32_t>(streams.size());
  for (size_t s = 0; s < streams.size(); ++s) {
    for (const std::string& name : streams[s]) {
      draft.streams[f.Find(name).index()] = StreamId(s);
    }
  }
  for (const std::string& name : issue) {
    draft.issue_order.push_back(f.Find(name));
  }
  draft.copies_inserted = true;
}

TEST(PlanMemoryTest, BytesCrossStreamsOnlyAlongAnOrder) {
  // p → q on one stream, r → s → t on another.
  FlowDraft f;
  for (const char* name : {"p", "q", "r", "s", "t"}) {
    f.Buffer(name, BufferRole::kTransient, 4096);
  }
  f.Kernel("p", {}, {"p"});
  f.Kernel("q", {"p"}, {"q"});
  f.Kernel("r", {}, {"r"});
  f.Kernel("s", {"r"}, {"s"});
  f.Kernel("t", {"s"}, {"t"});
  f.Build();
  Schedule(f, {{"p", "q"}, {"r", "s", "t"}}, {"p", "r", "q", "s", "t"});
  ASSERT_TRUE(PlanMemory(f.draft(), f.facts()).ok());
  for (const char* other : {"r", "s", "t"}) {
    EXPECT_FALSE(Share(f, "p", 4096, other, 4096)) << other;
  }
  EXPECT_TRUE(Share(f, "r", 4096, "t", 4096));
}

TEST(PlanMemoryTest, BytesCrossStreamsWhereAnEdgeOrdersThem) {
  FlowDraft f;
  for (const char* name : {"p", "q", "r", "s"}) {
    f.Buffer(name, BufferRole::kTransient, 4096);
  }
  f.Kernel("p", {}, {"p"});
  f.Kernel("q", {"p"}, {"q"});
  f.Kernel("r", {}, {"r"});
  f.Kernel("s", {"r"}, {"s"});
  f.Build();
  f.draft().flow.AddEdge(f.Find("q"), f.Find("s"));
  Schedule(f, {{"p", "q"}, {"r", "s"}}, {"p", "r", "q", "s"});
  ASSERT_TRUE(PlanMemory(f.draft(), f.facts()).ok());
  EXPECT_TRUE(Share(f, "p", 4096, "s", 4096));
  EXPECT_EQ(f.draft().device_arena_bytes, 3 * 4096u);
}

TEST(PlanMemoryTest, WritersBetweenReadersKeepBuffersApart) {
  // w B, r B, w C, w B, r C: B is written again while C is alive.
  FlowDraft f;
  f.Buffer("b", BufferRole::kTransient, 4096);
  f.Buffer("c", BufferRole::kTransient, 4096);
  f.Buffer("y", BufferRole::kOutput, 64);
  f.Kernel("w1", {}, {"b"});
  f.Kernel("r1", {"b"}, {"y"});
  f.Kernel("w2", {}, {"c"});
  f.Kernel("w3", {}, {"b"});
  f.Kernel("r2", {"c"}, {"y"});
  f.Build(1);
  ASSERT_TRUE(PlanMemory(f.draft(), f.facts()).ok());
  EXPECT_FALSE(Share(f, "b", 4096, "c", 4096));
}

TEST(PlanMemoryTest, AnUnreadOutputKeepsItsBytes) {
  // Without copies in the draft nothing says when the output is read.
  FlowDraft f;
  f.Buffer("early", BufferRole::kOutput, 4096);
  f.Buffer("t", BufferRole::kTransient, 4096);
  f.Buffer("y", BufferRole::kOutput, 4096);
  f.Kernel("a", {}, {"early"});
  f.Kernel("b", {}, {"t"});
  f.Kernel("c", {"t"}, {"y"});
  f.Build(1);
  ASSERT_TRUE(PlanMemory(f.draft(), f.facts()).ok());
  EXPECT_FALSE(Share(f, "early", 4096, "t", 4096));
  EXPECT_FALSE(Share(f, "early", 4096, "y", 4096));
}

TEST(PlanMemoryTest, AnOutputKeepsItsBytesUntilItsDownload) {
  FlowDraft f;
  f.Buffer("early", BufferRole::kOutput, 4096);
  f.Buffer("t", BufferRole::kTransient, 4096);
  f.Buffer("y", BufferRole::kOutput, 4096);
  f.Kernel("a", {}, {"early"});
  f.Kernel("b", {}, {"t"});
  f.Kernel("c", {"t"}, {"y"});
  f.Build(1);
  ASSERT_TRUE(StageIo(f.draft(), f.facts()).ok());
  Schedule(f, {{"a", "b", "c", "download early", "download y"}},
           {"a", "b", "c", "download early", "download y"});
  ASSERT_TRUE(PlanMemory(f.draft(), f.facts()).ok());
  EXPECT_FALSE(Share(f, "early", 4096, "t", 4096));
  EXPECT_FALSE(Share(f, "early", 4096, "y", 4096));
}

TEST(PlanMemoryTest, DoublingSizesReachTheLowerBound) {
  // A chain of buffers of 1, 2, 4 … 512 KiB: two neighbours are alive at once.
  FlowDraft f;
  std::string previous;
  for (int i = 0; i < 10; ++i) {
    const std::string name = absl::StrCat("b", i);
    f.Buffer(name, BufferRole::kTransient, uint64_t{1024} << i);
    f.Kernel(absl::StrCat("k", i),
             previous.empty() ? std::vector<std::string>{}
                              : std::vector<std::string>{previous},
             {name});
    previous = name;
  }
  f.Build(1);
  ASSERT_TRUE(PlanMemory(f.draft(), f.facts()).ok());
  EXPECT_EQ(f.draft().device_arena_bytes, uint64_t{1024} * (512 + 256));
  EXPECT_EQ(f.draft().explanation.device_arena_bound_bytes,
            uint64_t{1024} * (512 + 256));
}

TEST(PlanMemoryTest, AnInputThatNobodyWritesKeepsItsBytes) {
  FlowDraft f;
  f.Buffer("x", BufferRole::kInput, 4096);
  f.Buffer("a", BufferRole::kTransient, 4096);
  f.Buffer("b", BufferRole::kTransient, 4096);
  f.Buffer("y", BufferRole::kOutput, 4096);
  f.Kernel("k1", {"x"}, {"a"});
  f.Kernel("k2", {"a"}, {"b"});
  f.Kernel("k3", {"b"}, {"y"});
  f.Build(1);
  ASSERT_TRUE(StageIo(f.draft(), f.facts()).ok());
  ASSERT_TRUE(PlanMemory(f.draft(), f.facts()).ok());
  for (const char* other : {"a", "b", "y"}) {
    EXPECT_FALSE(Share(f, "x", 4096, other, 4096));
  }
  EXPECT_TRUE(Share(f, "a", 4096, "y", 4096));
}

// A node that sits between others in the order of issue keeps what it reads,
// wherever the edges would have let it stand.
TEST(PlanMemoryTest, LifetimesAreThoseOfTheOrderThatIsIssued) {
  // p → q and a → b → r; issued p, a, b, r, q: b's output must not take p's
  // bytes before q reads them.
  FlowDraft f;
  for (const char* name : {"p", "q", "a", "b", "r"}) {
    f.Buffer(name, BufferRole::kTransient, 4096);
  }
  f.Kernel("p", {}, {"p"});
  f.Kernel("a", {}, {"a"});
  f.Kernel("q", {"p"}, {"q"});
  f.Kernel("b", {"a"}, {"b"});
  f.Kernel("r", {"b"}, {"r"});
  f.Build(1);
  Schedule(f, {{"p", "a", "b", "r", "q"}}, {"p", "a", "b", "r", "q"});
  ASSERT_TRUE(PlanMemory(f.draft(), f.facts()).ok());
  for (const char* other : {"a", "b", "r"}) {
    EXPECT_FALSE(Share(f, "p", 4096, other, 4096)) << other;
  }
}

}  // namespace
}  // namespace graphd
