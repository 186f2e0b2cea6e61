// The scaling graphs of the compile benchmark: chain, layered, forkjoin, fan,
// wavefront, residual.
//
// Everything is a function of kind, size and seed; a digest proves that another
// generator makes the same graphs.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_TESTS_BENCH_SCALING_GRAPH_H_
#define GRAPHD_TESTS_BENCH_SCALING_GRAPH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace graphd {

struct ScalingGraph {
  struct Node {
    std::vector<uint32_t> predecessors;  // in the order of the inputs
    uint64_t size_bytes = 4096;          // of what it writes
    bool fusible = true;
    uint32_t blocks = 16;
    uint32_t cost_us = 1;
  };
  std::vector<Node> nodes;

  // FNV-1a over every field of every node.
  uint64_t Digest() const;
};

enum class ScalingEdges : uint8_t {
  kData,     // order from accesses
  kForward,  // explicit
  kReverse,  // explicit, written back to front
  kBoth,     // from accesses, and written down as well
};

// Requires: `kind` is one of ScalingKinds().
ScalingGraph MakeScalingGraph(const std::string& kind, uint32_t nodes,
                              uint64_t seed);
std::vector<std::string> ScalingKinds();

// Kernels without code, which declare what they read and write.
Graph ToGraph(const ScalingGraph& scaling, ScalingEdges edges);

}  // namespace graphd

#endif  // GRAPHD_TESTS_BENCH_SCALING_GRAPH_H_
