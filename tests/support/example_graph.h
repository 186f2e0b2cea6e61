// The definitions under docs/examples, read and compiled to PTX, for tests that
// run them.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_TESTS_SUPPORT_EXAMPLE_GRAPH_H_
#define GRAPHD_TESTS_SUPPORT_EXAMPLE_GRAPH_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/graph/graph.h"
#include "core/optimize/compile.h"

namespace graphd {

struct ExampleGraph {
  Graph graph;
  std::vector<ModuleImage> images;  // sources through NVRTC, for capability 7.5
};

// The folder of the examples: GRAPHD_EXAMPLES when set (on a machine without
// the sources), else docs/examples.
std::string ExamplesFolder();

// Names of the examples that have a graph.textproto, sorted.
std::vector<std::string> ExampleNames();

// Errors: those of the definition's parser, of GraphFromProto and of NVRTC.
absl::StatusOr<ExampleGraph> LoadExample(const std::string& name);

}  // namespace graphd

#endif  // GRAPHD_TESTS_SUPPORT_EXAMPLE_GRAPH_H_
