// A set of bytes of one buffer, as disjoint intervals.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_OPTIMIZE_BYTE_SET_H_
#define GRAPHD_CORE_OPTIMIZE_BYTE_SET_H_

#include <cstdint>

#include "absl/container/btree_map.h"
#include "core/graph/graph.h"

namespace graphd {

class ByteSet {
 public:
  // Rows with gaps count with their gaps.
  void Add(const ByteRange& range);
  // Rows with gaps take nothing away: what is left may be more than is true.
  void Subtract(const ByteRange& range);
  bool Meets(const ByteRange& range) const;

 private:
  absl::btree_map<uint64_t, uint64_t> intervals_;  // first byte, end
};

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_BYTE_SET_H_
