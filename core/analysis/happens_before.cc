#include "core/analysis/happens_before.h"

#include <algorithm>

namespace graphd {

HappensBefore::HappensBefore(size_t nodes, uint32_t stream_count,
                             absl::Span<const StreamId> streams)
    : k_(stream_count),
      streams_(streams),
      clock_(nodes * stream_count, 0),
      position_(nodes, 0),
      last_(stream_count) {}

void HappensBefore::Place(NodeId id) {
  const size_t stream = streams_[id.index()].index();
  if (last_[stream].valid()) {
    position_[id.index()] = position_[last_[stream].index()] + 1;
    Wait(id, last_[stream]);
  }
  uint32_t& own = clock_[id.index() * k_ + stream];
  own = std::max(own, position_[id.index()] + 1);
  last_[stream] = id;
}

void HappensBefore::Wait(NodeId id, NodeId before) {
  uint32_t* mine = &clock_[id.index() * k_];
  const uint32_t* theirs = &clock_[before.index() * k_];
  for (size_t s = 0; s < k_; ++s) mine[s] = std::max(mine[s], theirs[s]);
}

}  // namespace graphd
