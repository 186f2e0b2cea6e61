#include "core/optimize/byte_set.h"

#include <algorithm>
#include <iterator>

namespace graphd {

void ByteSet::Add(const ByteRange& range) {
  uint64_t first = range.offset_bytes;
  uint64_t end = range.end_bytes();
  if (first >= end) return;
  auto it = intervals_.upper_bound(first);
  if (it != intervals_.begin() && std::prev(it)->second >= first) --it;
  while (it != intervals_.end() && it->first <= end) {
    first = std::min(first, it->first);
    end = std::max(end, it->second);
    it = intervals_.erase(it);
  }
  intervals_[first] = end;
}

void ByteSet::Subtract(const ByteRange& range) {
  const ByteRange normal = Normalized(range);
  const uint64_t first = normal.offset_bytes;
  const uint64_t end = normal.end_bytes();
  if (normal.rows != 1 || first >= end) return;
  auto it = intervals_.upper_bound(first);
  if (it != intervals_.begin() && std::prev(it)->second > first) --it;
  while (it != intervals_.end() && it->first < end) {
    const auto [left, right] = *it;
    it = intervals_.erase(it);
    if (left < first) intervals_[left] = first;
    if (right > end) {
      intervals_[end] = right;
      return;
    }
    it = intervals_.lower_bound(first);
  }
}

bool ByteSet::Meets(const ByteRange& range) const {
  auto it = intervals_.upper_bound(range.offset_bytes);
  if (it != intervals_.begin()) --it;
  for (; it != intervals_.end() && it->first < range.end_bytes(); ++it) {
    if (Overlaps(range, {it->first, it->second - it->first})) return true;
  }
  return false;
}

}  // namespace graphd
