// PlanToRecord and the bytes; plan_reader.cc holds the other direction.
#include "core/codec/plan_codec.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/codec/device_codec.h"

namespace graphd {
namespace {

namespace record = internal::v1;

void Write(const PlanImage& from, record::PlanImageRecord& to) {
  to.set_kind(static_cast<uint32_t>(from.kind));
  to.set_code(from.code);
  to.set_writes_variables(from.writes_variables);
}

void Write(const PlanBuffer& from, record::PlanBufferRecord& to) {
  to.set_name(from.name);
  to.set_place(static_cast<uint32_t>(from.place));
  to.set_size_bytes(from.size_bytes);
  to.set_offset_bytes(from.offset_bytes);
  to.set_image(from.image.valid() ? from.image.value() + 1 : 0);
  to.set_symbol(from.symbol);
  to.set_variable_image(from.variable_image);
}

void Write(const Parameter& from, record::PlanParameterRecord& to) {
  to.set_name(from.name);
  to.set_type(static_cast<uint32_t>(from.type));
  if (from.default_value) to.set_default_bits(from.default_value->bits);
  if (from.minimum) to.set_minimum_bits(from.minimum->bits);
  if (from.maximum) to.set_maximum_bits(from.maximum->bits);
}

void Write(const PlanBinding& from, record::PlanBindingRecord& to) {
  to.set_name(from.name);
  to.set_buffer(from.buffer.value());
}

void Write(const LaunchDimension& from, record::LaunchDimensionRecord& to) {
  if (from.parameter.valid()) {
    to.set_parameter(from.parameter.value() + 1);
  } else {
    to.set_value(from.value);
  }
}

void Write(const Argument& from, record::ArgumentRecord& to) {
  if (const auto* buffer = std::get_if<BufferArgument>(&from)) {
    to.mutable_address()->set_buffer(buffer->buffer.value());
    to.mutable_address()->set_offset_bytes(buffer->offset_bytes);
  } else if (const auto* scalar = std::get_if<Scalar>(&from)) {
    to.mutable_scalar()->set_type(static_cast<uint32_t>(scalar->type));
    to.mutable_scalar()->set_bits(scalar->bits);
  } else if (const auto* parameter = std::get_if<ParameterArgument>(&from)) {
    to.set_parameter(parameter->parameter.value());
  } else {
    const auto& bytes = std::get<BytesArgument>(from);
    to.mutable_bytes()->set_data(bytes.bytes);
    for (const BytesArgument::Relocation& relocation : bytes.relocations) {
      record::AddressRecord& written = *to.mutable_bytes()->add_relocations();
      written.set_buffer(relocation.buffer.value());
      written.set_offset_bytes(relocation.buffer_offset_bytes);
      written.set_at_bytes(relocation.offset_bytes);
    }
  }
}

void WriteBody(const KernelStep& from, record::PlanStepRecord& step) {
  record::KernelStepRecord& to = *step.mutable_kernel();
  to.set_image(from.image.value());
  to.set_function(from.function);
  for (const LaunchDimension& dimension : from.grid) {
    Write(dimension, *to.add_grid());
  }
  for (const LaunchDimension& dimension : from.block) {
    Write(dimension, *to.add_block());
  }
  to.set_shared_bytes(from.shared_bytes);
  for (const Argument& argument : from.args) Write(argument, *to.add_args());
}

void WriteBody(const MemcpyStep& from, record::PlanStepRecord& step) {
  record::MemcpyStepRecord& to = *step.mutable_memcpy();
  to.set_src(from.src.value());
  to.set_src_offset_bytes(from.src_offset_bytes);
  to.set_src_pitch_bytes(from.src_pitch_bytes);
  to.set_dst(from.dst.value());
  to.set_dst_offset_bytes(from.dst_offset_bytes);
  to.set_dst_pitch_bytes(from.dst_pitch_bytes);
  to.set_width_bytes(from.width_bytes);
  to.set_height(from.height);
}

void WriteBody(const MemsetStep& from, record::PlanStepRecord& step) {
  record::MemsetStepRecord& to = *step.mutable_memset();
  to.set_dst(from.dst.value());
  to.set_offset_bytes(from.offset_bytes);
  to.set_pattern(from.pattern);
  to.set_pattern_bytes(from.pattern_bytes);
  to.set_width(from.width);
  to.set_height(from.height);
  to.set_pitch_bytes(from.pitch_bytes);
}

void WriteBody(const EmptyStep&, record::PlanStepRecord& step) {
  step.mutable_empty();
}

void Write(const PlanStep& from, record::PlanStepRecord& to) {
  to.set_name(from.name);
  for (const std::string& node : from.nodes) to.add_nodes(node);
  std::visit([&](const auto& body) { WriteBody(body, to); }, from.body);
  to.set_stream(from.stream.value());
  for (const StepId wait : from.waits) to.add_waits(wait.value());
  to.set_phase(static_cast<uint32_t>(from.phase));
  for (const Access& access : from.accesses) {
    record::PlanAccessRecord& written = *to.add_accesses();
    written.set_buffer(access.buffer.value());
    written.set_kind(static_cast<uint32_t>(access.kind));
    written.set_offset_bytes(access.range.offset_bytes);
    written.set_width_bytes(access.range.width_bytes);
    written.set_pitch_bytes(access.range.pitch_bytes);
    written.set_rows(access.range.rows);
  }
}

}  // namespace

record::PlanRecord PlanToRecord(const Plan& plan) {
  record::PlanRecord to;
  to.set_format_version(Plan::kFormatVersion);
  to.set_graph(plan.graph.bytes.data(), plan.graph.bytes.size());
  *to.mutable_device() = DeviceToRecord(plan.device);
  to.mutable_device()->clear_name();
  to.mutable_device()->clear_uuid();
  for (const PlanImage& image : plan.images) Write(image, *to.add_images());
  for (const PlanBuffer& buffer : plan.buffers)
    Write(buffer, *to.add_buffers());
  for (const Parameter& parameter : plan.parameters) {
    Write(parameter, *to.add_parameters());
  }
  for (const PlanBinding& input : plan.inputs) Write(input, *to.add_inputs());
  for (const PlanBinding& output : plan.outputs) {
    Write(output, *to.add_outputs());
  }
  for (const PlanStep& step : plan.steps) Write(step, *to.add_steps());
  to.set_stream_count(plan.stream_count);
  to.set_device_arena_bytes(plan.device_arena_bytes);
  to.set_host_arena_bytes(plan.host_arena_bytes);
  return to;
}

std::string SerializePlan(const Plan& plan) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  PlanToRecord(plan).SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

absl::StatusOr<Plan> ParsePlan(absl::string_view bytes) {
  record::PlanRecord parsed;
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max()) ||
      !parsed.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::DataLossError(absl::StrCat(
        "the plan is damaged: its ", bytes.size(), " bytes do not parse"));
  }
  return PlanFromRecord(parsed);
}

Digest PlanDigest(const Plan& plan) { return Sha256(SerializePlan(plan)); }

}  // namespace graphd
