#include "tests/unit/optimize/random_declared_graph.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/optimize/compile_draft.h"
#include "core/optimize/draft_builder.h"
#include "core/optimize/pipeline.h"

namespace graphd {
namespace {

constexpr uint64_t kBytes = 64;

class Generator {
 public:
  explicit Generator(const DeclaredGraphOptions& options)
      : options_(options), random_(options.seed) {
    graph_.order = options.explicit_order ? GraphOrder::kExplicit
                                          : GraphOrder::kFromAccesses;
    graph_.modules.push_back({"m",
                              ModuleKind::kPtx,
                              ".version 7.0\n.target sm_75\n.address_size 64\n",
                              {},
                              {}});
    for (uint32_t i = 0; i < options.buffers + 2; ++i) AddBuffer(i);
  }

  Graph Make() {
    while (graph_.nodes.size() < options_.nodes) AddKernelOrCopy();
    for (size_t i = 0; i < graph_.buffers.size(); ++i) {
      if (!defined_[i]) AddCopy(BufferId(0), BufferId(i));
    }
    if (options_.explicit_order) OrderConflicts();
    return std::move(graph_);
  }

 private:
  uint32_t Below(uint32_t limit) {
    return static_cast<uint32_t>(random_() % limit);
  }

  // Buffer 0 is an input and buffer 1 an output.
  void AddBuffer(uint32_t i) {
    const uint32_t dice = i < 2 ? i : Below(6);
    Buffer buffer;
    buffer.name = absl::StrCat("b", i);
    buffer.role = dice == 0   ? BufferRole::kInput
                  : dice == 1 ? BufferRole::kOutput
                              : BufferRole::kTransient;
    buffer.space =
        i >= 2 && Below(6) == 0 ? MemorySpace::kHost : MemorySpace::kDevice;
    buffer.size_bytes = kBytes;
    graph_.buffers.push_back(std::move(buffer));
    defined_.push_back(dice == 0);
  }

  bool IsDevice(size_t i) const {
    return graph_.buffers[i].space == MemorySpace::kDevice;
  }

  void Push(NodeBody body) {
    Node node;
    node.name = absl::StrCat("n", graph_.nodes.size());
    node.body = std::move(body);
    if (!graph_.nodes.empty() && Below(5) == 0) {
      node.after.push_back(
          NodeId(Below(static_cast<uint32_t>(graph_.nodes.size()))));
    }
    if (Below(2) == 0) node.hints.cost_ns = 1000 * (1 + Below(16));
    graph_.nodes.push_back(std::move(node));
  }

  void AddCopy(BufferId src, BufferId dst) {
    MemcpyNode copy;
    copy.src.place = src;
    copy.dst.place = dst;
    copy.width_bytes = kBytes;
    Push(copy);
    defined_[dst.index()] = true;
  }

  ByteRange SomeRange() {
    if (options_.whole_buffers || Below(3) == 0) {
      return {.width_bytes = kBytes};
    }
    if (Below(4) == 0) return {Below(8), 4, 16, 1 + Below(3)};
    const uint64_t first = Below(kBytes);
    return {first, 1 + Below(static_cast<uint32_t>(kBytes - first))};
  }

  void AddKernelOrCopy() {
    const uint32_t dice = Below(12);
    if (dice == 0) return Push(EmptyNode{});
    if (dice <= 2) {
      const uint32_t dst = Below(static_cast<uint32_t>(graph_.buffers.size()));
      for (uint32_t src = 0; src < graph_.buffers.size(); ++src) {
        if (graph_.buffers[dst].role == BufferRole::kInput && !IsDevice(dst)) {
          return;  // only the client writes these
        }
        if (defined_[src] && src != dst && Below(2) == 0) {
          return AddCopy(BufferId(src), BufferId(dst));
        }
      }
      return;
    }
    KernelNode kernel;
    kernel.module = ModuleId(0);
    kernel.function = "k";
    kernel.accesses_declared = true;
    for (uint32_t i = 0; i < 3; ++i) {
      const uint32_t b = Below(static_cast<uint32_t>(graph_.buffers.size()));
      if (defined_[b] && IsDevice(b)) {
        kernel.accesses.push_back(
            {BufferId(b), SomeRange(), AccessKind::kMayRead});
      }
    }
    const uint32_t b = Below(static_cast<uint32_t>(graph_.buffers.size()));
    if (IsDevice(b)) {
      Access write{
          BufferId(b), SomeRange(),
          Below(2) == 0 ? AccessKind::kMayWrite : AccessKind::kMustWrite};
      if (!defined_[b]) write.range = {.width_bytes = kBytes};
      kernel.accesses.push_back(write);
      kernel.args.push_back(BufferArgument{BufferId(b)});
    }
    Push(kernel);
    // Only from the next node on: no kernel reads what it alone defines.
    if (IsDevice(b)) defined_[b] = true;
  }

  void OrderConflicts() {
    for (size_t later = 0; later < graph_.nodes.size(); ++later) {
      std::vector<NodeId>& after = graph_.nodes[later].after;
      const auto accesses = AccessesOfNode(graph_, graph_.nodes[later]);
      for (size_t earlier = 0; earlier < later; ++earlier) {
        if (Conflict(AccessesOfNode(graph_, graph_.nodes[earlier]), accesses)) {
          after.push_back(NodeId(earlier));
        }
      }
      std::sort(after.begin(), after.end());
      after.erase(std::unique(after.begin(), after.end()), after.end());
    }
  }

  const DeclaredGraphOptions options_;
  std::mt19937_64 random_;
  Graph graph_;
  std::vector<bool> defined_;  // every byte, by buffer
};

}  // namespace

Graph RandomDeclaredGraph(const DeclaredGraphOptions& options) {
  return Generator(options).Make();
}

std::vector<Access> AccessesOfNode(const Graph&, const Node& node) {
  if (const auto* kernel = std::get_if<KernelNode>(&node.body)) {
    return kernel->accesses;
  }
  if (const auto* copy = std::get_if<MemcpyNode>(&node.body)) {
    return {{std::get<BufferId>(copy->src.place), CopiedRange(*copy, copy->src),
             AccessKind::kMayRead},
            {std::get<BufferId>(copy->dst.place), CopiedRange(*copy, copy->dst),
             AccessKind::kMustWrite}};
  }
  return {};
}

bool Conflict(const std::vector<Access>& a, const std::vector<Access>& b) {
  for (const Access& x : a) {
    for (const Access& y : b) {
      if (x.buffer == y.buffer && (IsWrite(x.kind) || IsWrite(y.kind)) &&
          Overlaps(x.range, y.range)) {
        return true;
      }
    }
  }
  return false;
}

absl::Status MakeDeclaredDraft(Draft& draft) {
  Violations violations;
  BuildDeclaredDraft(
      draft, [](NodeId) { return nullptr; }, violations);
  return violations.ToStatus("graph");
}

absl::StatusOr<CompileResult> CompileDeclared(const Graph& graph,
                                              std::vector<std::string> skip,
                                              uint32_t streams) {
  CompileOptions options;
  options.streams = streams;
  options.skip_passes = std::move(skip);
  return CompileDraft(graph, DeviceDescription(), options, StoppedClock(),
                      Passes(), &MakeDeclaredDraft);
}

CompileClock StoppedClock() {
  return {[] { return absl::UnixEpoch(); }, absl::InfiniteFuture()};
}

}  // namespace graphd
