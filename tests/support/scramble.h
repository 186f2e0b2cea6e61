// Another order for a plan's steps, among those that the plan allows.
//
// Two steps that the plan leaves unordered come either way round over enough
// seeds, so that a missing edge shows as a wrong byte instead of as luck.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_TESTS_SUPPORT_SCRAMBLE_H_
#define GRAPHD_TESTS_SUPPORT_SCRAMBLE_H_

#include <cstdint>

#include "core/plan/plan.h"

namespace graphd {

// The same steps on one stream, in a random topological order of the plan's
// edges (same stream, waits). Running it is one of the executions that `plan`
// allows.
Plan Scramble(const Plan& plan, uint64_t seed);

}  // namespace graphd

#endif  // GRAPHD_TESTS_SUPPORT_SCRAMBLE_H_
