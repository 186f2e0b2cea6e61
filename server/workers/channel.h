// Channel carries whole messages, and descriptors, between the daemon and a
// process of its own.
//
// A frame is a header (payload size and number of descriptors, two 32-bit
// little-endian numbers) and the payload, over a Unix stream socket. Sizes are
// bounded and memory grows with the bytes that arrived, not with what a header
// claims. The error tells whether the peer took the last message: a peer that
// went without reading it shows as UNAVAILABLE, one that went after reading it
// as ABORTED.
//
// Thread safety: thread-compatible; one sender and one receiver thread may work
// at the same time.
#ifndef GRAPHD_SERVER_WORKERS_CHANNEL_H_
#define GRAPHD_SERVER_WORKERS_CHANNEL_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/base/descriptor.h"

namespace graphd {

inline constexpr size_t kMaxFrameBytes = size_t{256} << 20;

// Cuts a stream of bytes into payloads.
class FrameDecoder {
 public:
  explicit FrameDecoder(size_t max_payload_bytes = kMaxFrameBytes)
      : max_payload_bytes_(max_payload_bytes) {}

  struct Frame {
    std::string payload;
    uint32_t descriptors = 0;  // 0 or 1
  };

  void Feed(absl::string_view bytes);
  // The next whole frame; nullopt when more bytes are needed.
  // Errors: RESOURCE_EXHAUSTED (payload above the limit), INVALID_ARGUMENT (no
  // header of ours); the decoder is of no use after either.
  absl::StatusOr<std::optional<Frame>> Next();

  size_t buffered_bytes() const { return buffer_.size() - begin_; }

 private:
  size_t max_payload_bytes_;
  std::string buffer_;
  size_t begin_ = 0;  // what lies before it was taken
};

class Channel {
 public:
  struct Message {
    std::string payload;
    Descriptor descriptor;  // valid when one came along
  };

  // Both ends of a new socket pair, closed on exec.
  static absl::StatusOr<std::pair<Channel, Channel>> Pair();
  explicit Channel(Descriptor socket,
                   size_t max_payload_bytes = kMaxFrameBytes);
  Channel(Channel&&) = default;
  Channel& operator=(Channel&&) = default;

  // Sends `payload`, and a duplicate of `descriptor` when it is not -1.
  // Errors: RESOURCE_EXHAUSTED (above the limit), UNAVAILABLE (the peer is
  // gone), DEADLINE_EXCEEDED.
  absl::Status Send(absl::string_view payload, int descriptor = -1,
                    absl::Time deadline = absl::InfiniteFuture());
  // Waits for a message; looks again and again for `spin` before it sleeps.
  // Errors: UNAVAILABLE (the peer went without reading what was sent), ABORTED
  // (the peer went), DEADLINE_EXCEEDED, and those of FrameDecoder.
  absl::StatusOr<Message> Receive(absl::Time deadline = absl::InfiniteFuture(),
                                  absl::Duration spin = absl::ZeroDuration());
  // Makes the peer, and a Receive of ours, see the end.
  void Shutdown();

  int number() const { return socket_.number(); }

 private:
  absl::Status ReadSome(absl::Time deadline, absl::Duration spin);
  absl::Status TakeDescriptors(void* header);
  absl::Status WaitUntilWritable(absl::Time deadline);

  Descriptor socket_;
  size_t max_payload_bytes_;
  FrameDecoder decoder_;
  std::deque<Descriptor> received_;
};

}  // namespace graphd

#endif  // GRAPHD_SERVER_WORKERS_CHANNEL_H_
