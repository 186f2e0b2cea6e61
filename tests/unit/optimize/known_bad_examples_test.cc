// Small graphs that a compiler of this kind is known to get wrong, each with
// the right answer, through all passes.
//
// Every plan is judged here as well as by the verifier: two buffers on the same
// bytes need an order between each access of the one and each of the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "core/optimize/compile_draft.h"
#include "core/optimize/pipeline.h"
#include "core/plan/verify.h"
#include "tests/unit/optimize/flow_draft.h"
#include "tests/unit/optimize/random_declared_graph.h"

namespace graphd {
namespace {

const PlanBuffer& BufferNamed(const Plan& plan, const std::string& name) {
  for (const PlanBuffer& buffer : plan.buffers) {
    if (buffer.name == name) return buffer;
  }
  ADD_FAILURE() << "no buffer " << name;
  return plan.buffers[0];
}

size_t StepNamed(const Plan& plan, const std::string& name) {
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    if (plan.steps[i].name == name) return i;
  }
  ADD_FAILURE() << "no step " << name;
  return 0;
}

bool Share(const PlanBuffer& a, const PlanBuffer& b) {
  return a.place == b.place && a.offset_bytes < b.offset_bytes + b.size_bytes &&
         b.offset_bytes < a.offset_bytes + a.size_bytes;
}

// By step: the steps that come before it for certain.
std::vector<std::vector<bool>> Closure(const Plan& plan) {
  const size_t size = plan.steps.size();
  std::vector<std::vector<bool>> before(size, std::vector<bool>(size, false));
  const std::vector<int64_t> previous = PreviousOnStream(plan);
  for (size_t i = 0; i < size; ++i) {
    const auto follow = [&](size_t p) {
      before[i][p] = true;
      for (size_t j = 0; j < p; ++j) {
        if (before[p][j]) before[i][j] = true;
      }
    };
    if (previous[i] >= 0) follow(static_cast<size_t>(previous[i]));
    for (const StepId wait : plan.steps[i].waits) follow(wait.index());
  }
  return before;
}

void ExpectSharersAreOrdered(const Plan& plan) {
  const auto before = Closure(plan);
  std::vector<std::vector<size_t>> users(plan.buffers.size());
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    for (const Access& access : plan.steps[i].accesses) {
      users[access.buffer.index()].push_back(i);
    }
  }
  const auto all_before = [&](size_t a, size_t b) {
    for (const size_t x : users[a]) {
      for (const size_t y : users[b]) {
        if (!before[y][x]) return false;
      }
    }
    return true;
  };
  for (size_t a = 0; a < plan.buffers.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      if (plan.buffers[a].place != BufferPlace::kDeviceArena ||
          !Share(plan.buffers[a], plan.buffers[b])) {
        continue;
      }
      EXPECT_TRUE(all_before(a, b) || all_before(b, a))
          << plan.buffers[a].name << " and " << plan.buffers[b].name;
    }
  }
}

// By all passes, which must agree with the verifier.
Plan Compiled(FlowDraft& f, uint32_t streams,
              absl::Span<const Pass> passes = Passes()) {
  f.Build();
  CompileOptions options;
  options.streams = streams;
  const auto result = CompileDraft(f.graph(), DeviceDescription(), options,
                                   StoppedClock(), passes, &MakeDeclaredDraft);
  EXPECT_TRUE(result.ok()) << result.status();
  if (!result.ok()) return Plan();
  EXPECT_TRUE(result->explanation.warnings.empty())
      << result->explanation.warnings[0];
  return *result->plan;
}

