// A kernel step's arguments as the driver takes them: values in storage of
// their own, and pointers to them.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_EXEC_KERNEL_ARGUMENTS_H_
#define GRAPHD_CORE_EXEC_KERNEL_ARGUMENTS_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "core/exec/loaded_plan.h"
#include "core/graph/scalar.h"
#include "core/plan/plan.h"

namespace graphd {

class KernelArguments {
 public:
  // `parameters` has a value for each of the plan's parameters.
  KernelArguments(const LoadedPlan& loaded, const KernelStep& step,
                  absl::Span<const Scalar> parameters);
  KernelArguments(const KernelArguments&) = delete;
  KernelArguments& operator=(const KernelArguments&) = delete;

  // For cuLaunchKernel and kernel node parameters; valid while this lives.
  void** pointers() { return pointers_.data(); }
  const std::array<uint32_t, 3>& grid() const { return grid_; }
  const std::array<uint32_t, 3>& block() const { return block_; }

 private:
  std::vector<std::string> values_;  // bytes of each argument
  std::vector<void*> pointers_;
  std::array<uint32_t, 3> grid_{};
  std::array<uint32_t, 3> block_{};
};

// Whether the step's arguments or launch shape use `parameter`.
bool Uses(const KernelStep& step, ParameterId parameter);

}  // namespace graphd

#endif  // GRAPHD_CORE_EXEC_KERNEL_ARGUMENTS_H_
