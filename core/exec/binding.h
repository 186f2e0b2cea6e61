// Checks a run's arguments against a plan, and moves its bytes between the
// client and staging memory.
//
// Thread safety: thread-safe (no state).
#ifndef GRAPHD_CORE_EXEC_BINDING_H_
#define GRAPHD_CORE_EXEC_BINDING_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/exec/device.h"
#include "core/exec/loaded_plan.h"
#include "core/graph/scalar.h"

namespace graphd {

// Errors: INVALID_ARGUMENT with every finding: inputs missing, unknown, given
// twice or wrong-sized; outputs unknown or wrong-sized; a count of zero.
absl::Status CheckBindings(const Plan& plan, const RunArguments& arguments);

// A value for each of the plan's parameters: the run's, else the default.
// Errors: INVALID_ARGUMENT with every finding: unknown, given twice, of another
// type, out of range, without a value; a launch dimension beyond what the
// plan's device takes.
absl::StatusOr<std::vector<Scalar>> ParameterValues(
    const Plan& plan, const RunArguments& arguments);

// Values to instantiate with before any run has set one: the default, else the
// minimum, else 1.
std::vector<Scalar> InitialParameterValues(const Plan& plan);

// Requires: CheckBindings passed.
void CopyIn(const LoadedPlan& loaded, const RunArguments& arguments);
void CopyOut(const LoadedPlan& loaded, const RunArguments& arguments);

}  // namespace graphd

#endif  // GRAPHD_CORE_EXEC_BINDING_H_
