// Graph topology: nodes, edges, and questions about them.
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "core/softgpu/api.h"
#include "core/softgpu/graph_access.h"
#include "core/softgpu/result_macros.h"
#include "core/softgpu/software_gpu.h"

namespace graphd::softgpu::api {
namespace {

// Edges that a query gives out, in one array an end; an end may be null.
struct EdgeArrays {
  CUgraphNode* from = nullptr;
  CUgraphNode* to = nullptr;
  CUgraphEdgeData* data = nullptr;
};

struct FoundEdge {
  CUgraphNode from = nullptr;
  CUgraphNode to = nullptr;
  CUgraphEdgeData data{};
};

bool IsPlain(const CUgraphEdgeData& data) {
  const CUgraphEdgeData plain{};
  return std::memcmp(&data, &plain, sizeof(data)) == 0;
}

// The rule of all queries: without arrays the count; with too many places the
// rest becomes null and the count is told.
CUresult GiveOut(const std::vector<CUgraphNode>& found, CUgraphNode* nodes,
                 size_t* count) {
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (nodes == nullptr) {
    *count = found.size();
    return CUDA_SUCCESS;
  }
  const size_t given = std::min(*count, found.size());
  std::copy_n(found.begin(), given, nodes);
  std::fill(nodes + given, nodes + *count, nullptr);
  *count = given;
  return CUDA_SUCCESS;
}

CUresult GiveOut(const std::vector<FoundEdge>& found, const EdgeArrays& arrays,
                 size_t* count) {
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (arrays.from == nullptr && arrays.to == nullptr) {
    if (arrays.data != nullptr) return CUDA_ERROR_INVALID_VALUE;
    *count = found.size();
    return CUDA_SUCCESS;
  }
  const size_t given = std::min(*count, found.size());
  if (arrays.data == nullptr &&
      !std::all_of(found.begin(), found.begin() + given,
                   [](const FoundEdge& edge) { return IsPlain(edge.data); })) {
    return CUDA_ERROR_LOSSY_QUERY;
  }
  for (size_t i = 0; i < *count; ++i) {
    const FoundEdge edge = i < given ? found[i] : FoundEdge{};
    if (arrays.from != nullptr) arrays.from[i] = edge.from;
    if (arrays.to != nullptr) arrays.to[i] = edge.to;
    if (arrays.data != nullptr) arrays.data[i] = edge.data;
  }
  *count = given;
  return CUDA_SUCCESS;
}

// Edges between nodes of one graph, by handle.
CUresult ReadEdges(const std::shared_ptr<Graph>& graph, const CUgraphNode* from,
                   const CUgraphNode* to, const CUgraphEdgeData* data,
                   size_t count, std::vector<Graph::NewEdge>* edges) {
  if (count > 0 && (from == nullptr || to == nullptr)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  SoftwareGpu& gpu = SoftwareGpu::Get();
  for (size_t i = 0; i < count; ++i) {
    const std::shared_ptr<GraphNode> first = gpu.nodes.Find(from[i]);
    const std::shared_ptr<GraphNode> second = gpu.nodes.Find(to[i]);
    if (first == nullptr || second == nullptr || first->graph.lock() != graph ||
        second->graph.lock() != graph || first->removed || second->removed) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    edges->push_back({first.get(), second.get(),
                      data == nullptr ? CUgraphEdgeData{} : data[i]});
  }
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuGraphCreate(CUgraph* graph, unsigned int flags) {
  SoftwareGpu& gpu = SoftwareGpu::Get();
  GRAPHD_RETURN_IF_FAILED(gpu.CheckInitialised());
  if (graph == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  *graph = gpu.graphs.Add(std::make_shared<Graph>());
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph) {
  SoftwareGpu& gpu = SoftwareGpu::Get();
  LockedGraph locked;
  GRAPHD_RETURN_IF_FAILED(locked.Find(graph));
  if (gpu.graphs.Remove(graph) == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (const auto& node : locked.graph->nodes()) {
    node->removed = true;
    gpu.nodes.Remove(node->handle);
  }
  return CUDA_SUCCESS;
}

CUresult cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph,
                             const CUgraphNode* dependencies,
                             size_t dependency_count) {
  return AddNode(node, graph, dependencies, dependency_count,
                 CU_GRAPH_NODE_TYPE_EMPTY, Work{});
}

CUresult cuGraphDestroyNode(CUgraphNode node) {
  LockedNode locked;
  GRAPHD_RETURN_IF_FAILED(locked.Find(node));
  SoftwareGpu::Get().nodes.Remove(node);
  locked.graph->RemoveNode(*locked.node);
  return CUDA_SUCCESS;
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from,
                                const CUgraphNode* to,
                                const CUgraphEdgeData* data, size_t count) {
  LockedGraph locked;
  GRAPHD_RETURN_IF_FAILED(locked.Find(graph));
  std::vector<Graph::NewEdge> edges;
  GRAPHD_RETURN_IF_FAILED(
      ReadEdges(locked.graph, from, to, data, count, &edges));
  return locked.graph->AddEdges(edges);
}

CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode* from,
                                   const CUgraphNode* to,
                                   const CUgraphEdgeData* data, size_t count) {
  LockedGraph locked;
  GRAPHD_RETURN_IF_FAILED(locked.Find(graph));
  std::vector<Graph::NewEdge> edges;
  GRAPHD_RETURN_IF_FAILED(
      ReadEdges(locked.graph, from, to, data, count, &edges));
  return locked.graph->RemoveEdges(edges);
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
  LockedGraph locked;
  GRAPHD_RETURN_IF_FAILED(locked.Find(graph));
  std::vector<CUgraphNode> found;
  for (const auto& node : locked.graph->nodes()) found.push_back(node->handle);
  return GiveOut(found, nodes, count);
}

CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
  LockedGraph locked;
  GRAPHD_RETURN_IF_FAILED(locked.Find(graph));
  std::vector<CUgraphNode> found;
  for (const auto& node : locked.graph->nodes()) {
    if (node->dependencies.empty()) found.push_back(node->handle);
  }
  return GiveOut(found, nodes, count);
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to,
                         CUgraphEdgeData* data, size_t* count) {
  LockedGraph locked;
  GRAPHD_RETURN_IF_FAILED(locked.Find(graph));
  if ((from == nullptr) != (to == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  std::vector<FoundEdge> found;
  found.reserve(locked.graph->edge_count());
  for (const auto& node : locked.graph->nodes()) {
    for (const GraphEdge& edge : node->dependencies) {
      found.push_back({edge.node->handle, node->handle, edge.data});
    }
  }
  return GiveOut(found, {from, to, data}, count);
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* dependencies,
                                    CUgraphEdgeData* data, size_t* count) {
  LockedNode locked;
  GRAPHD_RETURN_IF_FAILED(locked.Find(node));
  std::vector<FoundEdge> found;
  for (const GraphEdge& edge : locked.node->dependencies) {
    found.push_back({edge.node->handle, node, edge.data});
  }
  return GiveOut(found, {dependencies, nullptr, data}, count);
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* dependents,
                                      CUgraphEdgeData* data, size_t* count) {
  LockedNode locked;
  GRAPHD_RETURN_IF_FAILED(locked.Find(node));
  std::vector<FoundEdge> found;
  for (const GraphEdge& edge : locked.node->dependents) {
    found.push_back({node, edge.node->handle, edge.data});
  }
  return GiveOut(found, {nullptr, dependents, data}, count);
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
  if (type == nullptr) return CUDA_ERROR_INVALID_VALUE;
  LockedNode locked;
  GRAPHD_RETURN_IF_FAILED(locked.Find(node));
  *type = locked.node->type;
  return CUDA_SUCCESS;
}

}  // namespace graphd::softgpu::api
