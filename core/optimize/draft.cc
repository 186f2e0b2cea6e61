#include "core/optimize/draft.h"

#include "absl/strings/str_cat.h"

namespace graphd {
namespace {

constexpr absl::string_view kStepKinds[] = {"kernel", "memcpy", "memset",
                                            "empty"};
static_assert(std::variant_size_v<StepBody> == std::size(kStepKinds));

absl::string_view AccessName(AccessKind kind) {
  switch (kind) {
    case AccessKind::kMayRead:
      return "reads";
    case AccessKind::kMayWrite:
      return "may write";
    case AccessKind::kMustWrite:
      return "writes";
  }
  return "";
}

void AppendNode(const Draft& draft, NodeId id, std::string& text) {
  const DraftNode& node = draft.nodes[id.index()];
  const FlowGraph::FlowNode& flow = draft.flow.node(id);
  absl::StrAppend(&text, node.name, ": ", kStepKinds[node.body.index()]);
  if (!draft.issue_order.empty()) {
    absl::StrAppend(&text, " on stream ", draft.streams[id.index()].value());
  }
  for (size_t i = 0; i < flow.predecessors.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? " after " : ", ",
                    draft.nodes[flow.predecessors[i].index()].name);
  }
  if (draft.waits.has_value()) {
    for (const NodeId wait : (*draft.waits)[id.index()]) {
      absl::StrAppend(&text, "; waits for ", draft.nodes[wait.index()].name);
    }
  }
  for (const Access& access : flow.accesses) {
    absl::StrAppend(&text, "; ", AccessName(access.kind), " ",
                    draft.buffers[access.buffer.index()].plan.name, " ",
                    access.range.offset_bytes, "..", access.range.end_bytes());
  }
  absl::StrAppend(&text, "\n");
}

}  // namespace

std::string Draft::UniqueName(std::string wanted) {
  if (names_.empty()) {
    for (const Node& node : graph_.nodes) names_.insert(node.name);
  }
  while (!names_.insert(wanted).second) wanted += "_";
  return wanted;
}

std::string DraftText(const Draft& draft) {
  std::string text;
  if (!draft.issue_order.empty()) {
    for (const NodeId id : draft.issue_order) AppendNode(draft, id, text);
  } else {
    for (size_t i = 0; i < draft.nodes.size(); ++i) {
      if (!draft.flow.node(NodeId(i)).removed) {
        AppendNode(draft, NodeId(i), text);
      }
    }
  }
  for (const DraftBuffer& buffer : draft.buffers) {
    absl::StrAppend(&text, "buffer ", buffer.plan.name, ": ",
                    buffer.plan.size_bytes, " bytes");
    if (buffer.placed) {
      absl::StrAppend(&text, " at ", buffer.plan.offset_bytes);
    }
    absl::StrAppend(&text, "\n");
  }
  return text;
}

}  // namespace graphd
