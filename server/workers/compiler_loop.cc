#include "server/workers/compiler_loop.h"

#include <sys/resource.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <new>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "core/base/check.h"
#include "core/base/status_macros.h"
#include "core/codec/device_codec.h"
#include "core/codec/graph_codec.h"
#include "core/codec/plan_codec.h"
#include "core/codec/plan_view.h"
#include "core/optimize/kernel_table.h"
#include "core/ptx/check.h"
#include "graphd/v1/graph.pb.h"

namespace graphd {
namespace {

using internal::v1::ChannelReply;
using internal::v1::ChannelRequest;

// What sources are checked for when no device is known.
constexpr int kCheckCapability = 75;

absl::StatusOr<Graph> ParseGraphBytes(const std::string& bytes,
                                      Violations& violations) {
  v1::Graph message;
  if (!message.ParseFromString(bytes)) {
    return absl::InvalidArgumentError("the definition does not parse");
  }
  return GraphFromProto(message, &violations);
}

void Summarize(const ptx::Module& module, const TableKernel& kernel,
               v1::KernelSummary& summary) {
  summary.set_elementwise(kernel.facts->elementwise);
  summary.set_not_elementwise_because(kernel.facts->not_elementwise_because);
  const auto unsupported = ptx::FirstUnsupported(module, *kernel.code);
  if (unsupported.has_value()) {
    summary.set_unsupported_in_software(absl::StrCat(
        "line ", unsupported->line, ": ", unsupported->instruction));
  }
}

// Requires: CheckGraph(graph, images) found nothing.
v1::GraphSummary Summarize(const Graph& graph,
                           const std::vector<ModuleImage>& images) {
  v1::GraphSummary summary;
  summary.set_nodes(static_cast<uint32_t>(graph.nodes.size()));
  summary.set_buffers(static_cast<uint32_t>(graph.buffers.size()));
  for (const Buffer& buffer : graph.buffers) {
    if (buffer.role == BufferRole::kInput) summary.add_inputs(buffer.name);
    if (buffer.role == BufferRole::kOutput) summary.add_outputs(buffer.name);
  }
  Violations none;
  KernelTable table(graph, images, none);
  std::map<const ptx::Function*, v1::KernelSummary> known;  // by code
  for (const Node& node : graph.nodes) {
    const auto* body = std::get_if<KernelNode>(&node.body);
    if (body == nullptr) continue;
    v1::KernelSummary& of_node = *summary.add_kernels();
    const TableKernel* kernel =
        table.Find(body->module, body->function, node.name, none);
    GRAPHD_CHECK(kernel != nullptr);
    if (kernel->code != nullptr) {
      const auto [it, is_new] = known.try_emplace(kernel->code);
      if (is_new) {
        Summarize(*table.parsed(body->module), *kernel, it->second);
      }
      of_node = it->second;
    }
    of_node.set_node(node.name);
    of_node.set_entry(kernel->entry);
  }
  return summary;
}

}  // namespace

absl::Status CompilerLoop::AllowProcessorTime() {
  if (limits_.cpu_seconds == 0) return absl::OkStatus();
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const rlim_t spent =
      static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1;
  const rlimit limit{spent + limits_.cpu_seconds, RLIM_INFINITY};
  if (::setrlimit(RLIMIT_CPU, &limit) != 0) {
    return absl::InternalError(
        absl::StrCat("setrlimit: ", std::strerror(errno)));
  }
  return absl::OkStatus();
}

absl::Status CompilerLoop::Run() {
  GRAPHD_RETURN_IF_ERROR(channel_.Send(ChannelReply().SerializeAsString()));
  while (true) {
    auto message = channel_.Receive();
    if (absl::IsAborted(message.status()) ||
        absl::IsUnavailable(message.status())) {
      return absl::OkStatus();
    }
    if (!message.ok()) return message.status();
    ChannelRequest request;
    if (!request.ParseFromString(message->payload)) {
      return absl::InvalidArgumentError("a request does not parse");
    }
    GRAPHD_RETURN_IF_ERROR(AllowProcessorTime());
    ChannelReply reply;
    reply.set_id(request.id());
    try {
      Serve(request, reply);
    } catch (const std::bad_alloc&) {
      reply.clear_body();
      reply.set_code(
          static_cast<int32_t>(absl::StatusCode::kResourceExhausted));
      reply.set_message(absl::StrCat("compilation passed its memory limit of ",
                                     limits_.memory_bytes,
                                     " bytes (--compiler-memory)"));
    }
    const absl::Status sent = channel_.Send(reply.SerializeAsString());
    if (absl::IsUnavailable(sent)) return absl::OkStatus();
    GRAPHD_RETURN_IF_ERROR(sent);
  }
}

void CompilerLoop::Serve(const ChannelRequest& request, ChannelReply& reply) {
  Violations violations;
  absl::Status status;
  switch (request.body_case()) {
    case ChannelRequest::kCheck:
      status = Check(request.check(), violations, *reply.mutable_check());
      break;
    case ChannelRequest::kCompile:
      status = Compile(request.compile(), violations, *reply.mutable_compile());
      break;
    default:
      status =
          absl::InvalidArgumentError("the compiler checks and compiles only");
  }
  if (!status.ok()) reply.clear_body();
  reply.set_code(static_cast<int32_t>(status.code()));
  reply.set_message(std::string(status.message()));
  for (const Violation& found : violations.found()) {
    internal::v1::FieldViolation& message = *reply.add_violations();
    message.set_field(found.path);
    message.set_description(found.message);
  }
}

absl::StatusOr<std::vector<ModuleImage>> CompilerLoop::MakeImages(
    const Graph& graph, int capability, Violations& violations) {
  std::vector<ModuleImage> images;
  for (size_t i = 0; i < graph.modules.size(); ++i) {
    const Module& module = graph.modules[i];
    ModuleImage image;
    switch (module.kind) {
      case ModuleKind::kPtx:
        image.code = module.code;
        break;
      case ModuleKind::kCubin:
        image.kind = ImageKind::kCubin;
        image.code = module.code;
        break;
      case ModuleKind::kCudaSource: {
        if (nvrtc_ == nullptr) {
          GRAPHD_ASSIGN_OR_RETURN(nvrtc_, Nvrtc::Open());
        }
        auto compiled = nvrtc_->Compile(module, capability);
        if (absl::IsInvalidArgument(compiled.status())) {
          violations.Add(absl::StrCat("modules[", i, "].cuda_source"),
                         absl::StrCat("module \"", module.name,
                                      "\": ", compiled.status().message()));
          break;
        }
        if (!compiled.ok()) return compiled.status();
        image.code = std::move(compiled->ptx);
        image.lowered_names = std::move(compiled->lowered_names);
        break;
      }
    }
    images.push_back(std::move(image));
  }
  if (!violations.empty()) return violations.ToStatus("graph");
  return images;
}

absl::Status CompilerLoop::Check(const internal::v1::CheckRequest& request,
                                 Violations& violations,
                                 internal::v1::CheckReply& reply) {
  GRAPHD_ASSIGN_OR_RETURN(const Graph graph,
                          ParseGraphBytes(request.graph(), violations));
  GRAPHD_ASSIGN_OR_RETURN(const std::vector<ModuleImage> images,
                          MakeImages(graph, kCheckCapability, violations));
  violations.Append(CheckGraph(graph, images));
  if (!violations.empty()) return violations.ToStatus("graph");
  reply.set_summary(Summarize(graph, images).SerializeAsString());
  return absl::OkStatus();
}

absl::Status CompilerLoop::Compile(const internal::v1::CompileRequest& request,
                                   Violations& violations,
                                   internal::v1::CompileReply& reply) {
  GRAPHD_ASSIGN_OR_RETURN(const Graph graph,
                          ParseGraphBytes(request.graph(), violations));
  GRAPHD_ASSIGN_OR_RETURN(const DeviceDescription device,
                          DeviceFromRecord(request.device()));
  const int capability = device.capability_major * 10 + device.capability_minor;
  GRAPHD_ASSIGN_OR_RETURN(const std::vector<ModuleImage> images,
                          MakeImages(graph, capability, violations));
  CompileOptions options;
  options.streams = request.streams();
  options.skip_passes.assign(request.skip_passes().begin(),
                             request.skip_passes().end());
  options.keep_draft_text = request.keep_draft_text();
  const CompileClock clock{[] { return absl::Now(); }};
  GRAPHD_ASSIGN_OR_RETURN(const CompileResult result,
                          CompileGraph(graph, images, device, options, clock));
  reply.set_plan(SerializePlan(*result.plan));
  reply.set_explanation(
      PlanToPublic(*result.plan, result.explanation).SerializeAsString());
  return absl::OkStatus();
}

}  // namespace graphd
