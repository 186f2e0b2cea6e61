#include "server/runs/device_lane.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"

namespace graphd {
namespace {

using internal::v1::ChannelReply;
using internal::v1::ChannelRequest;

constexpr uint64_t kAlignmentBytes = 256;
constexpr uint64_t kSmallestRegionBytes = uint64_t{1} << 20;
// How long a run waits for a worker: one that starts for the first time may
// have a driver to initialise, a replacement must be quick.
constexpr absl::Duration kFirstStart = absl::Seconds(30);
constexpr absl::Duration kReplacement = absl::Seconds(2);
// The worker stops a run at its limit; only when it cannot, we end it.
constexpr absl::Duration kLimitGrace = absl::Seconds(10);

uint64_t Align(uint64_t bytes) {
  return (bytes + kAlignmentBytes - 1) / kAlignmentBytes * kAlignmentBytes;
}

}  // namespace

DeviceLane::DeviceLane(Options options, Supervisor::Observer observer)
    : options_(std::move(options)),
      queue_(absl::StrCat("device ", options_.name), options_.queue_capacity),
      supervisor_({absl::StrCat("worker of ", options_.name), options_.command},
                  std::move(observer)) {}

absl::StatusOr<DeviceRecordPtr> DeviceLane::Known() const {
  const auto hello = supervisor_.hello();
  if (hello != nullptr && hello->has_device()) {
    return DeviceRecordPtr(hello, &hello->device());
  }
  return absl::UnavailableError(
      absl::StrCat("the worker of ", options_.name, " is not ready"));
}

absl::StatusOr<DeviceRecordPtr> DeviceLane::Describe(absl::Time deadline) {
  auto known = Known();
  if (known.ok()) return known;
  const absl::Time patience = absl::Now() + kFirstStart;
  GRAPHD_RETURN_IF_ERROR(
      supervisor_.Ready(std::min(deadline, patience)).status());
  return Known();
}

absl::Status DeviceLane::ReserveRegion(uint64_t size_bytes) {
  if (region_ != nullptr && region_->size_bytes() >= size_bytes) {
    return absl::OkStatus();
  }
  uint64_t grown = kSmallestRegionBytes;
  while (grown < size_bytes) grown *= 2;
  region_.reset();
  GRAPHD_ASSIGN_OR_RETURN(region_, SharedRegion::Create(grown));
  region_sent_ = false;
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<WorkerHandle>> DeviceLane::ReadyWorker(
    const RunOrder& order) {
  const absl::Duration patience =
      supervisor_.hello() != nullptr ? kReplacement : kFirstStart;
  GRAPHD_ASSIGN_OR_RETURN(
      auto handle,
      supervisor_.Ready(std::min(order.deadline, absl::Now() + patience)));
  if (acquainted_.lock() != handle) {
    acquainted_ = handle;
    region_sent_ = false;
    plans_sent_.clear();
  }
  return handle;
}

absl::StatusOr<ChannelReply> DeviceLane::Ask(const RunOrder& order,
                                             ChannelRequest& request,
                                             RunOutcome& outcome) {
  internal::v1::RunRequest& run = *request.mutable_run();
  int retries_left = 1;
  while (true) {
    GRAPHD_ASSIGN_OR_RETURN(auto handle, ReadyWorker(order));
    if (plans_sent_.count(order.plan_digest) == 0) {
      run.set_plan(order.plan.data(), order.plan.size());
    } else {
      run.clear_plan();
    }
    auto reply =
        handle->Call(request, region_sent_ ? -1 : region_->descriptor(),
                     absl::Now() + options_.run_limit + kLimitGrace);
    if (reply.ok()) {
      region_sent_ = true;
      plans_sent_.insert(order.plan_digest);
      if (reply->run().plan_missing()) {
        plans_sent_.erase(order.plan_digest);
        if (run.plan().empty()) continue;
      }
      if (reply->run().context_lost()) supervisor_.Retire(handle);
      return reply;
    }
    if (absl::IsUnavailable(reply.status()) && retries_left-- > 0) continue;
    if (absl::IsAborted(reply.status())) {
      outcome.reason = "WORKER_GONE";
      return absl::AbortedError(
          absl::StrCat("the worker of ", options_.name,
                       " went during the run: ", reply.status().message()));
    }
    if (absl::IsDeadlineExceeded(reply.status())) {
      outcome.reason = "RUN_LIMIT";
      return absl::AbortedError(absl::StrCat(
          "the run passed its limit of ",
          absl::FormatDuration(options_.run_limit), "; its worker was ended"));
    }
    return reply.status();
  }
}

absl::Status DeviceLane::Judge(ChannelReply& reply, RunOutcome& outcome) {
  outcome.reply = std::move(*reply.mutable_run());
  if (reply.code() == 0) return absl::OkStatus();
  if (outcome.reply.limit_passed()) {
    outcome.reason = "RUN_LIMIT";
    return absl::AbortedError(
        absl::StrCat("the run passed its limit of ",
                     absl::FormatDuration(options_.run_limit)));
  }
  if (outcome.reply.has_fault() || outcome.reply.context_lost()) {
    outcome.reason = "KERNEL_FAULT";
    return absl::AbortedError(reply.message());
  }
  return absl::Status(static_cast<absl::StatusCode>(reply.code()),
                      reply.message());
}

absl::Status DeviceLane::Run(const RunOrder& order, const OutputSink& sink,
                             RunOutcome& outcome) {
  const absl::Time asked = absl::Now();
  GRAPHD_ASSIGN_OR_RETURN(const TurnQueue::Turn turn,
                          queue_.Enter(order.deadline, order.cancelled));
  const absl::Time begun = absl::Now();
  outcome.queue = begun - asked;

  ChannelRequest request;
  internal::v1::RunRequest& run = *request.mutable_run();
  run.set_plan_digest(order.plan_digest.bytes.data(),
                      order.plan_digest.bytes.size());
  run.set_count(order.count);
  run.set_sequential(order.sequential);
  run.set_limit_ns(absl::ToInt64Nanoseconds(options_.run_limit));
  uint64_t end = 0;
  const auto place = [&end](internal::v1::RegionBinding& binding,
                            absl::string_view name, uint64_t size_bytes) {
    binding.set_name(name.data(), name.size());
    binding.set_offset_bytes(end);
    binding.set_size_bytes(size_bytes);
    end = Align(end + size_bytes);
  };
  for (const RunOrder::Input& input : order.inputs) {
    place(*run.add_inputs(), input.name, input.bytes.size());
  }
  for (const RunOrder::Output& output : order.outputs) {
    place(*run.add_outputs(), output.name, output.size_bytes);
  }
  for (const auto& parameter : order.parameters) {
    *run.add_parameters() = parameter;
  }
  GRAPHD_RETURN_IF_ERROR(ReserveRegion(end));
  for (size_t i = 0; i < order.inputs.size(); ++i) {
    const absl::string_view bytes = order.inputs[i].bytes;
    std::memcpy(
        region_->data() + run.inputs(static_cast<int>(i)).offset_bytes(),
        bytes.data(), bytes.size());
  }
  outcome.copy_in = absl::Now() - begun;

  GRAPHD_ASSIGN_OR_RETURN(ChannelReply reply, Ask(order, request, outcome));
  GRAPHD_RETURN_IF_ERROR(Judge(reply, outcome));
  outcome.copy_in += absl::Nanoseconds(outcome.reply.copy_in_ns());

  const absl::Time done = absl::Now();
  for (size_t i = 0; i < order.outputs.size(); ++i) {
    const auto& binding = run.outputs(static_cast<int>(i));
    sink(i, absl::string_view(region_->data() + binding.offset_bytes(),
                              binding.size_bytes()));
  }
  outcome.copy_out =
      absl::Now() - done + absl::Nanoseconds(outcome.reply.copy_out_ns());
  return absl::OkStatus();
}

}  // namespace graphd
