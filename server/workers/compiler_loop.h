// CompilerLoop serves the daemon's requests to check and compile graphs until
// the channel closes.
//
// What a client sent is hostile until compiled: everything that parses or
// compiles it happens here, in a process with limits on memory and processor
// time. Passing a limit ends the process, and the daemon tells the client.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_SERVER_WORKERS_COMPILER_LOOP_H_
#define GRAPHD_SERVER_WORKERS_COMPILER_LOOP_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/graph/graph.h"
#include "core/graph/violation.h"
#include "core/optimize/compile.h"
#include "graphd/internal/v1/worker.pb.h"
#include "server/workers/channel.h"
#include "server/workers/nvrtc.h"

namespace graphd {

class CompilerLoop {
 public:
  struct Limits {
    uint64_t memory_bytes = 0;  // address space of the process; 0: none
    uint64_t cpu_seconds = 0;   // of one request; 0: none
  };

  CompilerLoop(Channel channel, Limits limits)
      : channel_(std::move(channel)), limits_(limits) {}

  // Says hello, then serves. OK when the channel closes.
  absl::Status Run();

 private:
  void Serve(const internal::v1::ChannelRequest& request,
             internal::v1::ChannelReply& reply);
  absl::Status Check(const internal::v1::CheckRequest& request,
                     Violations& violations, internal::v1::CheckReply& reply);
  absl::Status Compile(const internal::v1::CompileRequest& request,
                       Violations& violations,
                       internal::v1::CompileReply& reply);
  // One image a module; CUDA source is compiled for `capability`.
  absl::StatusOr<std::vector<ModuleImage>> MakeImages(const Graph& graph,
                                                      int capability,
                                                      Violations& violations);
  absl::Status AllowProcessorTime();

  Channel channel_;
  const Limits limits_;
  std::unique_ptr<Nvrtc> nvrtc_;  // opened when first needed
};

}  // namespace graphd

#endif  // GRAPHD_SERVER_WORKERS_COMPILER_LOOP_H_