// Node 3 becomes part of node 1, at the place of the first.
absl::Status FuseSecondAndFourth(Draft& draft, AnalysisCache&) {
  const NodeId first(1);
  const NodeId second(3);
  draft.nodes[first.index()].covers.push_back(second);
  FlowGraph::FlowNode& fused = draft.flow.Edit(first);
  FlowGraph::FlowNode& gone = draft.flow.Edit(second);
  // Its intermediate stays in a register: only the last write is left.
  fused.accesses = {gone.accesses.back()};
  gone.accesses.clear();
  gone.predecessors.clear();
  gone.removed = true;
  for (size_t i = 0; i < draft.flow.size(); ++i) {
    FlowGraph::NodeList& list = draft.flow.Edit(NodeId(i)).predecessors;
    std::replace(list.begin(), list.end(), second, first);
  }
  return absl::OkStatus();
}

// 2: p, a, q, b, r with p → q and a → b → r. Fused, a and b run before q.
TEST(KnownBadExamplesTest, AFusedNodesOutputLivesFromWhereTheNodeStands) {
  FlowDraft f;
  for (const char* name : {"p", "a", "b"}) {
    f.Buffer(name, BufferRole::kTransient, 4096);
  }
  for (const char* name : {"q", "r"}) {
    f.Buffer(name, BufferRole::kOutput, 4096);
  }
  f.Kernel("p", {}, {"p"});
  f.Kernel("a", {}, {"a"});
  f.Kernel("q", {"p"}, {"q"});
  f.Kernel("b", {"a"}, {"b"});
  f.Kernel("r", {"b"}, {"r"});
  std::vector<Pass> passes(Passes().begin(), Passes().end());
  passes.insert(passes.begin(),
                {"fuse", "fuses two nodes", &FuseSecondAndFourth});
  for (const uint32_t streams : {1u, 2u}) {
    const Plan plan = Compiled(f, streams, passes);
    ExpectSharersAreOrdered(plan);
    EXPECT_EQ(plan.steps[StepNamed(plan, "a")].nodes,
              (std::vector<std::string>{"a", "b"}));
    EXPECT_LT(StepNamed(plan, "a"), StepNamed(plan, "q"));
    EXPECT_FALSE(Share(BufferNamed(plan, "b"), BufferNamed(plan, "p")));
    // The plan that the old positions allow does not pass.
    Plan wrong = plan;
    for (PlanBuffer& buffer : wrong.buffers) {
      if (buffer.name != "b") continue;
      buffer.offset_bytes = BufferNamed(plan, "p").offset_bytes;
    }
    EXPECT_FALSE(VerifyPlan(wrong).ok());
  }
}

// 3: p → q and r → s → t on two streams.
TEST(KnownBadExamplesTest, BytesCrossStreamsOnlyWithAnOrder) {
  FlowDraft f;
  for (const char* name : {"p", "r", "s"}) {
    f.Buffer(name, BufferRole::kTransient, 4096);
  }
  for (const char* name : {"q", "t"}) {
    f.Buffer(name, BufferRole::kOutput, 4096);
  }
  f.Kernel("p", {}, {"p"}, 5000);
  f.Kernel("q", {"p"}, {"q"}, 5000);
  f.Kernel("r", {}, {"r"}, 5000);
  f.Kernel("s", {"r"}, {"s"}, 5000);
  f.Kernel("t", {"s"}, {"t"}, 5000);
  const Plan plan = Compiled(f, 2);
  ASSERT_GE(plan.stream_count, 2u);
  ExpectSharersAreOrdered(plan);
  EXPECT_FALSE(Share(BufferNamed(plan, "s"), BufferNamed(plan, "p")));
  Plan wrong = plan;
  for (PlanBuffer& buffer : wrong.buffers) {
    if (buffer.name != "s") continue;
    buffer.offset_bytes = BufferNamed(plan, "p").offset_bytes;
  }
  EXPECT_FALSE(VerifyPlan(wrong).ok());
}

