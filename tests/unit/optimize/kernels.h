// Small PTX modules and graphs for the tests of the passes.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_TESTS_UNIT_OPTIMIZE_KERNELS_H_
#define GRAPHD_TESTS_UNIT_OPTIMIZE_KERNELS_H_

#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/optimize/compile.h"

namespace graphd {

// A module whose kernels are all (const u32* in, u32* out, u32 n): out[i] =
// in[i] for i < n.
std::string ElementwiseModule(const std::vector<std::string>& names);

// One kernel (name, parameters, body) in a module.
std::string OneKernel(const std::string& name, const std::string& parameters,
                      const std::string& body, const std::string& before = "");

// The graph's PTX modules as they are.
std::vector<ModuleImage> ImagesOf(const Graph& graph);

}  // namespace graphd

#endif  // GRAPHD_TESTS_UNIT_OPTIMIZE_KERNELS_H_
