#include "core/softgpu/graph_state.h"

#include <algorithm>
#include <cstring>

namespace graphd::softgpu {
namespace {

bool SameData(const CUgraphEdgeData& a, const CUgraphEdgeData& b) {
  return std::memcmp(&a, &b, sizeof(a)) == 0;
}

// Plain edges everywhere; programmatic ones between kernels only. Both order
// fully here, which programmatic ones allow.
bool IsKnown(const Graph::NewEdge& edge) {
  const CUgraphEdgeData plain{};
  if (SameData(edge.data, plain)) return true;
  CUgraphEdgeData programmatic{};
  programmatic.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  programmatic.from_port = edge.data.from_port;
  return SameData(edge.data, programmatic) &&
         (edge.data.from_port == CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC ||
          edge.data.from_port == CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER) &&
         edge.from->type == CU_GRAPH_NODE_TYPE_KERNEL &&
         edge.to->type == CU_GRAPH_NODE_TYPE_KERNEL;
}

void Erase(std::vector<GraphEdge>& edges, const GraphNode* other) {
  edges.erase(
      std::find_if(edges.begin(), edges.end(),
                   [&](const GraphEdge& edge) { return edge.node == other; }));
}

}  // namespace

void Graph::AddNode(std::shared_ptr<GraphNode> node,
                    absl::Span<GraphNode* const> dependencies) {
  for (GraphNode* dependency : dependencies) {
    node->dependencies.push_back({dependency, {}});
    dependency->dependents.push_back({node.get(), {}});
    edges_.insert(EdgeKey(dependency, node.get()));
  }
  nodes_.push_back(std::move(node));
}

void Graph::RemoveNode(GraphNode& node) {
  for (const GraphEdge& edge : node.dependencies) {
    edges_.erase(EdgeKey(edge.node, &node));
    Erase(edge.node->dependents, &node);
  }
  for (const GraphEdge& edge : node.dependents) {
    edges_.erase(EdgeKey(&node, edge.node));
    Erase(edge.node->dependencies, &node);
  }
  node.dependencies.clear();
  node.dependents.clear();
  node.removed = true;
  nodes_.erase(std::find_if(
      nodes_.begin(), nodes_.end(),
      [&](const std::shared_ptr<GraphNode>& n) { return n.get() == &node; }));
}

CUresult Graph::AddEdges(absl::Span<const NewEdge> edges) {
  for (size_t i = 0; i < edges.size(); ++i) {
    const NewEdge& edge = edges[i];
    if (edge.from == edge.to || !IsKnown(edge) ||
        !edges_.insert(EdgeKey(edge.from, edge.to)).second) {
      for (const NewEdge& added : edges.first(i)) {
        edges_.erase(EdgeKey(added.from, added.to));
      }
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  for (const NewEdge& edge : edges) {
    edge.to->dependencies.push_back({edge.from, edge.data});
    edge.from->dependents.push_back({edge.to, edge.data});
  }
  return CUDA_SUCCESS;
}

CUresult Graph::RemoveEdges(absl::Span<const NewEdge> edges) {
  for (size_t i = 0; i < edges.size(); ++i) {
    const NewEdge& edge = edges[i];
    const auto& in = edge.to->dependencies;
    const bool found =
        std::any_of(in.begin(), in.end(), [&](const GraphEdge& candidate) {
          return candidate.node == edge.from &&
                 SameData(candidate.data, edge.data);
        });
    if (!found || edges_.erase(EdgeKey(edge.from, edge.to)) == 0) {
      for (const NewEdge& erased : edges.first(i)) {
        edges_.insert(EdgeKey(erased.from, erased.to));
      }
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  for (const NewEdge& edge : edges) {
    Erase(edge.to->dependencies, edge.from);
    Erase(edge.from->dependents, edge.to);
  }
  return CUDA_SUCCESS;
}

std::vector<GraphNode*> Graph::TopologicalOrder(GraphNode** stuck) const {
  absl::flat_hash_map<const GraphNode*, size_t> waiting;
  std::vector<GraphNode*> order;
  order.reserve(nodes_.size());
  for (const auto& node : nodes_) {
    if (node->dependencies.empty()) {
      order.push_back(node.get());
    } else {
      waiting.emplace(node.get(), node->dependencies.size());
    }
  }
  for (size_t next = 0; next < order.size(); ++next) {
    for (const GraphEdge& edge : order[next]->dependents) {
      const auto it = waiting.find(edge.node);
      if (--it->second > 0) continue;
      waiting.erase(it);
      order.push_back(edge.node);
    }
  }
  for (const auto& node : nodes_) {
    if (!waiting.contains(node.get())) continue;
    *stuck = node.get();
    break;
  }
  return order;
}

}  // namespace graphd::softgpu
