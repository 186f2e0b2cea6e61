#include "core/codec/plan_view.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace graphd {
namespace {

std::string DimensionText(const Plan& plan, const LaunchDimension& dimension) {
  return dimension.parameter.valid()
             ? plan.parameters[dimension.parameter.index()].name
             : absl::StrCat(dimension.value);
}

std::string ShapeText(const Plan& plan, const LaunchShape& shape) {
  return absl::StrCat("(", DimensionText(plan, shape[0]), ", ",
                      DimensionText(plan, shape[1]), ", ",
                      DimensionText(plan, shape[2]), ")");
}

std::string AddressText(const Plan& plan, BufferId buffer,
                        uint64_t offset_bytes) {
  const std::string& name = plan.buffers[buffer.index()].name;
  return offset_bytes == 0 ? name : absl::StrCat(name, " + ", offset_bytes);
}

std::string ArgumentText(const Plan& plan, const Argument& argument) {
  if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
    return AddressText(plan, buffer->buffer, buffer->offset_bytes);
  }
  if (const auto* scalar = std::get_if<Scalar>(&argument)) {
    return scalar->ToString();
  }
  if (const auto* parameter = std::get_if<ParameterArgument>(&argument)) {
    return plan.parameters[parameter->parameter.index()].name;
  }
  const auto& bytes = std::get<BytesArgument>(argument);
  std::vector<std::string> pointers;
  for (const BytesArgument::Relocation& relocation : bytes.relocations) {
    pointers.push_back(
        AddressText(plan, relocation.buffer, relocation.buffer_offset_bytes));
  }
  return absl::StrCat("{", bytes.bytes.size(), " bytes",
                      pointers.empty() ? "" : ": ",
                      absl::StrJoin(pointers, ", "), "}");
}

std::string BodyText(const Plan& plan, const KernelStep& step) {
  std::vector<std::string> arguments;
  for (const Argument& argument : step.args) {
    arguments.push_back(ArgumentText(plan, argument));
  }
  return absl::StrCat(
      step.function, "<<<", ShapeText(plan, step.grid), ", ",
      ShapeText(plan, step.block),
      step.shared_bytes == 0 ? "" : absl::StrCat(", ", step.shared_bytes),
      ">>>(", absl::StrJoin(arguments, ", "), ")");
}

std::string BodyText(const Plan& plan, const MemcpyStep& step) {
  return absl::StrCat(
      step.height > 1 ? absl::StrCat(step.height, " rows of ") : "",
      step.width_bytes,
      " bytes: ", AddressText(plan, step.src, step.src_offset_bytes), " -> ",
      AddressText(plan, step.dst, step.dst_offset_bytes));
}

std::string BodyText(const Plan& plan, const MemsetStep& step) {
  return absl::StrCat(
      step.height > 1 ? absl::StrCat(step.height, " rows of ") : "",
      step.width * step.pattern_bytes, " bytes of 0x",
      absl::Hex(step.pattern, step.pattern_bytes == 1   ? absl::kZeroPad2
                              : step.pattern_bytes == 2 ? absl::kZeroPad4
                                                        : absl::kZeroPad8),
      " -> ", AddressText(plan, step.dst, step.offset_bytes));
}

std::string BodyText(const Plan&, const EmptyStep&) { return "barrier"; }

v1::PlanStep::Kind KindOf(const StepBody& body) {
  static constexpr v1::PlanStep::Kind kKinds[] = {
      v1::PlanStep::KIND_KERNEL, v1::PlanStep::KIND_MEMCPY,
      v1::PlanStep::KIND_MEMSET, v1::PlanStep::KIND_EMPTY};
  static_assert(std::variant_size_v<StepBody> == std::size(kKinds));
  return kKinds[body.index()];
}

absl::string_view PhaseText(RunPhase phase) {
  switch (phase) {
    case RunPhase::kEvery:
      return "";
    case RunPhase::kFirst:
      return " (first execution of a run)";
    case RunPhase::kLast:
      return " (last execution of a run)";
  }
  return "";
}

absl::string_view PlaceText(BufferPlace place) {
  switch (place) {
    case BufferPlace::kDeviceArena:
      return "device";
    case BufferPlace::kHostArena:
      return "host";
    case BufferPlace::kModuleVariable:
      return "module";
  }
  return "";
}

void WriteExplanation(const Explanation& from, v1::Plan& to) {
  for (const FusionDecision& decision : from.fusions) {
    v1::FusionDecision& written = *to.add_fusions();
    for (const std::string& node : decision.nodes) written.add_nodes(node);
    written.set_fused(decision.fused);
    written.set_reason(decision.reason);
  }
  for (const PassStatistics& pass : from.passes) {
    v1::PassStatistics& written = *to.add_passes();
    written.set_pass(pass.pass);
    written.set_skipped(pass.skipped);
    written.set_seconds(pass.seconds);
    written.set_nodes_before(pass.nodes_before);
    written.set_nodes_after(pass.nodes_after);
    written.set_draft_text(pass.draft_text);
  }
  for (const std::string& warning : from.warnings) to.add_warnings(warning);
  to.mutable_memory()->set_device_bound_bytes(from.device_arena_bound_bytes);
  to.mutable_memory()->set_device_unshared_bytes(from.device_unshared_bytes);
  to.set_edges(from.edges);
  to.set_waits(from.waits);
  to.set_makespan_ns(from.makespan_ns);
  to.set_critical_path_ns(from.critical_path_ns);
}

}  // namespace

std::string StepDetail(const Plan& plan, const PlanStep& step) {
  return absl::StrCat(
      std::visit([&](const auto& body) { return BodyText(plan, body); },
                 step.body),
      PhaseText(step.phase));
}

v1::Plan PlanToPublic(const Plan& plan, const Explanation& explanation) {
  v1::Plan to;
  to.set_graph_digest(plan.graph.ToString());
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const PlanStep& step = plan.steps[i];
    v1::PlanStep& written = *to.add_steps();
    written.set_name(step.name);
    written.set_kind(KindOf(step.body));
    for (const std::string& node : step.nodes) written.add_nodes(node);
    written.set_stream(step.stream.value());
    for (const StepId wait : step.waits) written.add_waits(wait.value());
    written.set_detail(StepDetail(plan, step));
    written.set_index(static_cast<uint32_t>(i));
  }
  to.set_total_steps(static_cast<uint32_t>(plan.steps.size()));
  to.set_streams(plan.stream_count);
  for (const PlanBuffer& buffer : plan.buffers) {
    v1::PlanBuffer& written = *to.add_buffers();
    written.set_name(buffer.name);
    written.set_place(std::string(PlaceText(buffer.place)));
    written.set_offset_bytes(buffer.offset_bytes);
    written.set_size_bytes(buffer.size_bytes);
  }
  to.mutable_memory()->set_device_arena_bytes(plan.device_arena_bytes);
  to.mutable_memory()->set_host_arena_bytes(plan.host_arena_bytes);
  WriteExplanation(explanation, to);
  return to;
}

}  // namespace graphd
