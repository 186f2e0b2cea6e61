#include "core/plan/plan.h"

#include "core/base/check.h"

namespace graphd {

std::vector<int64_t> PreviousOnStream(const Plan& plan) {
  std::vector<int64_t> last(plan.stream_count, -1);
  std::vector<int64_t> previous;
  previous.reserve(plan.steps.size());
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const size_t stream = plan.steps[i].stream.index();
    GRAPHD_CHECK(stream < last.size());
    previous.push_back(last[stream]);
    last[stream] = static_cast<int64_t>(i);
  }
  return previous;
}

}  // namespace graphd
