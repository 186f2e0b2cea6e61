#include "core/analysis/flow_graph.h"

#include <algorithm>

namespace graphd {

void FlowGraph::AddEdge(NodeId before, NodeId after) {
  NodeList& list = nodes_[after.index()].predecessors;
  if (std::find(list.begin(), list.end(), before) != list.end()) return;
  ++edits_;
  list.push_back(before);
}

}  // namespace graphd
