// Random graphs whose kernels have no code but declare their accesses.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_TESTS_UNIT_OPTIMIZE_RANDOM_DECLARED_GRAPH_H_
#define GRAPHD_TESTS_UNIT_OPTIMIZE_RANDOM_DECLARED_GRAPH_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "core/graph/graph.h"
#include "core/optimize/compile.h"
#include "core/optimize/draft.h"

namespace graphd {

struct DeclaredGraphOptions {
  uint64_t seed = 1;
  uint32_t nodes = 20;
  uint32_t buffers = 6;
  bool explicit_order = false;  // `after` orders every conflict
  bool whole_buffers = false;   // every access is of all bytes
};

// Valid, without undefined reads or races. Accesses are of every kind: parts,
// rows with gaps, may-writes; buffers of every role and space.
Graph RandomDeclaredGraph(const DeclaredGraphOptions& options);

// Whether the two nodes touch a common byte and one of them may write it.
bool Conflict(const std::vector<Access>& a, const std::vector<Access>& b);
std::vector<Access> AccessesOfNode(const Graph& graph, const Node& node);

// Fills a draft of such a graph.
absl::Status MakeDeclaredDraft(Draft& draft);

// All passes but `skip`.
absl::StatusOr<CompileResult> CompileDeclared(
    const Graph& graph, std::vector<std::string> skip = {},
    uint32_t streams = 4);

CompileClock StoppedClock();

}  // namespace graphd

#endif  // GRAPHD_TESTS_UNIT_OPTIMIZE_RANDOM_DECLARED_GRAPH_H_
