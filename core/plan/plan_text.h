// A plan as text for people: a tree in 80 columns, and a graph for dot.
//
// The tree shows each stream's steps with what they wait for, where memory
// went, what was fused and why not, and the warnings. Names are shortened where
// a line would be too long.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_PLAN_PLAN_TEXT_H_
#define GRAPHD_CORE_PLAN_PLAN_TEXT_H_

#include <string>

#include "core/plan/explanation.h"
#include "core/plan/plan.h"

namespace graphd {

std::string PlanTree(const Plan& plan, const Explanation& explanation);

// One node a step, grouped by stream; dashed edges are waits.
std::string PlanDot(const Plan& plan);

}  // namespace graphd

#endif  // GRAPHD_CORE_PLAN_PLAN_TEXT_H_
