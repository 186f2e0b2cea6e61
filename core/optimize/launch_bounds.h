// Between which numbers a quantity of a kernel lies, over all threads of one
// launch and all values of a run's parameters.
//
// Thread safety: immutable.
#ifndef GRAPHD_CORE_OPTIMIZE_LAUNCH_BOUNDS_H_
#define GRAPHD_CORE_OPTIMIZE_LAUNCH_BOUNDS_H_

#include <optional>

#include "core/graph/graph.h"
#include "core/plan/plan.h"
#include "core/ptx/polynomial.h"

namespace graphd {

class LaunchBounds {
 public:
  using Wide = __int128;
  // All values lie in [least, most].
  struct Range {
    Wide least = 0;
    Wide most = 0;
  };

  // Both outlive this.
  LaunchBounds(const Graph& graph, const KernelStep& kernel)
      : graph_(graph), kernel_(kernel) {}

  // nullopt: not known.
  std::optional<Range> Of(const ptx::Polynomial& polynomial) const;
  bool Holds(const ptx::FitsIn& assumption) const;

 private:
  std::optional<Range> Of(const ptx::LaunchSymbol& symbol) const;
  std::optional<Range> Of(const LaunchDimension& dimension) const;
  std::optional<Range> Below(const LaunchDimension& dimension) const;
  std::optional<Range> OfArgument(const ptx::LaunchSymbol& symbol) const;

  const Graph& graph_;
  const KernelStep& kernel_;
};

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_LAUNCH_BOUNDS_H_
