#include "core/optimize/list_schedule.h"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <utility>

namespace graphd {
namespace {

class Scheduler {
 public:
  Scheduler(const FlowGraph& flow, const TopologicalOrder& order,
            const std::vector<CopyWay>& ways, uint32_t streams,
            bool copy_streams)
      : flow_(flow),
        order_(order),
        ways_(ways),
        kernel_streams_(streams),
        free_(streams + (copy_streams ? 2 : 0), true),
        missing_(flow.size(), 0),
        ends_(flow.size(), 0) {
    lane_ = {0, copy_streams ? streams : 0, copy_streams ? streams + 1 : 0};
    schedule_.stream_count = static_cast<uint32_t>(free_.size());
    schedule_.streams.assign(flow.size(), StreamId(0));
    schedule_.issue_order.reserve(order.order().size());
  }

  Schedule Run() {
    for (const NodeId node : order_.order()) {
      missing_[node.index()] =
          static_cast<uint32_t>(flow_.node(node).predecessors.size());
      if (missing_[node.index()] == 0) MakeReady(node);
    }
    Issue();
    while (!running_.empty()) {
      now_ = running_.top().end_ns;
      while (!running_.empty() && running_.top().end_ns == now_) {
        const NodeId ended = running_.top().node;
        running_.pop();
        free_[schedule_.streams[ended.index()].index()] = true;
        for (const NodeId after : order_.successors(ended)) {
          if (--missing_[after.index()] == 0) MakeReady(after);
        }
      }
      Issue();
    }
    schedule_.makespan_ns = now_;
    return std::move(schedule_);
  }

 private:
  struct Ready {
    uint64_t b_level_ns;
    uint32_t position;
    NodeId node;
    bool operator<(const Ready& other) const {
      return b_level_ns != other.b_level_ns ? b_level_ns < other.b_level_ns
                                            : position > other.position;
    }
  };
  struct Running {
    uint64_t end_ns;
    uint32_t issued;  // nodes that end together end in order of issue
    NodeId node;
    bool operator>(const Running& other) const {
      return end_ns != other.end_ns ? end_ns > other.end_ns
                                    : issued > other.issued;
    }
  };

  void MakeReady(NodeId node) {
    ready_[static_cast<size_t>(ways_[node.index()])].push(
        {order_.b_level_ns(node), order_.position(node), node});
  }

  void Issue() {
    for (const CopyWay way : {CopyWay::kToDevice, CopyWay::kToHost}) {
      auto& copies = ready_[static_cast<size_t>(way)];
      const uint32_t lane = lane_[static_cast<size_t>(way)];
      if (copies.empty() || !free_[lane]) continue;
      Start(copies.top().node, lane);
      copies.pop();
    }
    auto& kernels = ready_[static_cast<size_t>(CopyWay::kNone)];
    while (!kernels.empty()) {
      const NodeId node = kernels.top().node;
      const uint32_t stream = ChooseStream(node);
      if (stream == kernel_streams_) return;
      kernels.pop();
      Start(node, stream);
    }
  }

  // kernel_streams_: none is free.
  uint32_t ChooseStream(NodeId node) const {
    uint32_t chosen = kernel_streams_;
    uint64_t latest = 0;
    for (const NodeId before : flow_.node(node).predecessors) {
      const uint32_t stream = schedule_.streams[before.index()].value();
      if (stream >= kernel_streams_ || !free_[stream]) continue;
      if (chosen == kernel_streams_ || ends_[before.index()] > latest) {
        chosen = stream;
        latest = ends_[before.index()];
      }
    }
    if (chosen != kernel_streams_) return chosen;
    for (uint32_t i = 0; i < kernel_streams_; ++i) {
      if (free_[i]) return i;
    }
    return kernel_streams_;
  }

  void Start(NodeId node, uint32_t stream) {
    free_[stream] = false;
    schedule_.streams[node.index()] = StreamId(stream);
    ends_[node.index()] = now_ + flow_.node(node).cost_ns;
    if (ways_[node.index()] == CopyWay::kNone) {
      schedule_.kernels_end_ns =
          std::max(schedule_.kernels_end_ns, ends_[node.index()]);
    }
    running_.push({ends_[node.index()],
                   static_cast<uint32_t>(schedule_.issue_order.size()), node});
    schedule_.issue_order.push_back(node);
  }

  const FlowGraph& flow_;
  const TopologicalOrder& order_;
  const std::vector<CopyWay>& ways_;
  const uint32_t kernel_streams_;
  std::array<uint32_t, 3> lane_{};  // of copies, by way
  std::vector<bool> free_;          // by stream
  std::vector<uint32_t> missing_;   // predecessors that have not ended
  std::vector<uint64_t> ends_;
  uint64_t now_ = 0;
  std::array<std::priority_queue<Ready>, 3> ready_;  // by way
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running_;
  Schedule schedule_;
};

}  // namespace

Schedule ListSchedule(const FlowGraph& flow, const TopologicalOrder& order,
                      const std::vector<CopyWay>& ways, uint32_t streams,
                      bool copy_streams) {
  return Scheduler(flow, order, ways, streams, copy_streams).Run();
}

Schedule OneStream(const Draft& draft, const TopologicalOrder& order) {
  Schedule schedule;
  schedule.issue_order = order.order();
  schedule.streams.assign(draft.flow.size(), StreamId(0));
  schedule.stream_count = 1;
  for (const NodeId node : order.order()) {
    schedule.makespan_ns += draft.flow.node(node).cost_ns;
  }
  return schedule;
}

}  // namespace graphd
