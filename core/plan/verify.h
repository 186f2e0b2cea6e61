// Proves a plan, from the plan alone.
//
// Nothing that the compiler computed is believed: order is recomputed from
// streams and waits, bytes from places and ranges. Proved are: every reference
// is inside its table and every range inside its buffer and arena; a wait names
// an earlier step; whatever is read was written before, by that buffer's own
// writers; no two unordered steps touch the same byte of memory when one of
// them writes; the client's buffers are its own; each node is carried out once.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_PLAN_VERIFY_H_
#define GRAPHD_CORE_PLAN_VERIFY_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/plan/plan.h"

namespace graphd {

// `nodes`: the graph's nodes that the plan must carry out, in any order; null:
// whatever it carries out, once.
// Errors: INTERNAL, naming the step or buffer and what is wrong with it.
absl::Status VerifyPlan(const Plan& plan,
                        const std::vector<std::string>* nodes = nullptr);

}  // namespace graphd

#endif  // GRAPHD_CORE_PLAN_VERIFY_H_