// 4: w B, r B, w C, w B, r C; an output that no node reads; a write of what was
// read before.
TEST(KnownBadExamplesTest, BuffersThatAreWrittenAgainKeepTheirBytes) {
  FlowDraft f;
  f.Buffer("x", BufferRole::kInput, 4096);
  f.Buffer("b", BufferRole::kTransient, 4096);
  f.Buffer("c", BufferRole::kTransient, 4096);
  f.Buffer("unread", BufferRole::kOutput, 4096);
  f.Buffer("y", BufferRole::kOutput, 4096);
  f.Kernel("w1", {"x"}, {"b", "unread"});
  f.Kernel("r1", {"b"}, {"y"});
  f.Kernel("w2", {"x"}, {"c"});
  f.Kernel("w3", {"x"}, {"b"}, 1000, AccessKind::kMayWrite);
  f.Kernel("r2", {"c"}, {"y"}, 1000, AccessKind::kMayWrite);
  f.Kernel("r3", {"b"}, {"y"}, 1000, AccessKind::kMayWrite);
  f.Kernel("carried", {"y"}, {"x"});
  f.Kernel("again", {"x"}, {"y"}, 1000, AccessKind::kMayWrite);
  for (const uint32_t streams : {1u, 3u}) {
    const Plan plan = Compiled(f, streams);
    ExpectSharersAreOrdered(plan);
    EXPECT_FALSE(Share(BufferNamed(plan, "b"), BufferNamed(plan, "c")));
    const size_t download = StepNamed(plan, "download unread");
    const size_t write = StepNamed(plan, "w1");
    for (size_t i = write + 1; i < download; ++i) {
      for (const Access& access : plan.steps[i].accesses) {
        if (!IsWrite(access.kind)) continue;
        EXPECT_FALSE(Share(plan.buffers[access.buffer.index()],
                           BufferNamed(plan, "unread")))
            << plan.steps[i].name;
      }
    }
  }
}

// 5: w1, r1, w2, r2 on one buffer.
TEST(KnownBadExamplesTest, TwoWritesOfOneBufferKeepTheirReaders) {
  FlowDraft f;
  f.Buffer("t", BufferRole::kTransient, 4096);
  f.Buffer("y1", BufferRole::kOutput, 4096);
  f.Buffer("y2", BufferRole::kOutput, 4096);
  f.Kernel("w1", {}, {"t"});
  f.Kernel("r1", {"t"}, {"y1"});
  f.Kernel("w2", {}, {"t"});
  f.Kernel("r2", {"t"}, {"y2"});
  const Plan plan = Compiled(f, 4);
  const auto before = Closure(plan);
  const std::vector<std::string> order = {"w1", "r1", "w2", "r2"};
  for (size_t i = 1; i < order.size(); ++i) {
    EXPECT_TRUE(
        before[StepNamed(plan, order[i])][StepNamed(plan, order[i - 1])])
        << order[i];
  }
}

std::vector<int> KernelsByStream(const Plan& plan) {
  std::vector<int> counts(plan.stream_count, 0);
  for (const PlanStep& step : plan.steps) {
    if (step.name[0] == 'k') ++counts[step.stream.index()];
  }
  // Streams of copies have none.
  counts.erase(std::remove(counts.begin(), counts.end(), 0), counts.end());
  return counts;
}

// 7
TEST(KnownBadExamplesTest, EqualKernelsAreSharedOutEvenly) {
  FlowDraft independent;
  for (int i = 0; i < 1000; ++i) {
    const std::string y = absl::StrCat("y", i);
    independent.Buffer(y, BufferRole::kOutput, 64);
    independent.Kernel(absl::StrCat("k", i), {}, {y});
  }
  EXPECT_EQ(KernelsByStream(Compiled(independent, 8)),
            std::vector<int>(8, 125));
  FlowDraft fork;
  fork.Buffer("t", BufferRole::kTransient, 64);
  fork.Kernel("fork", {}, {"t"});
  for (int i = 0; i < 100; ++i) {
    const std::string y = absl::StrCat("y", i);
    fork.Buffer(y, BufferRole::kOutput, 64);
    fork.Kernel(absl::StrCat("k", i), {"t"}, {y});
  }
  EXPECT_EQ(KernelsByStream(Compiled(fork, 4)), std::vector<int>(4, 25));
}

