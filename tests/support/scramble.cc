#include "tests/support/scramble.h"

#include <random>
#include <utility>
#include <vector>

namespace graphd {

Plan Scramble(const Plan& plan, uint64_t seed) {
  const size_t size = plan.steps.size();
  const std::vector<int64_t> previous = PreviousOnStream(plan);
  std::vector<std::vector<size_t>> successors(size);
  std::vector<size_t> open(size, 0);
  for (size_t i = 0; i < size; ++i) {
    if (previous[i] >= 0) {
      successors[previous[i]].push_back(i);
      ++open[i];
    }
    for (StepId wait : plan.steps[i].waits) {
      successors[wait.index()].push_back(i);
      ++open[i];
    }
  }
  std::vector<size_t> ready;
  for (size_t i = 0; i < size; ++i) {
    if (open[i] == 0) ready.push_back(i);
  }
  std::mt19937_64 random(seed);
  Plan scrambled = plan;
  scrambled.steps.clear();
  scrambled.stream_count = 1;
  while (!ready.empty()) {
    std::swap(ready[random() % ready.size()], ready.back());
    const size_t next = ready.back();
    ready.pop_back();
    PlanStep step = plan.steps[next];
    step.stream = StreamId(0);
    step.waits.clear();
    scrambled.steps.push_back(std::move(step));
    for (size_t successor : successors[next]) {
      if (--open[successor] == 0) ready.push_back(successor);
    }
  }
  return scrambled;
}

}  // namespace graphd
