#include "server/workers/worker_loop.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/codec/device_codec.h"
#include "core/codec/plan_codec.h"
#include "core/codec/scalar_codec.h"

namespace graphd {
namespace {

using internal::v1::ChannelReply;
using internal::v1::ChannelRequest;
using internal::v1::RunReply;
using internal::v1::RunRequest;

// A software GPU that was asked to stop gets this long; a GPU cannot be asked.
constexpr absl::Duration kStopGrace = absl::Seconds(2);
// Plans whose instances went are kept up to this many, then dropped; the daemon
// sends a plan again when it is missing.
constexpr size_t kMostPlans = 1024;
// Instances may reserve this share of device memory together; the rest is for
// images and the driver itself.
constexpr double kArenaShare = 0.9;
constexpr int kGaveUp = 3;  // exit code
// The next request of a busy client comes sooner than a sleeping thread wakes.
// With two processors the client and the daemon need both.
constexpr absl::Duration kSpin = absl::Microseconds(100);
constexpr unsigned kProcessorsToSpin = 3;

absl::StatusOr<Digest> DigestFrom(const std::string& raw) {
  Digest digest;
  if (raw.size() != digest.bytes.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("plan digest of ", raw.size(), " bytes; expected 32"));
  }
  std::memcpy(digest.bytes.data(), raw.data(), raw.size());
  return digest;
}

void Fill(const FaultDetail& fault, const Plan& plan,
          internal::v1::Fault& message) {
  message.set_code(static_cast<int32_t>(fault.code));
  message.set_kernel(fault.kernel);
  for (uint32_t index : fault.block) message.add_block(index);
  for (uint32_t index : fault.thread) message.add_thread(index);
  message.set_line(fault.line);
  message.set_address(fault.address);
  message.set_message(fault.message);
  for (const PlanStep& step : plan.steps) {
    const auto* kernel = std::get_if<KernelStep>(&step.body);
    if (kernel == nullptr || kernel->function != fault.kernel) continue;
    for (const std::string& node : step.nodes) {
      if (message.nodes_size() < 16) message.add_nodes(node);
    }
  }
}

void Fill(const RunReport& report, const Plan& plan, RunReply& reply) {
  reply.set_copy_in_ns(report.copy_in_ns);
  reply.set_execute_ns(report.execute_ns);
  reply.set_copy_out_ns(report.copy_out_ns);
  reply.set_sequential(report.executor == ExecutorKind::kSequential);
  reply.set_context_lost(report.context_lost);
  if (report.fault.has_value()) {
    Fill(*report.fault, plan, *reply.mutable_fault());
  }
}

// The watchdog's thread asks the software GPU to stop; that needs the context.
std::function<void()> Stopper(const DriverTable& driver, int ordinal) {
  if (driver.stop_kernels == nullptr) return [] {};
  return [&driver, ordinal] {
    CUdevice device = 0;
    CUcontext context = nullptr;
    if (driver.cuDeviceGet(&device, ordinal) != CUDA_SUCCESS ||
        driver.cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS) {
      return;
    }
    driver.cuCtxSetCurrent(context);
    driver.stop_kernels();
    driver.cuDevicePrimaryCtxRelease(device);
  };
}

}  // namespace

internal::v1::DeviceRecord RecordOf(const Device& device) {
  return DeviceToRecord(device.description());
}

WorkerLoop::WorkerLoop(Channel channel, Device& device, int ordinal)
    : channel_(std::move(channel)),
      device_(device),
      spin_(std::thread::hardware_concurrency() >= kProcessorsToSpin
                ? kSpin
                : absl::ZeroDuration()),
      watchdog_(
          Stopper(device.driver(), ordinal), [this] { GiveUp(); },
          device.driver().stop_kernels != nullptr ? kStopGrace
                                                  : absl::ZeroDuration()) {}

absl::Status WorkerLoop::Send(const ChannelReply& reply) {
  std::lock_guard lock(send_mutex_);
  return channel_.Send(reply.SerializeAsString());
}

absl::StatusOr<WorkerLoop::End> WorkerLoop::Run() {
  ChannelReply hello;
  *hello.mutable_device() = RecordOf(device_);
  GRAPHD_RETURN_IF_ERROR(Send(hello));
  ChannelRequest request;
  ChannelReply reply;
  while (true) {
    auto message = channel_.Receive(absl::InfiniteFuture(), spin_);
    if (absl::IsAborted(message.status()) ||
        absl::IsUnavailable(message.status())) {
      return End::kChannelClosed;
    }
    if (!message.ok()) return message.status();
    if (!request.ParseFromString(message->payload)) {
      return absl::InvalidArgumentError("a request does not parse");
    }
    if (message->descriptor.valid()) {
      region_.reset();
      GRAPHD_ASSIGN_OR_RETURN(
          region_, SharedRegion::Map(std::move(message->descriptor)));
    }
    reply.Clear();
    reply.set_id(request.id());
    Serve(request, reply);
    const absl::Status sent = Send(reply);
    if (absl::IsUnavailable(sent)) return End::kChannelClosed;
    GRAPHD_RETURN_IF_ERROR(sent);
    if (reply.run().context_lost()) return End::kContextLost;
  }
}

void WorkerLoop::Serve(const ChannelRequest& request, ChannelReply& reply) {
  absl::Status status;
  switch (request.body_case()) {
    case ChannelRequest::kDescribe:
      *reply.mutable_device() = RecordOf(device_);
      break;
    case ChannelRequest::kRun: {
      std::lock_guard lock(send_mutex_);
      current_id_ = request.id();
    }
      status = ServeRun(request.run(), *reply.mutable_run());
      break;
    default:
      status = absl::InvalidArgumentError("a worker describes and runs only");
  }
  reply.set_code(static_cast<int32_t>(status.code()));
  reply.set_message(std::string(status.message()));
}

