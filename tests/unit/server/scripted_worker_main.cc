// A process that speaks the channel as its flag says, for the tests of those
// who start processes.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "graphd/internal/v1/worker.pb.h"
#include "server/workers/channel.h"
#include "server/workers/shared_region.h"

namespace graphd {
namespace {

// A device whose plans all copy the first input to the first output. It forgets
// a plan as soon as another one comes.
class CopyingDevice {
 public:
  void Serve(Channel::Message& message,
             const internal::v1::ChannelRequest& request,
             internal::v1::ChannelReply& reply) {
    const internal::v1::RunRequest& run = request.run();
    if (message.descriptor.valid()) {
      region_ = *SharedRegion::Map(std::move(message.descriptor));
    }
    if (!run.plan().empty()) {
      plan_ = run.plan_digest();
      ++plans_;
    }
    if (plan_ != run.plan_digest()) {
      reply.mutable_run()->set_plan_missing(true);
      reply.set_code(5);
      return;
    }
    const auto from = *region_->Slice(run.inputs(0).offset_bytes(),
                                      run.inputs(0).size_bytes());
    const auto to = *region_->Slice(run.outputs(0).offset_bytes(),
                                    run.outputs(0).size_bytes());
    std::memcpy(to.data(), from.data(), to.size());
    reply.mutable_run()->set_execute_ns(plans_);  // plans that were sent
  }

 private:
  std::unique_ptr<SharedRegion> region_;
  std::string plan_;
  uint64_t plans_ = 0;
};

}  // namespace
}  // namespace graphd

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "answer";
  graphd::Channel channel{graphd::Descriptor(3)};
  graphd::internal::v1::ChannelReply hello;
  if (way == "die-at-once") return 7;
  hello.mutable_device()->set_name("scripted");
  if (way == "refuse") {
    hello.set_code(9);
    hello.set_message("there is no such device");
  }
  if (way == "babble") {
    (void)channel.Send("\xff\xff\xff");
    return 0;
  }
  if (way != "silent") (void)channel.Send(hello.SerializeAsString());
  graphd::CopyingDevice copier;
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
    if (way == "copy" || way == "fault") {
      if (way == "fault") {
        reply.set_code(10);
        reply.set_message("store outside device memory");
        reply.mutable_run()->mutable_fault()->set_kernel("relu");
        reply.mutable_run()->set_context_lost(true);
      } else {
        copier.Serve(*message, request, reply);
      }
      (void)channel.Send(reply.SerializeAsString());
      if (way == "copy") continue;
      return 4;
    }
    // Which process answered, and which descriptors it has.
    int open_descriptors = 0;
    for (int i = 0; i < 256; ++i) open_descriptors += ::dup2(i, i) == i;
    reply.set_message(std::to_string(::getpid()) + " " +
                      std::to_string(open_descriptors));
    (void)channel.Send(reply.SerializeAsString());
  }
}
