#include "server/workers/channel.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <utility>

namespace graphd {
namespace {

struct Ends {
  Channel ours;
  Channel theirs;
};

Ends MakeEnds() {
  auto ends = Channel::Pair();
  EXPECT_TRUE(ends.ok()) << ends.status();
  return {std::move(ends->first), std::move(ends->second)};
}

std::string Header(uint32_t payload_bytes, uint32_t descriptors) {
  std::string header(8, '\0');
  for (int i = 0; i < 4; ++i) {
    header[static_cast<size_t>(i)] = static_cast<char>(payload_bytes >> 8 * i);
    header[static_cast<size_t>(4 + i)] =
        static_cast<char>(descriptors >> 8 * i);
  }
  return header;
}

TEST(FrameDecoderTest, AFrameThatComesByteByByteIsWhole) {
  FrameDecoder decoder;
  const std::string bytes = Header(5, 0) + "hello";
  for (size_t i = 0; i + 1 < bytes.size(); ++i) {
    decoder.Feed(bytes.substr(i, 1));
    const auto frame = decoder.Next();
    ASSERT_TRUE(frame.ok());
    EXPECT_FALSE(frame->has_value());
  }
  decoder.Feed(bytes.substr(bytes.size() - 1));
  const auto frame = decoder.Next();
  ASSERT_TRUE(frame.ok() && frame->has_value());
  EXPECT_EQ((*frame)->payload, "hello");
  EXPECT_EQ(decoder.buffered_bytes(), 0u);
}

TEST(FrameDecoderTest, SeveralFramesInOnePieceComeInOrder) {
  FrameDecoder decoder;
  decoder.Feed(Header(1, 0) + "a" + Header(0, 0) + Header(2, 1) + "bc");
  for (const std::string expected : {"a", "", "bc"}) {
    const auto frame = decoder.Next();
    ASSERT_TRUE(frame.ok() && frame->has_value());
    EXPECT_EQ((*frame)->payload, expected);
    EXPECT_EQ((*frame)->descriptors, expected == "bc" ? 1u : 0u);
  }
  EXPECT_FALSE((*decoder.Next()).has_value());
}

TEST(FrameDecoderTest, AHeaderThatClaimsTooMuchIsRefusedWithoutMemory) {
  FrameDecoder decoder(1000);
  decoder.Feed(Header(1001, 0));
  EXPECT_EQ(decoder.Next().status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(decoder.buffered_bytes(), 8u);
}

TEST(FrameDecoderTest, AHeaderWithTwoDescriptorsIsRefused) {
  FrameDecoder decoder;
  decoder.Feed(Header(0, 2));
  EXPECT_EQ(decoder.Next().status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ChannelTest, MessagesArriveInOrderWhateverTheirSize) {
  Ends ends = MakeEnds();
  const std::string large(3 << 20, 'x');
  std::thread sender([&] {
    for (const std::string& payload :
         {std::string(), std::string("a"), large, std::string("z")}) {
      EXPECT_TRUE(ends.ours.Send(payload).ok());
    }
  });
  for (const std::string& expected :
       {std::string(), std::string("a"), large, std::string("z")}) {
    auto message = ends.theirs.Receive();
    ASSERT_TRUE(message.ok()) << message.status();
    EXPECT_TRUE(message->payload == expected);
    EXPECT_FALSE(message->descriptor.valid());
  }
  sender.join();
}

TEST(ChannelTest, ADescriptorArrivesWithItsMessageAndNoOther) {
  Ends ends = MakeEnds();
  int pipe_ends[2];
  ASSERT_EQ(pipe2(pipe_ends, O_CLOEXEC), 0);
  const Descriptor read_end(pipe_ends[0]);
  ASSERT_TRUE(ends.ours.Send("before").ok());
  ASSERT_TRUE(ends.ours.Send("with", pipe_ends[1]).ok());
  ASSERT_TRUE(ends.ours.Send("after").ok());
  close(pipe_ends[1]);

  EXPECT_FALSE(ends.theirs.Receive()->descriptor.valid());
  auto with = ends.theirs.Receive();
  ASSERT_TRUE(with.ok());
  ASSERT_TRUE(with->descriptor.valid());
  EXPECT_FALSE(ends.theirs.Receive()->descriptor.valid());
  // It is the same pipe, and closed on exec.
  ASSERT_EQ(write(with->descriptor.number(), "!", 1), 1);
  char byte = 0;
  ASSERT_EQ(read(read_end.number(), &byte, 1), 1);
  EXPECT_EQ(byte, '!');
  EXPECT_NE(fcntl(with->descriptor.number(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(ChannelTest, APeerThatWentAfterReadingShowsAsAborted) {
  Ends ends = MakeEnds();
  ASSERT_TRUE(ends.ours.Send("request").ok());
  {
    Channel theirs = std::move(ends.theirs);
    ASSERT_TRUE(theirs.Receive().ok());
  }
  EXPECT_EQ(ends.ours.Receive().status().code(), absl::StatusCode::kAborted);
}

TEST(ChannelTest, APeerThatWentWithoutReadingShowsAsUnavailable) {
  Ends ends = MakeEnds();
  ASSERT_TRUE(ends.ours.Send("request").ok());
  { const Channel theirs = std::move(ends.theirs); }
  EXPECT_EQ(ends.ours.Receive().status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(ends.ours.Send("another").code(), absl::StatusCode::kUnavailable);
}

TEST(ChannelTest, ASilentPeerMeetsTheDeadline) {
  Ends ends = MakeEnds();
  EXPECT_EQ(
      ends.ours.Receive(absl::Now() + absl::Milliseconds(1)).status().code(),
      absl::StatusCode::kDeadlineExceeded);
}

TEST(ChannelTest, APeerThatDoesNotReadMeetsTheDeadlineOfASend) {
  Ends ends = MakeEnds();
  EXPECT_EQ(ends.ours
                .Send(std::string(8 << 20, 'x'), -1,
                      absl::Now() + absl::Milliseconds(1))
                .code(),
            absl::StatusCode::kDeadlineExceeded);
}

TEST(ChannelTest, AMessageAboveTheLimitIsNotSent) {
  auto ends = Channel::Pair();
  ASSERT_TRUE(ends.ok());
  Channel small(Descriptor(dup(ends->first.number())), 10);
  EXPECT_EQ(small.Send(std::string(11, 'x')).code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(small.Send(std::string(10, 'x')).ok());
  EXPECT_EQ(ends->second.Receive()->payload, std::string(10, 'x'));
}

TEST(ChannelTest, AHeaderThatPromisesADescriptorThatDoesNotComeIsRefused) {
  Ends ends = MakeEnds();
  const std::string bytes = Header(0, 1);
  ASSERT_EQ(send(ends.ours.number(), bytes.data(), bytes.size(), 0), 8);
  EXPECT_EQ(ends.theirs.Receive().status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(ChannelTest, BytesThatAreNoFramesAreAnErrorAndNoCrash) {
  Ends ends = MakeEnds();
  const std::string bytes(64, '\xff');
  ASSERT_EQ(send(ends.ours.number(), bytes.data(), bytes.size(), 0), 64);
  EXPECT_EQ(ends.theirs.Receive().status().code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace graphd