// 8: 1, 2, 4 … 512 KiB, each used up before the next begins.
TEST(KnownBadExamplesTest, DoublingSizesTakeTheLargestAndNotTheSum) {
  constexpr uint64_t kLargest = uint64_t{512} << 10;
  FlowDraft f;
  f.Buffer("y", BufferRole::kOutput, 64);
  for (int i = 0; i < 10; ++i) {
    const std::string b = absl::StrCat("b", i);
    f.Buffer(b, BufferRole::kTransient, uint64_t{1024} << i);
    f.Kernel(absl::StrCat("w", i), {}, {b});
    f.Kernel(absl::StrCat("r", i), {b}, {"y"}, 1000, AccessKind::kMayWrite);
  }
  // y takes 256 bytes of its own; the first write of it covers it in part.
  f.Kernel("last", {}, {"y"}, 1000, AccessKind::kMayWrite);
  EXPECT_EQ(Compiled(f, 1).device_arena_bytes, kLargest + 256);
}

// A compilation that takes quadratic time is late here: 10^10 steps of
// anything take longer than a minute.
absl::StatusOr<CompileResult> CompileInAMinute(const Graph& graph) {
  CompileClock clock{[] { return absl::Now(); }};
  clock.deadline = absl::Now() + absl::Minutes(1);
  CompileOptions options;
  options.streams = 8;
  return CompileDraft(graph, DeviceDescription(), options, clock, Passes(),
                      &MakeDeclaredDraft);
}

// 9
TEST(KnownBadExamplesTest, LongChainsAndEdgesBackToFrontTakeNoQuadraticTime) {
  constexpr int kNodes = 100'000;
  for (const bool back_to_front : {false, true}) {
    FlowDraft f;
    f.Buffer("x", BufferRole::kInput, 64);
    std::string previous = "x";
    for (int i = 0; i < kNodes; ++i) {
      const std::string b = absl::StrCat("b", i);
      f.Buffer(b, i + 1 < kNodes ? BufferRole::kTransient : BufferRole::kOutput,
               64);
      f.Kernel(absl::StrCat("k", i), {previous}, {b});
      previous = b;
    }
    f.Build();
    Graph graph = f.graph();
    if (back_to_front) {
      // The chain's end is declared first.
      std::reverse(graph.nodes.begin(), graph.nodes.end());
      graph.order = GraphOrder::kExplicit;
      for (size_t i = 0; i + 1 < graph.nodes.size(); ++i) {
        graph.nodes[i].after = {NodeId(i + 1)};
      }
    }
    const auto result = CompileInAMinute(graph);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->plan->steps.size(), kNodes + 2u);
    EXPECT_EQ(result->plan->stream_count, 1u);
    // Two neighbours at a time, and the input.
    EXPECT_LE(result->plan->device_arena_bytes, 3 * 256u);
  }
}

TEST(KnownBadExamplesTest, ManyReadersOfOneBufferTakeNoQuadraticTime) {
  constexpr int kNodes = 100'000;
  FlowDraft f;
  f.Buffer("t", BufferRole::kTransient, 64);
  f.Buffer("y", BufferRole::kOutput, 64);
  f.Kernel("first", {}, {"t"});
  for (int i = 0; i < kNodes / 2; ++i) {
    f.Kernel(absl::StrCat("k", i), {"t"}, {"y"}, 1000, AccessKind::kMayWrite);
  }
  f.Kernel("second", {}, {"t"});
  f.Kernel("last", {"t"}, {"y"}, 1000, AccessKind::kMayWrite);
  f.Build();
  EXPECT_TRUE(CompileInAMinute(f.graph()).ok());
}

}  // namespace
}  // namespace graphd