absl::Status WorkerLoop::ServeRun(const RunRequest& request, RunReply& reply) {
  GRAPHD_ASSIGN_OR_RETURN(const Digest digest,
                          DigestFrom(request.plan_digest()));
  const ExecutorKind executor = request.sequential() ? ExecutorKind::kSequential
                                                     : ExecutorKind::kCudaGraph;
  GRAPHD_ASSIGN_OR_RETURN(PlanPtr plan, FindPlan(request, digest, reply));
  GRAPHD_ASSIGN_OR_RETURN(const RunArguments arguments, Bind(request));
  // Loading is part of the run: a driver that never returns from it is as lost.
  watchdog_.Arm(absl::Nanoseconds(request.limit_ns()));
  RunReport report;
  const absl::StatusOr<Instance*> instance =
      FindInstance(digest, plan, executor);
  const absl::Status status =
      instance.ok() ? (*instance)->Run(arguments, report) : instance.status();
  const bool passed = watchdog_.Disarm();
  Fill(report, *plan, reply);
  if (passed) {
    // The stop may still lie in wait for the next kernel.
    reply.set_context_lost(true);
    reply.set_limit_passed(!status.ok());
  }
  if (absl::IsAborted(status)) reply.set_context_lost(true);
  return status;
}

absl::StatusOr<PlanPtr> WorkerLoop::FindPlan(const RunRequest& request,
                                             const Digest& digest,
                                             RunReply& reply) {
  if (auto known = plans_.find(digest); known != plans_.end()) {
    return known->second;
  }
  if (request.plan().empty()) {
    reply.set_plan_missing(true);
    return absl::NotFoundError(
        absl::StrCat("the worker has no plan ", digest.ToString()));
  }
  if (Sha256(request.plan()) != digest) {
    return absl::DataLossError(absl::StrCat(
        "the bytes of plan ", digest.ToString(), " have another digest"));
  }
  GRAPHD_ASSIGN_OR_RETURN(Plan plan, ParsePlan(request.plan()));
  if (plans_.size() >= kMostPlans) plans_.clear();  // instances hold theirs
  auto kept = std::make_shared<const Plan>(std::move(plan));
  plans_[digest] = kept;
  return kept;
}

absl::StatusOr<Instance*> WorkerLoop::FindInstance(const Digest& digest,
                                                   PlanPtr plan,
                                                   ExecutorKind executor) {
  const auto found =
      std::find_if(loaded_.begin(), loaded_.end(), [&](const Loaded& loaded) {
        return loaded.plan == digest && loaded.executor == executor;
      });
  if (found != loaded_.end()) {
    loaded_.splice(loaded_.begin(), loaded_, found);
    return loaded_.front().instance.get();
  }
  const uint64_t budget_bytes = static_cast<uint64_t>(
      kArenaShare * static_cast<double>(device_.description().memory_bytes));
  const uint64_t bytes = plan->device_arena_bytes;
  uint64_t used = bytes;
  for (const Loaded& loaded : loaded_) used += loaded.bytes;
  while (used > budget_bytes && !loaded_.empty()) {
    used -= loaded_.back().bytes;
    loaded_.pop_back();
  }
  auto instance = device_.Instantiate(plan, executor);
  if (absl::IsResourceExhausted(instance.status()) && !loaded_.empty()) {
    loaded_.clear();  // all are idle
    instance = device_.Instantiate(plan, executor);
  }
  if (!instance.ok()) return instance.status();
  loaded_.push_front({digest, executor, *std::move(instance), bytes});
  return loaded_.front().instance.get();
}

absl::StatusOr<RunArguments> WorkerLoop::Bind(const RunRequest& request) {
  RunArguments arguments;
  arguments.count = request.count();
  if (region_ == nullptr &&
      request.inputs_size() + request.outputs_size() > 0) {
    return absl::FailedPreconditionError("no region came with the request");
  }
  for (const auto& binding : request.inputs()) {
    GRAPHD_ASSIGN_OR_RETURN(
        const auto bytes,
        region_->Slice(binding.offset_bytes(), binding.size_bytes()));
    arguments.inputs.push_back({binding.name(), bytes});
  }
  for (const auto& binding : request.outputs()) {
    GRAPHD_ASSIGN_OR_RETURN(
        const auto bytes,
        region_->Slice(binding.offset_bytes(), binding.size_bytes()));
    arguments.outputs.push_back({binding.name(), bytes});
  }
  for (const auto& parameter : request.parameters()) {
    const std::optional<ScalarType> type =
        ScalarTypeFromNumber(parameter.type());
    if (!type.has_value()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "parameter \"", parameter.name(), "\" has no known type"));
    }
    arguments.parameters.emplace_back(parameter.name(),
                                      Scalar{*type, parameter.bits()});
  }
  return arguments;
}

void WorkerLoop::GiveUp() {
  std::lock_guard lock(send_mutex_);  // kept: nobody sends after this
  ChannelReply reply;
  reply.set_id(current_id_);
  reply.set_code(static_cast<int32_t>(absl::StatusCode::kAborted));
  reply.set_message("the run passed its limit and could not be stopped");
  reply.mutable_run()->set_limit_passed(true);
  reply.mutable_run()->set_context_lost(true);
  (void)channel_.Send(reply.SerializeAsString(), -1,
                      absl::Now() + absl::Seconds(1));
  ::_exit(kGaveUp);
}

}  // namespace graphd
