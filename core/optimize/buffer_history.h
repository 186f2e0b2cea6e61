// What was done to each byte of one buffer so far: finds, for each access, the
// earlier ones that it must follow.
//
// The buffer is cut into segments at the ends of the ranges seen. A segment
// remembers the last write that covers it whole and whatever came after; older
// accesses are ordered before that write already. A range of one row is exact;
// rows with gaps are compared exactly with what shares their span. Near-linear,
// as long as few accesses with gaps share a segment.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_OPTIMIZE_BUFFER_HISTORY_H_
#define GRAPHD_CORE_OPTIMIZE_BUFFER_HISTORY_H_

#include <cstdint>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "core/graph/graph.h"

namespace graphd {

// One node's access, as the history sees it.
struct Touch {
  NodeId node;
  ByteRange range;
  bool is_write = false;
  bool exact = true;  // the node surely touches these bytes and no others
};

class BufferHistory {
 public:
  // Called with an earlier touch of another node that `touch` must follow;
  // perhaps more than once, and perhaps where another call implies it.
  using OnConflict = absl::FunctionRef<void(const Touch& earlier)>;
  // Called with bytes [first, end) that are read although nothing wrote them.
  using OnUndefined = absl::FunctionRef<void(uint64_t first, uint64_t end)>;

  // A node's reads come before its writes.
  void Add(const Touch& touch, OnConflict conflict, OnUndefined undefined);
  void Clear();

 private:
  struct Segment {
    uint64_t end = 0;
    bool defined = false;  // something may have written it
    // Indexes of touches_. Apart, because reads need not look at reads.
    absl::InlinedVector<uint32_t, 1> writes;
    absl::InlinedVector<uint32_t, 2> reads;
  };
  using Segments = absl::btree_map<uint64_t, Segment>;  // by first byte

  // The first segment of [first, end), which is cut out of what is there and
  // filled up where nothing was.
  Segments::iterator Cut(uint64_t first, uint64_t end);
  void SplitAt(uint64_t at);

  Segments segments_;
  std::vector<Touch> touches_;
};

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_BUFFER_HISTORY_H_
