// The verifier against a judge that compares every two accesses, on compiled
// plans that were damaged at random.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/plan/verify.h"
#include "tests/unit/optimize/random_declared_graph.h"

namespace graphd {
namespace {

struct Placed {
  size_t step;
  BufferId buffer;
  ByteRange range;  // of the arena
  bool writes;
};

// Whether each two conflicting accesses of the device arena are ordered, and no
// read finds another buffer's bytes or none: byte by byte.
class Judge {
 public:
  explicit Judge(const Plan& plan) : plan_(plan) {
    const size_t size = plan.steps.size();
    before_.assign(size, std::vector<bool>(size, false));
    const std::vector<int64_t> previous = PreviousOnStream(plan);
    for (size_t i = 0; i < size; ++i) {
      const auto follow = [&](size_t p) {
        before_[i][p] = true;
        for (size_t j = 0; j < size; ++j) {
          if (before_[p][j]) before_[i][j] = true;
        }
      };
      if (previous[i] >= 0) follow(previous[i]);
      for (const StepId wait : plan.steps[i].waits) follow(wait.index());
    }
  }

  bool Accepts() const { return IsOrdered() && IsDefined(); }

 private:
  std::vector<Placed> AccessesOf(size_t step) const {
    std::vector<Placed> placed;
    for (const bool writes : {false, true}) {
      for (const Access& access : plan_.steps[step].accesses) {
        const PlanBuffer& buffer = plan_.buffers[access.buffer.index()];
        if (IsWrite(access.kind) != writes) continue;
        ByteRange range = access.range;
        // The arenas one after the other.
        range.offset_bytes += buffer.offset_bytes;
        if (buffer.place == BufferPlace::kHostArena) {
          range.offset_bytes += plan_.device_arena_bytes;
        }
        placed.push_back({step, access.buffer, range, writes});
      }
    }
    return placed;
  }

  bool IsOrdered() const {
    for (size_t j = 0; j < plan_.steps.size(); ++j) {
      for (size_t i = 0; i < j; ++i) {
        if (before_[j][i]) continue;
        for (const Placed& a : AccessesOf(i)) {
          for (const Placed& b : AccessesOf(j)) {
            if ((a.writes || b.writes) && Overlaps(a.range, b.range)) {
              return false;
            }
          }
        }
      }
    }
    return true;
  }

  // Rows with gaps define their gaps, as everywhere.
  bool IsDefined() const {
    std::vector<BufferId> owner(plan_.device_arena_bytes +
                                plan_.host_arena_bytes);
    for (const PlanBinding& input : plan_.inputs) {
      const PlanBuffer& buffer = plan_.buffers[input.buffer.index()];
      const uint64_t first = plan_.device_arena_bytes + buffer.offset_bytes;
      std::fill_n(owner.begin() + first, buffer.size_bytes, input.buffer);
    }
    for (size_t i = 0; i < plan_.steps.size(); ++i) {
      for (const Placed& access : AccessesOf(i)) {
        const ByteRange& r = access.range;
        for (uint64_t at = r.offset_bytes; at < r.end_bytes(); ++at) {
          if (access.writes) {
            owner[at] = access.buffer;
          } else if (Overlaps(r, {at, 1}) && owner[at] != access.buffer) {
            return false;
          }
        }
      }
    }
    return true;
  }

  const Plan& plan_;
  std::vector<std::vector<bool>> before_;
};

// Breaks something that only the memory proof can see. False: nothing to break.
bool Damage(Plan& plan, std::mt19937_64& random) {
  switch (random() % 4) {
    case 0: {  // a wait is lost
      std::vector<size_t> waiting;
      for (size_t i = 0; i < plan.steps.size(); ++i) {
        if (!plan.steps[i].waits.empty()) waiting.push_back(i);
      }
      if (waiting.empty()) return false;
      auto& waits = plan.steps[waiting[random() % waiting.size()]].waits;
      waits.erase(waits.begin() + random() % waits.size());
      return true;
    }
    case 1: {  // two buffers on the same bytes
      std::vector<size_t> device;
      for (size_t i = 0; i < plan.buffers.size(); ++i) {
        if (plan.buffers[i].place == BufferPlace::kDeviceArena) {
          device.push_back(i);
        }
      }
      if (device.size() < 2) return false;
      PlanBuffer& moved = plan.buffers[device[random() % device.size()]];
      const PlanBuffer& onto = plan.buffers[device[random() % device.size()]];
      moved.offset_bytes = onto.offset_bytes;
      return true;
    }
    case 2: {  // a kernel's write is lost
      PlanStep& step = plan.steps[random() % plan.steps.size()];
      if (!std::holds_alternative<KernelStep>(step.body)) return false;
      const auto write =
          std::find_if(step.accesses.begin(), step.accesses.end(),
                       [](const Access& a) { return IsWrite(a.kind); });
      if (write == step.accesses.end()) return false;
      step.accesses.erase(write);
      return true;
    }
    default: {  // a step on another stream
      PlanStep& step = plan.steps[random() % plan.steps.size()];
      if (!step.waits.empty()) return false;
      for (const PlanStep& other : plan.steps) {
        for (const StepId wait : other.waits) {
          if (&plan.steps[wait.index()] == &step) return false;
        }
      }
      step.stream = StreamId(plan.stream_count++);
      return true;
    }
  }
}

TEST(VerifyMutationsTest, AgreesWithTheJudgeOnDamagedPlans) {
  std::mt19937_64 random(11);
  int refused = 0;
  int accepted = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const Graph graph = RandomDeclaredGraph({.seed = seed,
                                             .nodes = 12,
                                             .buffers = 5,
                                             .whole_buffers = seed % 2 == 0});
    const auto compiled = CompileDeclared(graph, {}, 3);
    ASSERT_TRUE(compiled.ok()) << compiled.status();
    ASSERT_TRUE(Judge(*compiled->plan).Accepts()) << "seed " << seed;
    for (int round = 0; round < 8; ++round) {
      Plan plan = *compiled->plan;
      if (!Damage(plan, random)) continue;
      // The judge knows nothing of executions that skip a step.
      for (PlanStep& step : plan.steps) step.phase = RunPhase::kEvery;
      const bool expected = Judge(plan).Accepts();
      const absl::Status found = VerifyPlan(plan);
      ASSERT_EQ(expected, found.ok()) << "seed " << seed << ": " << found;
      ++(expected ? accepted : refused);
    }
  }
  // Both happen, or the test says little.
  EXPECT_GT(refused, 300);
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace graphd
