#include "core/softgpu/graph_access.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "core/softgpu/result_macros.h"
#include "core/softgpu/software_gpu.h"

namespace graphd::softgpu {

CUresult LockedGraph::Find(CUgraph handle) {
  SoftwareGpu& gpu = SoftwareGpu::Get();
  GRAPHD_RETURN_IF_FAILED(gpu.CheckInitialised());
  graph = gpu.graphs.Find(handle);
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  lock = std::unique_lock(graph->mutex);
  return CUDA_SUCCESS;
}

CUresult LockedNode::Find(CUgraphNode handle) {
  SoftwareGpu& gpu = SoftwareGpu::Get();
  GRAPHD_RETURN_IF_FAILED(gpu.CheckInitialised());
  node = gpu.nodes.Find(handle);
  if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  graph = node->graph.lock();
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  lock = std::unique_lock(graph->mutex);
  return node->removed ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult LockedNode::Find(CUgraphNode handle, CUgraphNodeType type) {
  GRAPHD_RETURN_IF_FAILED(Find(handle));
  return node->type == type ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult AddNode(CUgraphNode* handle, CUgraph graph,
                 const CUgraphNode* dependencies, size_t dependency_count,
                 CUgraphNodeType type, Work work) {
  if (handle == nullptr || (dependencies == nullptr && dependency_count > 0)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  SoftwareGpu& gpu = SoftwareGpu::Get();
  LockedGraph locked;
  GRAPHD_RETURN_IF_FAILED(locked.Find(graph));
  std::vector<GraphNode*> before;
  absl::flat_hash_set<const GraphNode*> seen;
  for (size_t i = 0; i < dependency_count; ++i) {
    const std::shared_ptr<GraphNode> node = gpu.nodes.Find(dependencies[i]);
    if (node == nullptr || node->graph.lock() != locked.graph ||
        node->removed || !seen.insert(node.get()).second) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    before.push_back(node.get());
  }
  auto node = std::make_shared<GraphNode>();
  node->graph = locked.graph;
  node->type = type;
  node->work = std::move(work);
  node->handle = gpu.nodes.Add(node);
  *handle = node->handle;
  locked.graph->AddNode(std::move(node), before);
  return CUDA_SUCCESS;
}

}  // namespace graphd::softgpu
