#include "core/optimize/cost_model.h"

#include <algorithm>

namespace graphd {
namespace {

constexpr uint64_t kFloorNs = 3000;
constexpr uint64_t kStartNs = 1000;
constexpr uint64_t kMemoryBytesPerNs = 3500;
constexpr uint64_t kLinkBytesPerNs = 25;

bool OnHost(const Draft& draft, BufferId buffer) {
  return draft.buffers[buffer.index()].plan.place == BufferPlace::kHostArena;
}

}  // namespace

CopyWay WayOf(const Draft& draft, const StepBody& body) {
  const auto* copy = std::get_if<MemcpyStep>(&body);
  if (copy == nullptr) return CopyWay::kNone;
  const bool from_host = OnHost(draft, copy->src);
  const bool to_host = OnHost(draft, copy->dst);
  if (from_host == to_host) return CopyWay::kNone;
  return to_host ? CopyWay::kToHost : CopyWay::kToDevice;
}

uint64_t CostOf(const Draft& draft, const DraftNode& node,
                const FlowGraph::AccessList& accesses) {
  if (node.hints.cost_ns.has_value()) return *node.hints.cost_ns;
  if (std::holds_alternative<EmptyStep>(node.body)) return 0;
  uint64_t bytes = 0;
  for (const Access& access : accesses) {
    bytes += access.range.width_bytes * access.range.rows;
  }
  const bool by_link = WayOf(draft, node.body) != CopyWay::kNone;
  // A copy names its bytes twice, at each end.
  const uint64_t ns =
      by_link ? bytes / 2 / kLinkBytesPerNs : bytes / kMemoryBytesPerNs;
  return std::max(kFloorNs, kStartNs + ns);
}

}  // namespace graphd
