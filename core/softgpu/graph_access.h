// Graphs and nodes by handle, locked for one call.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_SOFTGPU_GRAPH_ACCESS_H_
#define GRAPHD_CORE_SOFTGPU_GRAPH_ACCESS_H_

#include <memory>
#include <mutex>

#include "core/driver/driver_table.h"
#include "core/softgpu/graph_state.h"

namespace graphd::softgpu {

// All errors of Find and Add: CUDA_ERROR_NOT_INITIALIZED, and
// CUDA_ERROR_INVALID_VALUE, which is what graph functions say of a handle that
// they do not know.

struct LockedGraph {
  std::shared_ptr<Graph> graph;
  std::unique_lock<std::mutex> lock;

  CUresult Find(CUgraph handle);
};

struct LockedNode {
  std::shared_ptr<Graph> graph;
  std::shared_ptr<GraphNode> node;
  std::unique_lock<std::mutex> lock;

  CUresult Find(CUgraphNode handle);
  // Also an error when the node is of another type.
  CUresult Find(CUgraphNode handle, CUgraphNodeType type);
};

// Adds a node that does `work` after `dependencies`.
CUresult AddNode(CUgraphNode* handle, CUgraph graph,
                 const CUgraphNode* dependencies, size_t dependency_count,
                 CUgraphNodeType type, Work work);

}  // namespace graphd::softgpu

#endif  // GRAPHD_CORE_SOFTGPU_GRAPH_ACCESS_H_
