// Where buffers lie in the two arenas: what plan-memory and seal share.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_OPTIMIZE_MEMORY_LAYOUT_H_
#define GRAPHD_CORE_OPTIMIZE_MEMORY_LAYOUT_H_

#include <cstdint>
#include <vector>

#include "core/optimize/draft.h"

namespace graphd {

inline uint64_t AlignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// Gives each used buffer of an arena that has no place yet bytes of its own,
// behind what is placed.
void PlaceTheRest(Draft& draft, const std::vector<bool>& used);

// By buffer: whether another used buffer lies on some of its bytes.
std::vector<bool> SharedBuffers(const Draft& draft,
                                const std::vector<bool>& used);

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_MEMORY_LAYOUT_H_
