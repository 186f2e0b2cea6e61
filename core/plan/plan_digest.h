// A name for a plan's content: equal plans have equal digests.
//
// For tests and benchmarks that must see whether two compilations gave the same
// plan; what is stored and sent is named by its own bytes.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_PLAN_PLAN_DIGEST_H_
#define GRAPHD_CORE_PLAN_PLAN_DIGEST_H_

#include "core/base/digest.h"
#include "core/plan/plan.h"

namespace graphd {

// Of everything but the device's name and uuid.
Digest PlanDigest(const Plan& plan);

}  // namespace graphd

#endif  // GRAPHD_CORE_PLAN_PLAN_DIGEST_H_
