#include "core/optimize/memory_layout.h"

#include <algorithm>

namespace graphd {

void PlaceTheRest(Draft& draft, const std::vector<bool>& used) {
  for (size_t i = 0; i < draft.buffers.size(); ++i) {
    DraftBuffer& buffer = draft.buffers[i];
    if (!used[i] || buffer.placed ||
        buffer.plan.place == BufferPlace::kModuleVariable) {
      continue;
    }
    uint64_t& end = buffer.plan.place == BufferPlace::kHostArena
                        ? draft.host_arena_bytes
                        : draft.device_arena_bytes;
    buffer.plan.offset_bytes = AlignUp(end, buffer.alignment);
    end = buffer.plan.offset_bytes + buffer.plan.size_bytes;
    buffer.placed = true;
  }
}

std::vector<bool> SharedBuffers(const Draft& draft,
                                const std::vector<bool>& used) {
  std::vector<uint32_t> by_offset;
  for (size_t i = 0; i < draft.buffers.size(); ++i) {
    if (used[i] && draft.buffers[i].plan.place == BufferPlace::kDeviceArena) {
      by_offset.push_back(static_cast<uint32_t>(i));
    }
  }
  std::sort(by_offset.begin(), by_offset.end(), [&](uint32_t a, uint32_t b) {
    const uint64_t x = draft.buffers[a].plan.offset_bytes;
    const uint64_t y = draft.buffers[b].plan.offset_bytes;
    return x != y ? x < y : a < b;
  });
  // The buffer that reaches furthest so far overlaps the next one if any does,
  // and the others that do were found when they, or it, came.
  std::vector<bool> shared(draft.buffers.size(), false);
  uint64_t furthest = 0;
  uint32_t holder = 0;
  for (const uint32_t i : by_offset) {
    const PlanBuffer& buffer = draft.buffers[i].plan;
    if (buffer.offset_bytes < furthest && buffer.size_bytes > 0) {
      shared[i] = shared[holder] = true;
    }
    const uint64_t end = buffer.offset_bytes + buffer.size_bytes;
    if (end > furthest) {
      furthest = end;
      holder = i;
    }
  }
  return shared;
}

}  // namespace graphd
