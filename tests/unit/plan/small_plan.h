// A plan by hand: two streams, a diamond of fills and copies between an input
// and an output.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_TESTS_UNIT_PLAN_SMALL_PLAN_H_
#define GRAPHD_TESTS_UNIT_PLAN_SMALL_PLAN_H_

#include <cstddef>
#include <functional>
#include <string>

#include "core/plan/plan.h"

namespace graphd {

// upload x (stream 0) → left (0), right (1) → join (0) → download y (0); each
// buffer 256 bytes; the kernels' accesses are whole buffers.
Plan SmallPlan();

// Its buffers, by index.
enum SmallPlanBuffer : size_t { kXHost, kX, kLeft, kRight, kY, kYHost };

// What the verifier says of the small plan after `damage`; "ok" when nothing.
std::string After(const std::function<void(Plan&)>& damage);

}  // namespace graphd

#endif  // GRAPHD_TESTS_UNIT_PLAN_SMALL_PLAN_H_
