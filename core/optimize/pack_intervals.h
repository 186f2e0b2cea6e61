// Puts buffers into one arena so that those that must not share bytes do not.
//
// Two ways. PackByConflict asks about each pair: greedy by size, each at the
// lowest offset where it fits; quadratic, for up to a few thousand.
// PackIntervals knows each buffer's lifetime as an interval of one order and
// sweeps through it with a best-fit free list; near-linear.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_OPTIMIZE_PACK_INTERVALS_H_
#define GRAPHD_CORE_OPTIMIZE_PACK_INTERVALS_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"

namespace graphd {

// A buffer's lifetime, both ends included, and its bytes.
struct PackItem {
  uint32_t first = 0;
  uint32_t last = 0;
  uint64_t size_bytes = 0;
};

struct Packing {
  std::vector<uint64_t> offsets;  // by item; multiples of the alignment
  uint64_t height_bytes = 0;
};

// `conflict(a, b)`: the two must not share bytes.
Packing PackByConflict(const std::vector<PackItem>& items, uint64_t alignment,
                       absl::FunctionRef<bool(size_t, size_t)> conflict);

Packing PackIntervals(const std::vector<PackItem>& items, uint64_t alignment);

// Most bytes alive at once: no packing of the intervals is lower.
uint64_t MaximumLoad(const std::vector<PackItem>& items, uint64_t alignment);

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_PACK_INTERVALS_H_
