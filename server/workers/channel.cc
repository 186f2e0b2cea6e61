#include "server/workers/channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"

namespace graphd {
namespace {

constexpr size_t kHeaderBytes = 8;
constexpr size_t kReadBytes = 64 << 10;
constexpr size_t kMaxWaitingDescriptors = 4;

uint32_t LoadU32(const char* bytes) {
  uint32_t value = 0;
  for (int i = 3; i >= 0; --i) {
    value = value << 8 | static_cast<uint8_t>(bytes[i]);
  }
  return value;
}

void StoreU32(uint32_t value, char* bytes) {
  for (int i = 0; i < 4; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
}

absl::Status TooLarge(size_t bytes, size_t limit) {
  return absl::ResourceExhaustedError(absl::StrCat(
      "message of ", bytes, " bytes; the channel takes at most ", limit));
}

absl::Status Failed(absl::string_view what, int error) {
  return absl::InternalError(
      absl::StrCat(what, " on the channel: ", std::strerror(error)));
}

absl::Status GoneBeforeReading() {
  return absl::UnavailableError("the process went before it read the message");
}

// Sleeps until `events` or the deadline.
absl::Status WaitFor(int socket, short events, absl::Time deadline) {
  while (true) {
    int timeout_ms = -1;
    if (deadline != absl::InfiniteFuture()) {
      const absl::Duration left = deadline - absl::Now();
      if (left <= absl::ZeroDuration()) {
        return absl::DeadlineExceededError("the process did not answer");
      }
      timeout_ms = static_cast<int>(std::min<int64_t>(
          absl::ToInt64Milliseconds(left) + 1, 60 * 60 * 1000));
    }
    pollfd entry{socket, events, 0};
    const int ready = ::poll(&entry, 1, timeout_ms);
    if (ready > 0) return absl::OkStatus();
    if (ready < 0 && errno != EINTR) return Failed("poll", errno);
  }
}

}  // namespace

void FrameDecoder::Feed(absl::string_view bytes) {
  if (begin_ == buffer_.size()) {
    buffer_.clear();
    begin_ = 0;
  } else if (begin_ > kReadBytes) {
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
  buffer_.append(bytes.data(), bytes.size());
}

absl::StatusOr<std::optional<FrameDecoder::Frame>> FrameDecoder::Next() {
  if (buffered_bytes() < kHeaderBytes) return std::nullopt;
  const char* header = buffer_.data() + begin_;
  const size_t payload_bytes = LoadU32(header);
  const uint32_t descriptors = LoadU32(header + 4);
  if (payload_bytes > max_payload_bytes_) {
    return TooLarge(payload_bytes, max_payload_bytes_);
  }
  if (descriptors > 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "frame header says ", descriptors, " descriptors; expected 0 or 1"));
  }
  if (buffered_bytes() < kHeaderBytes + payload_bytes) return std::nullopt;
  Frame frame{std::string(header + kHeaderBytes, payload_bytes), descriptors};
  begin_ += kHeaderBytes + payload_bytes;
  if (begin_ == buffer_.size() && buffer_.capacity() > (4u << 20)) {
    buffer_ = std::string();  // one large message must not pin its memory
    begin_ = 0;
  }
  return frame;
}

absl::StatusOr<std::pair<Channel, Channel>> Channel::Pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return Failed("socketpair", errno);
  }
  return std::make_pair(Channel(Descriptor(ends[0])),
                        Channel(Descriptor(ends[1])));
}

Channel::Channel(Descriptor socket, size_t max_payload_bytes)
    : socket_(std::move(socket)),
      max_payload_bytes_(max_payload_bytes),
      decoder_(max_payload_bytes) {}

absl::Status Channel::WaitUntilWritable(absl::Time deadline) {
  return WaitFor(socket_.number(), POLLOUT, deadline);
}

