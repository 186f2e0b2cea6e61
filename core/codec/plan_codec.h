// graphd.internal.v1.PlanRecord to and from core/plan/plan.h.
//
// The bytes of a plan are deterministic: equal plans have equal bytes, and
// their SHA-256 is the plan's digest. Reading checks every index, number and
// range that an executor relies on, so that damaged bytes are an error and
// never a crash.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_CODEC_PLAN_CODEC_H_
#define GRAPHD_CORE_CODEC_PLAN_CODEC_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/base/digest.h"
#include "core/plan/plan.h"
#include "graphd/internal/v1/record.pb.h"

namespace graphd {

// The device's name and UUID are left out, so that equal devices share plans.
internal::v1::PlanRecord PlanToRecord(const Plan& plan);
// Errors: DATA_LOSS naming the field; FAILED_PRECONDITION for another format
// version.
absl::StatusOr<Plan> PlanFromRecord(const internal::v1::PlanRecord& record);

// The bytes of PlanToRecord.
std::string SerializePlan(const Plan& plan);
// Errors: DATA_LOSS when the bytes are no record; those of PlanFromRecord.
absl::StatusOr<Plan> ParsePlan(absl::string_view bytes);
// Of SerializePlan's bytes.
Digest PlanDigest(const Plan& plan);

}  // namespace graphd

#endif  // GRAPHD_CORE_CODEC_PLAN_CODEC_H_
