#include "core/optimize/buffer_history.h"

#include <algorithm>

namespace graphd {
namespace {

// Beyond so many accesses that share a segment, one that writes it counts as
// covering it: more order than needed, but no quadratic time.
constexpr size_t kMostTouches = 512;

}  // namespace

void BufferHistory::Clear() {
  segments_.clear();
  touches_.clear();
}

void BufferHistory::SplitAt(uint64_t at) {
  auto it = segments_.upper_bound(at);
  if (it == segments_.begin()) return;
  --it;
  if (it->first == at || it->second.end <= at) return;
  Segment right = it->second;
  it->second.end = at;
  segments_.emplace(at, std::move(right));
}

BufferHistory::Segments::iterator BufferHistory::Cut(uint64_t first,
                                                     uint64_t end) {
  // Most ranges were cut before.
  const auto same = segments_.find(first);
  if (same != segments_.end() && same->second.end == end) return same;
  SplitAt(first);
  SplitAt(end);
  uint64_t at = first;
  for (auto it = segments_.lower_bound(first); at < end;) {
    const uint64_t next =
        it == segments_.end() ? end : std::min(end, it->first);
    if (at < next) {
      Segment gap;
      gap.end = next;
      it = segments_.emplace(at, std::move(gap)).first;
    }
    at = it->second.end;
    ++it;
  }
  return segments_.find(first);
}

void BufferHistory::Add(const Touch& touch, OnConflict conflict,
                        OnUndefined undefined) {
  const ByteRange range = Normalized(touch.range);
  if (range.width_bytes == 0) return;
  const uint64_t first = range.offset_bytes;
  const uint64_t end = range.end_bytes();
  const bool whole = range.rows == 1;
  const uint32_t index = static_cast<uint32_t>(touches_.size());
  touches_.push_back({touch.node, range, touch.is_write, touch.exact});
  for (auto it = Cut(first, end); it != segments_.end() && it->first < end;
       ++it) {
    Segment& segment = it->second;
    if (!touch.is_write && !segment.defined) undefined(it->first, segment.end);
    const bool crowded =
        !whole && segment.writes.size() + segment.reads.size() >= kMostTouches;
    const bool covers = touch.is_write && (whole || crowded);
    const auto look = [&](const auto& list) {
      for (const uint32_t other : list) {
        const Touch& earlier = touches_[other];
        if (earlier.node == touch.node) continue;
        if ((covers && crowded) || Overlaps(earlier.range, range)) {
          conflict(earlier);
        }
      }
    };
    look(segment.writes);
    if (touch.is_write) look(segment.reads);
    if (!touch.is_write) {
      segment.reads.push_back(index);
    } else if (covers) {
      segment.reads.clear();
      segment.writes.clear();
      if (whole) {
        segment.writes.push_back(index);
      } else {
        // From here on this touch stands for the whole segment.
        segment.writes.push_back(static_cast<uint32_t>(touches_.size()));
        touches_.push_back({touch.node,
                            {it->first, segment.end - it->first},
                            true,
                            touch.exact});
      }
    } else {
      const auto forget_covered = [&](auto& list) {
        const auto gone = std::remove_if(
            list.begin(), list.end(),
            [&](uint32_t t) { return Contains(range, touches_[t].range); });
        list.erase(gone, list.end());
      };
      forget_covered(segment.writes);
      forget_covered(segment.reads);
      segment.writes.push_back(index);
    }
    segment.defined |= touch.is_write;
  }
  if (!touch.is_write || !whole) return;
  // One segment where there were several: each was cut once, so this costs no
  // more than cutting did.
  auto it = segments_.find(first);
  it->second.end = end;
  ++it;
  while (it != segments_.end() && it->first < end) it = segments_.erase(it);
}

}  // namespace graphd
