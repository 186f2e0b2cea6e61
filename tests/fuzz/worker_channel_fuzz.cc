// Any bytes on the channel give frames or an error, never a crash, and never
// more memory than bytes came.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/base/check.h"
#include "server/workers/channel.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  constexpr size_t kLimitBytes = 4096;
  // The first byte says in which pieces the rest arrives.
  const size_t piece_bytes = data[0] + size_t{1};
  graphd::FrameDecoder decoder(kLimitBytes);
  size_t fed = 0;
  size_t framed = 0;
  for (size_t at = 1; at < size; at += piece_bytes) {
    const size_t bytes = std::min(piece_bytes, size - at);
    decoder.Feed(
        absl::string_view(reinterpret_cast<const char*>(data) + at, bytes));
    fed += bytes;
    while (true) {
      auto frame = decoder.Next();
      if (!frame.ok()) return 0;
      if (!frame->has_value()) break;
      GRAPHD_CHECK((*frame)->payload.size() <= kLimitBytes);
      GRAPHD_CHECK((*frame)->descriptors <= 1);
      framed += (*frame)->payload.size() + 8;
    }
    GRAPHD_CHECK(framed + decoder.buffered_bytes() == fed);
  }
  return 0;
}
