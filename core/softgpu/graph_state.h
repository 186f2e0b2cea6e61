// A graph, its nodes, and an executable graph, as handles stand for them.
//
// CUDA leaves it to the caller to serialise calls on one graph; here each graph
// and each exec has a mutex, so that a caller's mistake is never worse than an
// odd order. An exec is a frozen copy: it keeps nothing of the graph but the
// nodes' handles.
//
// Thread safety: thread-compatible; callers hold the `mutex` of the graph or
// exec.
#ifndef GRAPHD_CORE_SOFTGPU_GRAPH_STATE_H_
#define GRAPHD_CORE_SOFTGPU_GRAPH_STATE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "core/driver/driver_table.h"
#include "core/softgpu/work.h"

namespace graphd::softgpu {

class Graph;
struct GraphNode;

struct GraphEdge {
  GraphNode* node = nullptr;  // the other end
  CUgraphEdgeData data{};
};

struct GraphNode {
  std::weak_ptr<Graph> graph;
  CUgraphNode handle = nullptr;
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  Work work;
  std::vector<GraphEdge> dependencies;  // in the order they were added
  std::vector<GraphEdge> dependents;
  std::vector<void*> argument_pointers;  // what the last GetParams gave out
  bool removed = false;
};

class Graph {
 public:
  struct NewEdge {
    GraphNode* from = nullptr;
    GraphNode* to = nullptr;
    CUgraphEdgeData data{};
  };

  std::mutex mutex;

  // Requires: the dependencies' nodes are of this graph and distinct.
  void AddNode(std::shared_ptr<GraphNode> node,
               absl::Span<GraphNode* const> dependencies);
  void RemoveNode(GraphNode& node);
  // All or none. Errors: CUDA_ERROR_INVALID_VALUE (an edge that is there, a
  // node to itself, edge data that CUDA does not know).
  CUresult AddEdges(absl::Span<const NewEdge> edges);
  // All or none. Errors: CUDA_ERROR_INVALID_VALUE (an edge that is not there,
  // or has other data).
  CUresult RemoveEdges(absl::Span<const NewEdge> edges);

  // In order of creation.
  const std::vector<std::shared_ptr<GraphNode>>& nodes() const {
    return nodes_;
  }
  size_t edge_count() const { return edges_.size(); }
  // Dependencies first, ties by creation. Shorter than nodes() when there is a
  // cycle: then `stuck` is a node that cannot be reached.
  std::vector<GraphNode*> TopologicalOrder(GraphNode** stuck) const;

 private:
  using EdgeKey = std::pair<const GraphNode*, const GraphNode*>;

  std::vector<std::shared_ptr<GraphNode>> nodes_;
  absl::flat_hash_set<EdgeKey> edges_;
};

struct ExecNode {
  CUgraphNode handle = nullptr;
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  Work work;
  bool enabled = true;
};

struct GraphExec {
  std::mutex mutex;  // held while it runs: an exec never overlaps itself
  uint64_t flags = 0;
  std::vector<ExecNode> nodes;                     // in topological order
  absl::flat_hash_map<CUgraphNode, size_t> index;  // into nodes
};

}  // namespace graphd::softgpu

#endif  // GRAPHD_CORE_SOFTGPU_GRAPH_STATE_H_
