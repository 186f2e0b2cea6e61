// How a loaded plan's steps reach the device. There are two ways: sequential
// and cuda_graph.
//
// An executor issues one execution of the plan at a time; executions of one
// executor never overlap.
//
// Thread safety: thread-compatible. The device's context is current wherever a
// method is called.
#ifndef GRAPHD_CORE_EXEC_EXECUTOR_H_
#define GRAPHD_CORE_EXEC_EXECUTOR_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/driver/driver_table.h"
#include "core/exec/loaded_plan.h"
#include "core/graph/scalar.h"

namespace graphd {

class Executor {
 public:
  virtual ~Executor() = default;

  // Values for the plan's parameters, used by every later execution. Touches
  // only the steps whose values changed.
  virtual absl::Status SetParameters(absl::Span<const Scalar> values) = 0;
  // Issues one execution; steps of phase kFirst only when `first`, of kLast
  // only when `last`.
  virtual absl::Status Issue(bool first, bool last) = 0;
  // Waits until everything issued is done; reports a kernel's fault.
  virtual absl::Status Wait() = 0;

  // The CUDA graph that is launched; null when there is none.
  virtual CUgraph cuda_graph() const { return nullptr; }
};

// The reference: each step on its stream, waits as events. Better for a graph
// that runs once. `loaded` outlives the executor; `parameters` are the first
// values.
absl::StatusOr<std::unique_ptr<Executor>> MakeSequentialExecutor(
    const LoadedPlan& loaded, absl::Span<const Scalar> parameters);

// Lowers the plan to a CUDA graph with one node a step and exactly the plan's
// edges, and replays it. A step that cannot be lowered is an error: nothing
// becomes an empty node because something was missing. Errors name the stage,
// the step, the CUresult and the instantiation result.
absl::StatusOr<std::unique_ptr<Executor>> MakeCudaGraphExecutor(
    const LoadedPlan& loaded, CUcontext context,
    absl::Span<const Scalar> parameters);

}  // namespace graphd

#endif  // GRAPHD_CORE_EXEC_EXECUTOR_H_
