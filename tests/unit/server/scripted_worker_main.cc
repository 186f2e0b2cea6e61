// A process that speaks the channel as its flag says, for the tests of those
// who start processes.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

#include "graphd/internal/v1/worker.pb.h"
#include "server/workers/channel.h"

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "answer";
  graphd::Channel channel{graphd::Descriptor(3)};
  graphd::internal::v1::ChannelReply hello;
  if (way == "die-at-once") return 7;
  if (way == "refuse") {
    hello.set_code(9);
    hello.set_message("there is no such device");
  }
  if (way == "babble") {
    (void)channel.Send("\xff\xff\xff");
    return 0;
  }
  if (way != "silent") (void)channel.Send(hello.SerializeAsString());
  while (true) {
    auto message = channel.Receive();
    if (!message.ok()) return 0;
    graphd::internal::v1::ChannelRequest request;
    request.ParseFromString(message->payload);
    if (way == "die-on-request") std::raise(SIGKILL);
    if (way == "exit-on-request") ::_exit(5);
    if (way == "ignore-requests") continue;
    graphd::internal::v1::ChannelReply reply;
    reply.set_id(request.id());
    // Which process answered, and which descriptors it has.
    int open_descriptors = 0;
    for (int i = 0; i < 256; ++i) open_descriptors += ::dup2(i, i) == i;
    reply.set_message(std::to_string(::getpid()) + " " +
                      std::to_string(open_descriptors));
    (void)channel.Send(reply.SerializeAsString());
  }
}
