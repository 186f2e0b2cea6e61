// The part of verify that looks at one thing at a time: tables, references,
// ranges, bindings, covered nodes.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_PLAN_VERIFY_REFERENCES_H_
#define GRAPHD_CORE_PLAN_VERIFY_REFERENCES_H_

#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "core/plan/plan.h"

namespace graphd {

// Images, buffers, steps, bindings. What passes it can be indexed without fear.
absl::Status VerifyReferences(const Plan& plan);

// Each name once, each node once, and no others than `nodes` when it is given.
absl::Status VerifyNodes(const Plan& plan,
                         const std::vector<std::string>* nodes);

// What a step touches. Copies and fills are taken at their word, not at their
// declared accesses.
template <typename Visit>
void VisitAccesses(const PlanStep& step, Visit visit) {
  if (const auto* copy = std::get_if<MemcpyStep>(&step.body)) {
    visit(Access{copy->src,
                 {copy->src_offset_bytes, copy->width_bytes,
                  copy->src_pitch_bytes, copy->height},
                 AccessKind::kMayRead});
    visit(Access{copy->dst,
                 {copy->dst_offset_bytes, copy->width_bytes,
                  copy->dst_pitch_bytes, copy->height},
                 AccessKind::kMustWrite});
  } else if (const auto* fill = std::get_if<MemsetStep>(&step.body)) {
    visit(Access{fill->dst, FilledRange(*fill), AccessKind::kMustWrite});
  } else {
    for (const Access& access : step.accesses) visit(access);
  }
}
std::vector<Access> AccessesOf(const PlanStep& step);

}  // namespace graphd

#endif  // GRAPHD_CORE_PLAN_VERIFY_REFERENCES_H_