absl::Status Channel::Send(absl::string_view payload, int descriptor,
                           absl::Time deadline) {
  if (payload.size() > max_payload_bytes_) {
    return TooLarge(payload.size(), max_payload_bytes_);
  }
  char header[kHeaderBytes];
  StoreU32(static_cast<uint32_t>(payload.size()), header);
  StoreU32(descriptor >= 0 ? 1 : 0, header + 4);
  iovec parts[2] = {{header, kHeaderBytes},
                    {const_cast<char*>(payload.data()), payload.size()}};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  if (descriptor >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    cmsghdr* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(rights), &descriptor, sizeof(int));
  }
  while (parts[0].iov_len + parts[1].iov_len > 0) {
    const ssize_t sent =
        ::sendmsg(socket_.number(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN || errno == EWOULDBLOCK) {
        GRAPHD_RETURN_IF_ERROR(WaitUntilWritable(deadline));
        continue;
      }
      if (errno == EPIPE || errno == ECONNRESET) return GoneBeforeReading();
      return Failed("sendmsg", errno);
    }
    message.msg_control = nullptr;  // the descriptor went with the first bytes
    message.msg_controllen = 0;
    size_t left = static_cast<size_t>(sent);
    for (iovec& part : parts) {
      const size_t taken = std::min(left, part.iov_len);
      part.iov_base = static_cast<char*>(part.iov_base) + taken;
      part.iov_len -= taken;
      left -= taken;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Channel::Message> Channel::Receive(absl::Time deadline,
                                                  absl::Duration spin) {
  while (true) {
    GRAPHD_ASSIGN_OR_RETURN(std::optional<FrameDecoder::Frame> frame,
                            decoder_.Next());
    if (!frame.has_value()) {
      GRAPHD_RETURN_IF_ERROR(ReadSome(deadline, spin));
      continue;
    }
    Message message{std::move(frame->payload), Descriptor()};
    if (frame->descriptors == 1) {
      if (received_.empty()) {
        return absl::InvalidArgumentError(
            "frame header says 1 descriptor; none came");
      }
      message.descriptor = std::move(received_.front());
      received_.pop_front();
    }
    return message;
  }
}

absl::Status Channel::ReadSome(absl::Time deadline, absl::Duration spin) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point spin_until =
      Clock::now() + absl::ToChronoNanoseconds(spin);
  char bytes[kReadBytes];
  alignas(
      cmsghdr) char control[CMSG_SPACE(sizeof(int)) * kMaxWaitingDescriptors];
  while (true) {
    iovec part{bytes, sizeof(bytes)};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
    const ssize_t got =
        ::recvmsg(socket_.number(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got > 0) {
      decoder_.Feed(absl::string_view(bytes, static_cast<size_t>(got)));
      return TakeDescriptors(&header);
    }
    if (got == 0) return absl::AbortedError("the process closed the channel");
    if (errno == EINTR) continue;
    if (errno == ECONNRESET) return GoneBeforeReading();
    if (errno != EAGAIN && errno != EWOULDBLOCK) {
      return Failed("recvmsg", errno);
    }
    if (Clock::now() < spin_until) continue;
    GRAPHD_RETURN_IF_ERROR(WaitFor(socket_.number(), POLLIN, deadline));
  }
}

absl::Status Channel::TakeDescriptors(void* opaque) {
  msghdr* header = static_cast<msghdr*>(opaque);
  for (cmsghdr* c = CMSG_FIRSTHDR(header); c != nullptr;
       c = CMSG_NXTHDR(header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int number;
      std::memcpy(&number, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
      received_.emplace_back(number);
    }
  }
  if (received_.size() > kMaxWaitingDescriptors ||
      (header->msg_flags & MSG_CTRUNC) != 0) {
    return absl::ResourceExhaustedError("too many descriptors on the channel");
  }
  return absl::OkStatus();
}

void Channel::Shutdown() {
  if (socket_.valid()) ::shutdown(socket_.number(), SHUT_RDWR);
}

}  // namespace graphd
