// The proof that ties the house together: however a graph is compiled and
// executed, the bytes are equal.
//
// The reference is the plain plan (every pass off) on the sequential executor.
// Against it stand the optimised plan on both executors, the optimised plan
// with each pass switched off in turn on both, and the optimised plan in other
// orders that it allows. Memory is poisoned before each run, with another
// pattern each time.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_TESTS_SUPPORT_EQUALITY_H_
#define GRAPHD_TESTS_SUPPORT_EQUALITY_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/exec/device.h"
#include "core/graph/graph.h"
#include "core/optimize/compile.h"

namespace graphd {

// OUTPUT buffers by name.
using OutputBytes = std::map<std::string, std::string>;

// Reproducible contents for a graph's INPUT buffers: floats in [-1, 1) where
// the element type says so, else random words.
std::map<std::string, std::string> RandomInputs(const Graph& graph,
                                                uint64_t seed);

// Compiles with the named passes off, and runs once.
absl::StatusOr<PlanPtr> CompileWithout(const Graph& graph,
                                       const std::vector<ModuleImage>& images,
                                       const DeviceDescription& device,
                                       std::vector<std::string> skip_passes);
absl::StatusOr<OutputBytes> RunPlan(
    Device& device, PlanPtr plan, ExecutorKind executor,
    const std::map<std::string, std::string>& inputs, uint8_t poison);

// OK when every way gives the reference's bytes and each CUDA graph reads back
// as its plan; else says which way differs, in which buffer, at which byte.
// `scrambles`: how many other orders to try.
absl::Status CheckAllWays(Device& device, const Graph& graph,
                          const std::vector<ModuleImage>& images, uint64_t seed,
                          int scrambles);

// OK when the nodes and edges of `instance`'s CUDA graph, read back through the
// driver, are its plan's.
absl::Status CheckReadBack(const DriverTable& driver, const Instance& instance);

}  // namespace graphd

#endif  // GRAPHD_TESTS_SUPPORT_EQUALITY_H_
