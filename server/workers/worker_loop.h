// WorkerLoop serves the daemon's requests on one device until the channel
// closes.
//
// It keeps the plans that it was sent and an instance of each that ran, least
// recently used first out when device memory is short. A watchdog stops a run
// that passes its limit: the software GPU is asked to stop, on a GPU the
// process ends. After a sticky fault the loop answers and ends: a process whose
// context is lost is of no further use.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_SERVER_WORKERS_WORKER_LOOP_H_
#define GRAPHD_SERVER_WORKERS_WORKER_LOOP_H_

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/base/digest.h"
#include "core/exec/device.h"
#include "graphd/internal/v1/worker.pb.h"
#include "server/workers/channel.h"
#include "server/workers/run_watchdog.h"
#include "server/workers/shared_region.h"

namespace graphd {

// What the daemon is told of `device`.
internal::v1::DeviceRecord RecordOf(const Device& device);

class WorkerLoop {
 public:
  enum class End { kChannelClosed, kContextLost };

  // `device` outlives the loop.
  WorkerLoop(Channel channel, Device& device, int ordinal);

  // Says hello, then serves.
  // Errors: the channel carried something else than a request.
  absl::StatusOr<End> Run();

 private:
  struct Loaded {
    Digest plan;
    ExecutorKind executor;
    std::unique_ptr<Instance> instance;
    uint64_t bytes = 0;
  };

  absl::Status Send(const internal::v1::ChannelReply& reply);
  void Serve(const internal::v1::ChannelRequest& request,
             internal::v1::ChannelReply& reply);
  absl::Status ServeRun(const internal::v1::RunRequest& request,
                        internal::v1::RunReply& reply);
  absl::StatusOr<PlanPtr> FindPlan(const internal::v1::RunRequest& request,
                                   const Digest& digest,
                                   internal::v1::RunReply& reply);
  absl::StatusOr<Instance*> FindInstance(const Digest& digest, PlanPtr plan,
                                         ExecutorKind executor);
  absl::StatusOr<RunArguments> Bind(const internal::v1::RunRequest& request);
  // Ends the process from the watchdog's thread: the run cannot be stopped.
  [[noreturn]] void GiveUp();

  Channel channel_;
  Device& device_;
  const absl::Duration spin_;
  std::unique_ptr<SharedRegion> region_;
  std::map<Digest, PlanPtr> plans_;
  std::list<Loaded> loaded_;  // most recently used first
  std::mutex send_mutex_;
  uint64_t current_id_ = 0;
  RunWatchdog watchdog_;
};

}  // namespace graphd

#endif  // GRAPHD_SERVER_WORKERS_WORKER_LOOP_H_
