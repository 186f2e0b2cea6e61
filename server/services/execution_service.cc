#include "server/services/execution_service.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/status_macros.h"
#include "core/codec/scalar_codec.h"
#include "server/services/call.h"
#include "server/services/grpc_status.h"
#include "server/services/replay_request.h"

namespace graphd {
namespace {

void SetDuration(absl::Duration from, google::protobuf::Duration* to) {
  const int64_t ns = absl::ToInt64Nanoseconds(from);
  to->set_seconds(ns / 1000000000);
  to->set_nanos(static_cast<int32_t>(ns % 1000000000));
}

// What is known about a fault, for programs.
std::map<std::string, std::string> Metadata(const std::string& device,
                                            const internal::v1::Fault& fault) {
  std::map<std::string, std::string> metadata = {{"device", device}};
  if (!fault.kernel().empty()) metadata["kernel"] = fault.kernel();
  if (fault.nodes_size() > 0) {
    metadata["node"] = absl::StrJoin(fault.nodes(), ",");
  }
  if (fault.block_size() > 0) {
    metadata["block"] = absl::StrJoin(fault.block(), ",");
  }
  if (fault.thread_size() > 0) {
    metadata["thread"] = absl::StrJoin(fault.thread(), ",");
  }
  if (fault.line() > 0) metadata["line"] = absl::StrCat(fault.line());
  if (fault.address() != 0) {
    metadata["address"] = absl::StrCat("0x", absl::Hex(fault.address()));
  }
  if (fault.code() != 0) metadata["code"] = absl::StrCat(fault.code());
  return metadata;
}

void FillTensor(const Buffer& buffer, absl::string_view bytes,
                v1::Tensor& tensor) {
  tensor.set_data(bytes.data(), bytes.size());
  if (buffer.element_type.has_value()) {
    tensor.set_element_type(ScalarTypeToProto(*buffer.element_type));
  }
  for (uint64_t dimension : buffer.shape) tensor.add_shape(dimension);
}

}  // namespace

absl::Status ExecutionService::Run(grpc::ServerContext& context,
                                   const v1::ReplayRequest& request,
                                   v1::ReplayResponse& response) {
  GRAPHD_ASSIGN_OR_RETURN(const RunRegistry::Entry entry, registry_.Begin());
  GRAPHD_ASSIGN_OR_RETURN(const GraphFactsPtr facts,
                          catalog_.Find(request.graph()));
  GRAPHD_ASSIGN_OR_RETURN(DeviceLane * lane,
                          dispatcher_.Choose(request.device()));
  GRAPHD_ASSIGN_OR_RETURN(CheckedReplay checked,
                          CheckReplay(request, *facts, max_message_bytes_));
  RunOrder& order = checked.order;
  order.deadline = DeadlineOf(context);
  order.cancelled = [&context] { return context.IsCancelled(); };

  const absl::Time asked = absl::Now();
  GRAPHD_ASSIGN_OR_RETURN(const auto device, lane->Describe(order.deadline));
  GRAPHD_ASSIGN_OR_RETURN(const PlanCache::Found plan,
                          catalog_.Plan(facts, device, request.options()));
  const absl::Duration compile =
      plan.cached ? absl::ZeroDuration() : absl::Now() - asked;
  order.plan_digest = plan.entry->plan_digest;
  order.plan = plan.entry->plan;

  RunOutcome outcome;
  const absl::Status run = lane->Run(
      order,
      [&](size_t i, absl::string_view bytes) {
        const Buffer& buffer = *checked.outputs[i];
        FillTensor(buffer, bytes, (*response.mutable_outputs())[buffer.name]);
      },
      outcome);
  if (absl::IsAborted(run)) {
    log_.Warning("run failed", {{"device", lane->name()},
                                {"graph", facts->digest.ToString()},
                                {"reason", outcome.reason},
                                {"error", std::string(run.message())}});
    return WithReason(run, outcome.reason,
                      Metadata(lane->name(), outcome.reply.fault()));
  }
  GRAPHD_RETURN_IF_ERROR(run);

  v1::RunTimes& times = *response.mutable_times();
  SetDuration(outcome.queue, times.mutable_queue());
  SetDuration(compile, times.mutable_compile());
  SetDuration(outcome.copy_in, times.mutable_copy_in());
  SetDuration(absl::Nanoseconds(outcome.reply.execute_ns()),
              times.mutable_execute());
  SetDuration(outcome.copy_out, times.mutable_copy_out());
  response.set_device(lane->name());
  response.set_executor(outcome.reply.sequential() ? v1::EXECUTOR_SEQUENTIAL
                                                   : v1::EXECUTOR_CUDA_GRAPH);
  response.set_plan_digest(order.plan_digest.ToString());
  response.set_graph_digest(facts->digest.ToString());
  return absl::OkStatus();
}

grpc::Status ExecutionService::Replay(grpc::ServerContext* context,
                                      const v1::ReplayRequest* request,
                                      v1::ReplayResponse* response) {
  const absl::Status status = Run(*context, *request, *response);
  if (!status.ok()) response->clear_outputs();
  return ToGrpcStatus(WithRetryAdvice(status));
}

}  // namespace graphd
