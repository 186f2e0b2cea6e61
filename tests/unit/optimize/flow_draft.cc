#include "tests/unit/optimize/flow_draft.h"

#include <gtest/gtest.h>

#include <utility>

#include "core/base/check.h"
#include "tests/unit/optimize/random_declared_graph.h"

namespace graphd {

BufferId FlowDraft::Buffer(const std::string& name, BufferRole role,
                           uint64_t bytes, MemorySpace space) {
  graphd::Buffer buffer;
  buffer.name = name;
  buffer.role = role;
  buffer.space = space;
  buffer.size_bytes = bytes;
  graph_.buffers.push_back(std::move(buffer));
  return ids_[name] = BufferId(graph_.buffers.size() - 1);
}

BufferId FlowDraft::Id(const std::string& name) const {
  const auto it = ids_.find(name);
  GRAPHD_CHECK(it != ids_.end());
  return it->second;
}

NodeId FlowDraft::Kernel(const std::string& name,
                         const std::vector<std::string>& reads,
                         const std::vector<std::string>& writes,
                         uint64_t cost_ns, AccessKind write_kind) {
  KernelNode kernel;
  kernel.module = ModuleId(0);
  kernel.function = "k";
  kernel.accesses_declared = true;
  const auto add = [&](const std::string& buffer, AccessKind kind) {
    const BufferId id = Id(buffer);
    kernel.args.push_back(BufferArgument{id});
    kernel.accesses.push_back(
        {id, {.width_bytes = graph_.buffer(id).size_bytes}, kind});
  };
  for (const std::string& read : reads) add(read, AccessKind::kMayRead);
  for (const std::string& write : writes) add(write, write_kind);
  graphd::Node node;
  node.name = name;
  node.body = std::move(kernel);
  node.hints.cost_ns = cost_ns;
  return Node(std::move(node));
}

NodeId FlowDraft::Node(graphd::Node node) {
  graph_.nodes.push_back(std::move(node));
  return NodeId(graph_.nodes.size() - 1);
}

Draft& FlowDraft::Build(uint32_t streams) {
  graph_.modules.push_back({"m", ModuleKind::kCubin, "", {}, {}});
  CompileOptions options;
  options.streams = streams;
  draft_ = std::make_unique<Draft>(graph_, DeviceDescription(), options);
  const absl::Status made = MakeDeclaredDraft(*draft_);
  EXPECT_TRUE(made.ok()) << made;
  facts_ = std::make_unique<AnalysisCache>(draft_->flow);
  return *draft_;
}

NodeId FlowDraft::Find(const std::string& name) const {
  for (size_t i = 0; i < draft_->nodes.size(); ++i) {
    if (draft_->nodes[i].name == name) return NodeId(i);
  }
  ADD_FAILURE() << "no node " << name;
  return NodeId(0);
}

uint64_t FlowDraft::OffsetOf(const std::string& name) const {
  const DraftBuffer& buffer = draft_->buffers[Id(name).index()];
  EXPECT_TRUE(buffer.placed) << name;
  return buffer.plan.offset_bytes;
}

}  // namespace graphd
