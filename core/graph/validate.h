// Says everything that is wrong with a graph's structure, without a device and
// without looking inside modules.
//
// One call reports all findings (up to Violations::kLimit) with paths as in
// graphd.v1.Graph; the fields of a node's body follow the node directly:
// `nodes[17].args[2]`. What only the PTX shows (signatures, derived accesses,
// races) is core/optimize/compile.h's CheckGraph.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_GRAPH_VALIDATE_H_
#define GRAPHD_CORE_GRAPH_VALIDATE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "core/graph/graph.h"
#include "core/graph/violation.h"

namespace graphd {

// What a client may ask for; every error names the limit that it met.
struct GraphLimits {
  uint64_t nodes = 100'000;
  uint64_t buffers = 100'000;
  uint64_t modules = 4'096;
  uint64_t parameters = 4'096;
  uint64_t after_edges = 4'000'000;     // of the whole graph
  uint64_t args = 1'024;                // of one kernel
  uint64_t argument_bytes = 32'764;     // of one kernel; CUDA's own limit
  uint64_t accesses = 65'536;           // of one kernel
  uint64_t name_bytes = 256;            // of a name
  uint64_t symbol_bytes = 4'096;        // of a function, symbol, option
  uint64_t options = 256;               // and name expressions, of a module
  uint64_t description_bytes = 65'536;  // of the graph
  uint64_t code_bytes = uint64_t{64} << 20;   // of all modules
  uint64_t rank = 16;                         // of a shape
  uint64_t buffer_bytes = uint64_t{1} << 40;  // of one buffer
  uint64_t total_bytes = uint64_t{1} << 42;   // of all buffers
};

Violations Validate(const Graph& graph, const GraphLimits& limits = {});

// The same, for a caller that has findings already: a reference that is missing
// is not reported where `violations` has a finding about the same field.
void Validate(const Graph& graph, const GraphLimits& limits,
              Violations& violations);

// Hard limits of CUDA on a launch, the same on every device.
inline constexpr uint64_t kMaxBlockThreads = 1024;
inline constexpr uint64_t kMaxBlock[3] = {1024, 1024, 64};
inline constexpr uint64_t kMaxGrid[3] = {2147483647, 65535, 65535};
inline constexpr uint64_t kMaxSharedBytes = 232'448;  // 227 KiB, with opt-in

// Why NVRTC does not get `option`; nullopt when it may.
std::optional<std::string> RefusalOfOption(absl::string_view option);

}  // namespace graphd

#endif  // GRAPHD_CORE_GRAPH_VALIDATE_H_
