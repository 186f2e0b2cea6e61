// DeviceLane is one device as the daemon sees it: the queue before it, its
// worker, and the memory that both share.
//
// A run waits for its turn, writes its inputs into the region, asks the worker,
// and reads the outputs before it gives the turn away. A plan is sent to a
// worker once. A run that the worker did not take is sent to its successor; one
// that it took is never repeated.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_SERVER_RUNS_DEVICE_LANE_H_
#define GRAPHD_SERVER_RUNS_DEVICE_LANE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/base/digest.h"
#include "graphd/internal/v1/worker.pb.h"
#include "server/runs/turn_queue.h"
#include "server/workers/shared_region.h"
#include "server/workers/supervisor.h"

namespace graphd {

// What to run. Everything outlives the call.
struct RunOrder {
  struct Input {
    absl::string_view name;
    absl::string_view bytes;
  };
  struct Output {
    absl::string_view name;
    uint64_t size_bytes = 0;
  };
  Digest plan_digest;
  absl::string_view plan;  // a serialized PlanRecord
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::vector<internal::v1::ParameterValue> parameters;
  uint64_t count = 1;
  bool sequential = false;
  absl::Time deadline = absl::InfiniteFuture();  // for the start
  std::function<bool()> cancelled;               // the client has gone
};

struct RunOutcome {
  absl::Duration queue;
  absl::Duration copy_in;   // both copies
  absl::Duration copy_out;  // both copies
  internal::v1::RunReply reply;
  std::string reason;  // of ABORTED: KERNEL_FAULT, RUN_LIMIT, WORKER_GONE
};

using DeviceRecordPtr = std::shared_ptr<const internal::v1::DeviceRecord>;

class DeviceLane {
 public:
  struct Options {
    std::string name;  // "soft0"
    WorkerCommand command;
    size_t queue_capacity = 64;
    absl::Duration run_limit = absl::Seconds(60);
  };
  // Called with each output's index and bytes while they are valid.
  using OutputSink = std::function<void(size_t, absl::string_view)>;

  DeviceLane(Options options, Supervisor::Observer observer);

  // Errors: RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED, CANCELLED, UNAVAILABLE (not
  // begun), ABORTED (begun; `outcome.reason`), and what the worker answers.
  absl::Status Run(const RunOrder& order, const OutputSink& sink,
                   RunOutcome& outcome);
  // What its worker said of it, waited for until `deadline`.
  // Errors: UNAVAILABLE.
  absl::StatusOr<DeviceRecordPtr> Describe(absl::Time deadline);
  // Ends the worker.
  void Stop() { supervisor_.Stop(); }

  const std::string& name() const { return options_.name; }
  const Supervisor& supervisor() const { return supervisor_; }
  // Runs that wait or work.
  size_t load() const { return queue_.length(); }
  // As Describe, without waiting.
  absl::StatusOr<DeviceRecordPtr> Known() const;

 private:
  // All of these need the turn.
  absl::Status ReserveRegion(uint64_t size_bytes);
  absl::StatusOr<internal::v1::ChannelReply> Ask(
      const RunOrder& order, internal::v1::ChannelRequest& request,
      RunOutcome& outcome);
  absl::StatusOr<std::shared_ptr<WorkerHandle>> ReadyWorker(
      const RunOrder& order);
  absl::Status Judge(internal::v1::ChannelReply& reply, RunOutcome& outcome);

  const Options options_;
  TurnQueue queue_;
  Supervisor supervisor_;

  std::unique_ptr<SharedRegion> region_;
  // The worker that has the region and the plans.
  std::weak_ptr<WorkerHandle> acquainted_;
  bool region_sent_ = false;
  std::set<Digest> plans_sent_;
};

}  // namespace graphd

#endif  // GRAPHD_SERVER_RUNS_DEVICE_LANE_H_
