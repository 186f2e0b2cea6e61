#include "core/graph/graph.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace graphd {
namespace {

using Wide = unsigned __int128;
using SignedWide = __int128;

// Sum over j in [0, count) of floor((start + j * step) / divisor), modulo
// 2^128. Euclid's algorithm on (step, divisor), hence logarithmic.
Wide FloorSum(Wide count, Wide divisor, Wide step, Wide start) {
  Wide sum = 0;
  while (true) {
    if (step >= divisor) {
      sum +=
          (count % 2 == 0 ? count / 2 * (count - 1) : (count - 1) / 2 * count) *
          (step / divisor);
      step %= divisor;
    }
    if (start >= divisor) {
      sum += count * (start / divisor);
      start %= divisor;
    }
    const Wide last = step * count + start;
    if (last < divisor) return sum;
    count = last / divisor;
    start = last % divisor;
    const Wide old_divisor = divisor;
    divisor = step;
    step = old_divisor;
  }
}

bool IsEmpty(const ByteRange& range) {
  return range.width_bytes == 0 || range.rows == 0;
}

SignedWide FloorDivide(SignedWide value, SignedWide divisor) {
  const SignedWide quotient = value / divisor;
  return quotient - (value % divisor < 0 ? 1 : 0);
}

SignedWide CeilDivide(SignedWide value, SignedWide divisor) {
  return -FloorDivide(-value, divisor);
}

// Whether one row [first, end) meets a row of `range`.
bool RowOverlaps(SignedWide first, SignedWide end, const ByteRange& range) {
  const SignedWide offset = range.offset_bytes;
  const SignedWide pitch = range.pitch_bytes;
  const SignedWide width = range.width_bytes;
  // Row j: offset + j * pitch < end, and offset + j * pitch + width > first.
  const SignedWide last = CeilDivide(end - offset, pitch) - 1;
  const SignedWide least = FloorDivide(first - offset - width, pitch) + 1;
  return std::max<SignedWide>(least, 0) <=
         std::min<SignedWide>(last, static_cast<SignedWide>(range.rows) - 1);
}

// Both have several rows with gaps between them. Rows i of `a` and j of `b`
// meet iff low <= i * a.pitch - j * b.pitch <= high.
bool StridedOverlap(const ByteRange& a, const ByteRange& b) {
  const SignedWide low = static_cast<SignedWide>(b.offset_bytes) -
                         a.offset_bytes - a.width_bytes + 1;
  const SignedWide high = static_cast<SignedWide>(b.offset_bytes) -
                          a.offset_bytes + b.width_bytes - 1;
  // The first and the last row of `a` are intervals; between them every row j
  // that meets the stride at all meets an existing row i, so only the count of
  // solutions matters.
  const SignedWide a_first = a.offset_bytes;
  const SignedWide a_last =
      a_first + static_cast<SignedWide>(a.rows - 1) * a.pitch_bytes;
  if (RowOverlaps(a_first, a_first + a.width_bytes, b)) return true;
  if (RowOverlaps(a_last, a_last + a.width_bytes, b)) return true;
  // Rows j with low + j * pitch > 0 and high + j * pitch < (rows - 1) * pitch.
  const SignedWide pitch = b.pitch_bytes;
  const SignedWide from = std::max<SignedWide>(FloorDivide(-low, pitch) + 1, 0);
  const SignedWide to =
      std::min<SignedWide>(CeilDivide(a_last - a_first - high, pitch),
                           static_cast<SignedWide>(b.rows));
  if (from >= to) return false;
  const Wide count = static_cast<Wide>(to - from);
  const Wide high_start = static_cast<Wide>(high + from * pitch);
  const Wide low_start = static_cast<Wide>(low - 1 + from * pitch);
  return FloorSum(count, a.pitch_bytes, b.pitch_bytes, high_start) !=
         FloorSum(count, a.pitch_bytes, b.pitch_bytes, low_start);
}

}  // namespace

bool EndFits(const ByteRange& range) {
  if (IsEmpty(range)) return true;
  const Wide end = static_cast<Wide>(range.offset_bytes) + range.width_bytes +
                   static_cast<Wide>(range.rows - 1) *
                       range.pitch_bytes;  // at most 2^128 - 1
  return end <= std::numeric_limits<uint64_t>::max();
}

ByteRange Normalized(const ByteRange& range) {
  ByteRange result = range;
  if (IsEmpty(range)) {
    result.width_bytes = 0;
    result.rows = 1;
    result.pitch_bytes = 0;
  } else if (range.rows == 1 || range.pitch_bytes <= range.width_bytes) {
    result.width_bytes = range.end_bytes() - range.offset_bytes;
    result.rows = 1;
    result.pitch_bytes = 0;
  }
  return result;
}

bool Overlaps(const ByteRange& a, const ByteRange& b) {
  if (IsEmpty(a) || IsEmpty(b)) return false;
  const ByteRange first = Normalized(a);
  const ByteRange second = Normalized(b);
  if (first.end_bytes() <= second.offset_bytes ||
      second.end_bytes() <= first.offset_bytes) {
    return false;
  }
  if (first.rows == 1 && second.rows == 1) return true;
  if (first.rows == 1) {
    return RowOverlaps(first.offset_bytes, first.end_bytes(), second);
  }
  if (second.rows == 1) {
    return RowOverlaps(second.offset_bytes, second.end_bytes(), first);
  }
  return StridedOverlap(first, second);
}

bool Contains(const ByteRange& outer, const ByteRange& inner) {
  if (IsEmpty(inner)) return true;
  if (IsEmpty(outer)) return false;
  const ByteRange big = Normalized(outer);
  const ByteRange small = Normalized(inner);
  if (small.offset_bytes < big.offset_bytes ||
      small.end_bytes() > big.end_bytes()) {
    return false;
  }
  if (big.rows == 1) return true;
  // Gaps lie between big's rows, so each row of `small` must be inside one row:
  // its phase in big's pitch is at most `slack`. Count the rows for which it
  // is.
  if (small.width_bytes > big.width_bytes) return false;
  const Wide slack = big.width_bytes - small.width_bytes;
  const Wide pitch = big.pitch_bytes;
  const Wide start = small.offset_bytes - big.offset_bytes;
  const Wide inside =
      FloorSum(small.rows, pitch, small.pitch_bytes, start + pitch) -
      FloorSum(small.rows, pitch, small.pitch_bytes, start + pitch - slack - 1);
  return inside == small.rows;
}

absl::string_view KindName(const NodeBody& body) {
  static constexpr absl::string_view kNames[] = {"kernel", "memcpy", "memset",
                                                 "empty"};
  static_assert(std::variant_size_v<NodeBody> == std::size(kNames));
  return kNames[body.index()];
}

std::optional<uint64_t> ShapeBytes(ScalarType element,
                                   const std::vector<uint64_t>& shape) {
  uint64_t bytes = SizeBytes(element);
  for (const uint64_t extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  }
  return bytes;
}

ByteRange FilledRange(const MemsetNode& node) {
  return {.offset_bytes = node.offset_bytes,
          .width_bytes = node.width * node.pattern_bytes,
          .pitch_bytes = node.height > 1 ? node.pitch_bytes : 0,
          .rows = node.height};
}

ByteRange CopiedRange(const MemcpyNode& node, const CopyEnd& end) {
  return {.offset_bytes = end.offset_bytes,
          .width_bytes = node.width_bytes,
          .pitch_bytes = node.height > 1 ? end.pitch_bytes : 0,
          .rows = node.height};
}

}  // namespace graphd
