#include "core/optimize/plan_memory.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/analysis/happens_before.h"
#include "core/optimize/list_schedule.h"
#include "core/optimize/memory_layout.h"
#include "core/optimize/pack_intervals.h"

namespace graphd {
namespace {

// Up to so many buffers each pair is asked about.
constexpr size_t kMostComparedPairwise = 1024;
constexpr uint64_t kAlignment = 256;
constexpr uint32_t kNever = std::numeric_limits<uint32_t>::max();

class MemoryPlanner {
 public:
  explicit MemoryPlanner(Draft& draft)
      : draft_(draft), k_(draft.stream_count) {}

  void Plan() {
    FindClocks();
    Collect();
    Packing packing = PackIntervals(items_, kAlignment);
    if (items_.size() <= kMostComparedPairwise) {
      Packing exact = PackByConflict(
          items_, kAlignment,
          [&](size_t a, size_t b) { return !MayLend(a, b) && !MayLend(b, a); });
      if (exact.height_bytes < packing.height_bytes) packing = std::move(exact);
    }
    for (size_t i = 0; i < members_.size(); ++i) {
      DraftBuffer& buffer = draft_.buffers[members_[i].index()];
      buffer.plan.offset_bytes = packing.offsets[i];
      buffer.placed = true;
    }
    draft_.device_arena_bytes = packing.height_bytes;
    PlaceTheRest(draft_, used_);
    draft_.memory_planned = true;
    draft_.explanation.device_arena_bound_bytes =
        MaximumLoad(linear_, kAlignment) + UnsharedBytes();
  }

 private:
  // By buffer and stream: how many of the stream's nodes must have ended for
  // all accesses of the buffer to have ended; how many have surely ended when
  // any of its accesses begins.
  void FindClocks() {
    const size_t buffers = draft_.buffers.size();
    used_.assign(buffers, false);
    ended_.assign(buffers * k_, 0);
    begun_.assign(buffers * k_, kNever);
    first_.assign(buffers, kNever);
    last_.assign(buffers, 0);
    stream_nodes_.resize(k_);
    HappensBefore clocks(draft_.flow.size(), k_, draft_.streams);
    for (uint32_t i = 0; i < draft_.issue_order.size(); ++i) {
      const NodeId node = draft_.issue_order[i];
      const StreamId stream = draft_.streams[node.index()];
      clocks.Place(node);
      for (const NodeId before : draft_.flow.node(node).predecessors) {
        if (!clocks.Before(before, node)) clocks.Wait(node, before);
      }
      stream_nodes_[stream.index()].push_back(i);
      for (const Access& access : draft_.flow.node(node).accesses) {
        const size_t b = access.buffer.index();
        used_[b] = true;
        uint32_t& ended = ended_[b * k_ + stream.index()];
        ended = std::max(ended, clocks.position(node) + 1);
        for (uint32_t s = 0; s < k_; ++s) {
          uint32_t& begun = begun_[b * k_ + s];
          begun = std::min(begun, clocks.EndedBefore(node, StreamId(s)));
        }
        first_[b] = std::min(first_[b], i);
        last_[b] = i;
      }
    }
  }

  bool MayShare(size_t i) const {
    const DraftBuffer& buffer = draft_.buffers[i];
    if (!used_[i] || !buffer.shares_bytes ||
        buffer.plan.place != BufferPlace::kDeviceArena) {
      return false;
    }
    // Without their copies in the draft, inputs and outputs are alive from end
    // to end.
    const bool bound =
        buffer.role == BufferRole::kInput || buffer.role == BufferRole::kOutput;
    return draft_.copies_inserted ? !uploaded_once_[i] : !bound;
  }

  void Collect() {
    uploaded_once_.assign(draft_.buffers.size(), false);
    for (const NodeId node : draft_.issue_order) {
      const DraftNode& body = draft_.nodes[node.index()];
      if (body.phase != RunPhase::kFirst) continue;
      uploaded_once_[std::get<MemcpyStep>(body.body).dst.index()] = true;
    }
    for (size_t i = 0; i < draft_.buffers.size(); ++i) {
      if (!MayShare(i)) continue;
      members_.push_back(BufferId(i));
      const uint64_t size = draft_.buffers[i].plan.size_bytes;
      linear_.push_back({first_[i], last_[i], size});
      items_.push_back({SafeStart(i), last_[i], size});
    }
  }

  // Whatever was issued before this has ended when the buffer's first access
  // begins: in one order it makes an interval that clocks allow.
  uint32_t SafeStart(size_t buffer) const {
    uint32_t start = first_[buffer];
    for (uint32_t s = 0; s < k_; ++s) {
      const uint32_t begun = begun_[buffer * k_ + s];
      if (begun < stream_nodes_[s].size()) {
        start = std::min(start, stream_nodes_[s][begun]);
      }
    }
    return start;
  }

  // Every access of member `a` happens before every access of member `b`.
  bool MayLend(size_t a, size_t b) const {
    const uint32_t* ended = &ended_[members_[a].index() * k_];
    const uint32_t* begun = &begun_[members_[b].index() * k_];
    for (uint32_t s = 0; s < k_; ++s) {
      if (ended[s] > begun[s]) return false;
    }
    return true;
  }

  uint64_t UnsharedBytes() const {
    uint64_t bytes = 0;
    for (size_t i = 0; i < draft_.buffers.size(); ++i) {
      if (used_[i] && !MayShare(i) &&
          draft_.buffers[i].plan.place == BufferPlace::kDeviceArena) {
        bytes += AlignUp(draft_.buffers[i].plan.size_bytes, kAlignment);
      }
    }
    return bytes;
  }

  Draft& draft_;
  const uint32_t k_;
  std::vector<bool> used_;
  std::vector<uint32_t> ended_;
  std::vector<uint32_t> begun_;
  std::vector<uint32_t> first_;  // places in the order of issue, by buffer
  std::vector<uint32_t> last_;
  std::vector<std::vector<uint32_t>> stream_nodes_;  // places, by stream
  std::vector<bool> uploaded_once_;
  std::vector<BufferId> members_;  // buffers that may share bytes
  std::vector<PackItem> items_;    // theirs
  std::vector<PackItem> linear_;   // theirs in the order of issue alone
};

}  // namespace

absl::Status PlanMemory(Draft& draft, AnalysisCache& facts) {
  if (draft.issue_order.empty()) {
    // Streams were not assigned: what is planned for must be what is sealed.
    Schedule schedule = OneStream(draft, facts.topological_order());
    draft.issue_order = std::move(schedule.issue_order);
    draft.streams = std::move(schedule.streams);
    draft.stream_count = 1;
  }
  MemoryPlanner(draft).Plan();
  return absl::OkStatus();
}

}  // namespace graphd
