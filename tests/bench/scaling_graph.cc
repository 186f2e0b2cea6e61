#include "tests/bench/scaling_graph.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace graphd {
namespace {

class Draws {
 public:
  explicit Draws(uint64_t state) : state_(state) {}
  uint32_t Below(uint32_t limit) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>((state_ >> 33) % limit);
  }

 private:
  uint64_t state_;
};

uint32_t SquareRoot(uint32_t n) {
  uint32_t root = 0;
  while (uint64_t{root + 1} * (root + 1) <= n) ++root;
  return root;
}

std::vector<uint32_t> LayeredPredecessors(uint32_t i, Draws& structure) {
  const uint32_t layer = i / 32;
  if (layer == 0) return {};
  std::vector<uint32_t> list;
  const uint32_t count = 1 + structure.Below(3);
  for (uint32_t draw = 0; draw < count; ++draw) {
    const uint32_t q = (layer - 1) * 32 + structure.Below(32);
    if (std::find(list.begin(), list.end(), q) == list.end()) {
      list.push_back(q);
    }
  }
  return list;
}

std::vector<uint32_t> Range(uint32_t first, uint32_t end) {
  std::vector<uint32_t> list;
  for (uint32_t i = first; i < end; ++i) list.push_back(i);
  return list;
}

std::vector<uint32_t> Predecessors(const std::string& kind, uint32_t i,
                                   uint32_t n, Draws& structure) {
  if (kind == "layered") return LayeredPredecessors(i, structure);
  if (i == 0) return {};
  if (kind == "chain") return {i - 1};
  if (kind == "forkjoin") {
    const uint32_t r = i % 33;
    if (r != 0) return {i - r};
    return Range(i - 32, i);
  }
  if (kind == "fan") {
    if (i + 1 < n) return {0};
    return Range(1, n - 1);
  }
  if (kind == "wavefront") {
    const uint32_t side = SquareRoot(n);
    std::vector<uint32_t> list;
    if (i / side > 0) list.push_back(i - side);
    if (i % side > 0) list.push_back(i - 1);
    return list;
  }
  std::vector<uint32_t> list = {i - 1};
  if (i >= 2 && i % 2 == 0) list.push_back(i - 2);
  return list;
}

}  // namespace

std::vector<std::string> ScalingKinds() {
  return {"chain", "layered", "forkjoin", "fan", "wavefront", "residual"};
}

ScalingGraph MakeScalingGraph(const std::string& kind, uint32_t nodes,
                              uint64_t seed) {
  ScalingGraph graph;
  graph.nodes.resize(nodes);
  Draws structure(seed);
  Draws attributes(seed ^ 0x9E3779B97F4A7C15u);
  for (uint32_t i = 0; i < nodes; ++i) {
    ScalingGraph::Node& node = graph.nodes[i];
    node.predecessors = Predecessors(kind, i, nodes, structure);
    node.size_bytes = uint64_t{4096} << attributes.Below(5);
    node.fusible = attributes.Below(4) != 0;
    node.blocks = attributes.Below(8) == 0 ? 32 : 16;
    node.cost_us = 1 + attributes.Below(16);
  }
  return graph;
}

uint64_t ScalingGraph::Digest() const {
  uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](uint64_t word) {
    for (int byte = 0; byte < 8; ++byte) {
      hash = (hash ^ ((word >> (8 * byte)) & 0xff)) * 0x100000001b3u;
    }
  };
  for (const Node& node : nodes) {
    add(node.predecessors.size());
    for (const uint32_t p : node.predecessors) add(p);
    add(node.size_bytes);
    add(node.fusible);
    add(node.blocks);
    add(node.cost_us);
  }
  return hash;
}

Graph ToGraph(const ScalingGraph& scaling, ScalingEdges edges) {
  Graph graph;
  graph.order =
      edges == ScalingEdges::kForward || edges == ScalingEdges::kReverse
          ? GraphOrder::kExplicit
          : GraphOrder::kFromAccesses;
  graph.modules.push_back({"kernels", ModuleKind::kCubin, "", {}, {}});
  std::vector<bool> has_successor(scaling.nodes.size(), false);
  for (const ScalingGraph::Node& node : scaling.nodes) {
    for (const uint32_t p : node.predecessors) has_successor[p] = true;
  }
  Buffer in;
  in.name = "in";
  in.role = BufferRole::kInput;
  in.size_bytes = 4096;
  graph.buffers.reserve(scaling.nodes.size() + 1);
  graph.buffers.push_back(std::move(in));
  graph.nodes.reserve(scaling.nodes.size());
  for (size_t i = 0; i < scaling.nodes.size(); ++i) {
    const ScalingGraph::Node& from = scaling.nodes[i];
    Buffer out;
    out.name = absl::StrCat("b", i);
    out.role = has_successor[i] ? BufferRole::kTransient : BufferRole::kOutput;
    out.size_bytes = from.size_bytes;
    graph.buffers.push_back(std::move(out));
    KernelNode kernel;
    kernel.module = ModuleId(0);
    kernel.function = absl::StrCat("k", i);
    kernel.grid[0].value = from.blocks;
    kernel.block[0].value = 256;
    kernel.accesses_declared = true;
    const auto use = [&](size_t buffer, AccessKind kind) {
      const BufferId id(buffer);
      kernel.args.push_back(BufferArgument{id});
      kernel.accesses.push_back(
          {id, {.width_bytes = graph.buffer(id).size_bytes}, kind});
    };
    for (const uint32_t p : from.predecessors) {
      use(size_t{p} + 1, AccessKind::kMayRead);
    }
    if (from.predecessors.empty()) use(0, AccessKind::kMayRead);
    use(i + 1, AccessKind::kMustWrite);
    Node node;
    node.name = absl::StrCat("k", i);
    node.body = std::move(kernel);
    node.hints.cost_ns = uint64_t{1000} * from.cost_us;
    node.hints.fusible = from.fusible;
    if (edges != ScalingEdges::kData) {
      for (const uint32_t p : from.predecessors) {
        node.after.push_back(NodeId(p));
      }
      if (edges == ScalingEdges::kReverse) {
        std::reverse(node.after.begin(), node.after.end());
      }
    }
    graph.nodes.push_back(std::move(node));
  }
  return graph;
}

}  // namespace graphd
