#include "core/optimize/insert_copies.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/optimize/cost_model.h"

namespace graphd {
namespace {

class CopyInserter {
 public:
  CopyInserter(Draft& draft, const Liveness& liveness)
      : draft_(draft), liveness_(liveness) {}

  InsertedCopies Insert() {
    const size_t graph_buffers = draft_.graph().buffers.size();
    for (size_t i = 0; i < graph_buffers; ++i) {
      const BufferId id(i);
      const DraftBuffer& buffer = draft_.buffers[i];
      if (buffer.role == BufferRole::kInput) {
        const std::string name = buffer.plan.name;
        draft_.inputs.push_back({name, OnHost(id) ? id : Upload(id)});
      } else if (buffer.role == BufferRole::kOutput) {
        const std::string name = buffer.plan.name;
        draft_.outputs.push_back({name, OnHost(id) ? id : Download(id)});
      }
    }
    draft_.copies_inserted = true;
    return std::move(copies_);
  }

 private:
  bool OnHost(BufferId id) const {
    return draft_.buffers[id.index()].plan.place == BufferPlace::kHostArena;
  }

  bool IsWritten(BufferId id) const {
    for (const BufferUse& use : liveness_.uses(id)) {
      if (use.writes) return true;
    }
    return false;
  }

  BufferId AddStaging(BufferId id) {
    DraftBuffer staging;
    staging.plan.name =
        absl::StrCat(draft_.buffers[id.index()].plan.name, " (host)");
    staging.plan.place = BufferPlace::kHostArena;
    staging.plan.size_bytes = draft_.buffers[id.index()].plan.size_bytes;
    staging.graph_buffer = id;
    staging.shares_bytes = false;
    return draft_.AddBuffer(std::move(staging));
  }

  NodeId AddCopy(absl::string_view verb, BufferId id, BufferId src,
                 BufferId dst, RunPhase phase) {
    const uint64_t size_bytes = draft_.buffers[id.index()].plan.size_bytes;
    MemcpyStep copy;
    copy.src = src;
    copy.dst = dst;
    copy.width_bytes = size_bytes;
    DraftNode node;
    node.name = draft_.UniqueName(
        absl::StrCat(verb, " ", draft_.buffers[id.index()].plan.name));
    node.body = copy;
    node.phase = phase;
    FlowGraph::FlowNode flow;
    const ByteRange all{.width_bytes = size_bytes};
    flow.accesses = {{src, all, AccessKind::kMayRead},
                     {dst, all, AccessKind::kMustWrite}};
    flow.cost_ns = CostOf(draft_, node, flow.accesses);
    return draft_.AddNode(std::move(node), std::move(flow));
  }

  // Every byte of the buffer, in one range: whatever comes later comes after
  // it.
  bool CoversAll(const BufferUse& use, BufferId id) const {
    for (const Access& access : draft_.flow.node(use.node).accesses) {
      if (access.buffer == id && IsWrite(access.kind) &&
          access.range.rows == 1 &&
          access.range.width_bytes ==
              draft_.buffers[id.index()].plan.size_bytes) {
        return true;
      }
    }
    return false;
  }

  BufferId Upload(BufferId id) {
    const BufferId staging = AddStaging(id);
    const absl::Span<const BufferUse> uses = liveness_.uses(id);
    if (uses.empty()) return staging;
    const NodeId copy =
        AddCopy("upload", id, staging, id,
                IsWritten(id) ? RunPhase::kEvery : RunPhase::kFirst);
    copies_.uploads.push_back(copy);
    for (const BufferUse& use : uses) {
      draft_.flow.AddEdge(copy, use.node);
      if (CoversAll(use, id)) break;
    }
    return staging;
  }

  BufferId Download(BufferId id) {
    const BufferId staging = AddStaging(id);
    const NodeId copy = AddCopy("download", id, id, staging, RunPhase::kLast);
    copies_.downloads.push_back(copy);
    FlowGraph::NodeList before;
    const absl::Span<const BufferUse> uses = liveness_.uses(id);
    for (size_t i = uses.size(); i-- > 0;) {
      if (!uses[i].writes) continue;
      before.push_back(uses[i].node);
      if (CoversAll(uses[i], id)) break;
    }
    draft_.flow.Edit(copy).predecessors = std::move(before);
    return staging;
  }

  Draft& draft_;
  const Liveness& liveness_;
  InsertedCopies copies_;
};

}  // namespace

InsertedCopies InsertCopies(Draft& draft, const Liveness& liveness) {
  return CopyInserter(draft, liveness).Insert();
}

}  // namespace graphd
