// Vector clocks: what is certain to be over when a node begins, under a given
// schedule.
//
// VC[v][s] is the position in stream s of the last node that happens before or
// at v, plus 1. u happens before v iff VC[v][stream(u)] > position of u in its
// stream. O((n + m) k) time, n k words of memory. Source: Fidge 1988 and
// Mattern 1989, with streams in the place of processes.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_ANALYSIS_HAPPENS_BEFORE_H_
#define GRAPHD_CORE_ANALYSIS_HAPPENS_BEFORE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/base/ids.h"

namespace graphd {

class HappensBefore {
 public:
  // `nodes`: how many ids there are; `streams`: by node index.
  HappensBefore(size_t nodes, uint32_t stream_count,
                absl::Span<const StreamId> streams);

  // Appends `id` to its stream, after the stream's previous node.
  // Requires: each node once; waits only for what was placed.
  void Place(NodeId id);
  // `id` begins after `before` has ended. Requires: both placed, nothing placed
  // on `id`'s stream since.
  void Wait(NodeId id, NodeId before);

  // Whether `a` has ended when `b` begins; false for a == b. Requires: both
  // placed.
  bool Before(NodeId a, NodeId b) const {
    return a != b && clock_[b.index() * k_ + streams_[a.index()].index()] >
                         position_[a.index()];
  }

  // Place of a node in its stream, from 0.
  uint32_t position(NodeId id) const { return position_[id.index()]; }
  // How many nodes of `stream` have ended when `id` begins.
  uint32_t EndedBefore(NodeId id, StreamId stream) const {
    return clock_[id.index() * k_ + stream.index()] -
           (streams_[id.index()] == stream);
  }

 private:
  size_t k_;
  absl::Span<const StreamId> streams_;
  std::vector<uint32_t> clock_;     // k_ words a node
  std::vector<uint32_t> position_;  // in its stream, from 0
  std::vector<NodeId> last_;        // by stream
};

}  // namespace graphd

#endif  // GRAPHD_CORE_ANALYSIS_HAPPENS_BEFORE_H_
