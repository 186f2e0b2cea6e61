// A plan as clients see it: graphd.v1.Plan from a Plan and its Explanation.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_CODEC_PLAN_VIEW_H_
#define GRAPHD_CORE_CODEC_PLAN_VIEW_H_

#include <string>

#include "core/plan/explanation.h"
#include "core/plan/plan.h"
#include "graphd/v1/graph.pb.h"

namespace graphd {

// All steps, without plan digest, device name and page token: the daemon knows
// those.
v1::Plan PlanToPublic(const Plan& plan, const Explanation& explanation);

// One line about a step: "scale<<<(4096, 1, 1), (256, 1, 1)>>>(t, y, a)", or
// "4194304 bytes: x (host) -> x".
std::string StepDetail(const Plan& plan, const PlanStep& step);

}  // namespace graphd

#endif  // GRAPHD_CORE_CODEC_PLAN_VIEW_H_
