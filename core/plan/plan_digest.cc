#include "core/plan/plan_digest.h"

namespace graphd {
namespace {

class PlanHasher {
 public:
  Digest Hash(const Plan& plan) {
    builder_.Add(plan.graph).U32(Plan::kFormatVersion);
    AddDevice(plan.device);
    builder_.U64(plan.images.size());
    for (const PlanImage& image : plan.images) {
      builder_.U8(static_cast<uint8_t>(image.kind))
          .Bytes(image.code)
          .U8(image.writes_variables);
    }
    builder_.U64(plan.buffers.size());
    for (const PlanBuffer& buffer : plan.buffers) Add(buffer);
    builder_.U64(plan.parameters.size());
    for (const Parameter& parameter : plan.parameters) Add(parameter);
    for (const auto* bindings : {&plan.inputs, &plan.outputs}) {
      builder_.U64(bindings->size());
      for (const PlanBinding& b : *bindings) {
        builder_.Bytes(b.name).U32(b.buffer.value());
      }
    }
    builder_.U64(plan.steps.size());
    for (const PlanStep& step : plan.steps) Add(step);
    builder_.U32(plan.stream_count)
        .U64(plan.device_arena_bytes)
        .U64(plan.host_arena_bytes);
    return builder_.Finish();
  }

 private:
  void AddDevice(const DeviceDescription& device) {
    builder_.U8(static_cast<uint8_t>(device.device_class))
        .U32(static_cast<uint32_t>(device.capability_major))
        .U32(static_cast<uint32_t>(device.capability_minor))
        .U32(static_cast<uint32_t>(device.driver_version))
        .U32(device.sm_count)
        .U32(device.warp_size)
        .U64(device.memory_bytes)
        .U32(device.max_threads_per_block);
    for (const uint32_t limit : device.max_block) builder_.U32(limit);
    for (const uint32_t limit : device.max_grid) builder_.U32(limit);
    builder_.U32(device.shared_bytes_per_block)
        .U32(device.shared_bytes_per_block_optin)
        .U32(device.max_parameter_bytes);
  }

  void Add(const PlanBuffer& buffer) {
    builder_.Bytes(buffer.name)
        .U8(static_cast<uint8_t>(buffer.place))
        .U64(buffer.size_bytes)
        .U64(buffer.offset_bytes)
        .U32(buffer.image.value())
        .Bytes(buffer.symbol)
        .U8(buffer.variable_image);
  }

  void Add(const Parameter& parameter) {
    builder_.Bytes(parameter.name).U8(static_cast<uint8_t>(parameter.type));
    for (const auto* value :
         {&parameter.default_value, &parameter.minimum, &parameter.maximum}) {
      builder_.U8(value->has_value());
      if (value->has_value()) builder_.U64((*value)->bits);
    }
  }

  void Add(const ByteRange& range) {
    builder_.U64(range.offset_bytes)
        .U64(range.width_bytes)
        .U64(range.pitch_bytes)
        .U64(range.rows);
  }

  void Add(const LaunchShape& shape) {
    for (const LaunchDimension& dimension : shape) {
      builder_.U32(dimension.value).U32(dimension.parameter.value());
    }
  }

  void Add(const Argument& argument) {
    builder_.U8(static_cast<uint8_t>(argument.index()));
    if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
      builder_.U32(buffer->buffer.value()).U64(buffer->offset_bytes);
    } else if (const auto* scalar = std::get_if<Scalar>(&argument)) {
      builder_.U8(static_cast<uint8_t>(scalar->type)).U64(scalar->bits);
    } else if (const auto* named = std::get_if<ParameterArgument>(&argument)) {
      builder_.U32(named->parameter.value());
    } else {
      const auto& bytes = std::get<BytesArgument>(argument);
      builder_.Bytes(bytes.bytes).U64(bytes.relocations.size());
      for (const BytesArgument::Relocation& r : bytes.relocations) {
        builder_.U64(r.offset_bytes)
            .U32(r.buffer.value())
            .U64(r.buffer_offset_bytes);
      }
    }
  }

  void AddBody(const KernelStep& step) {
    builder_.U32(step.image.value()).Bytes(step.function);
    Add(step.grid);
    Add(step.block);
    builder_.U32(step.shared_bytes).U64(step.args.size());
    for (const Argument& argument : step.args) Add(argument);
  }
  void AddBody(const MemcpyStep& step) {
    builder_.U32(step.src.value())
        .U64(step.src_offset_bytes)
        .U64(step.src_pitch_bytes)
        .U32(step.dst.value())
        .U64(step.dst_offset_bytes)
        .U64(step.dst_pitch_bytes)
        .U64(step.width_bytes)
        .U64(step.height);
  }
  void AddBody(const MemsetStep& step) {
    builder_.U32(step.dst.value())
        .U64(step.offset_bytes)
        .U32(step.pattern)
        .U32(step.pattern_bytes)
        .U64(step.width)
        .U64(step.height)
        .U64(step.pitch_bytes);
  }
  void AddBody(const EmptyStep&) {}

  void Add(const PlanStep& step) {
    builder_.Bytes(step.name).U64(step.nodes.size());
    for (const std::string& node : step.nodes) builder_.Bytes(node);
    builder_.U8(static_cast<uint8_t>(step.body.index()));
    std::visit([&](const auto& body) { AddBody(body); }, step.body);
    builder_.U32(step.stream.value()).U64(step.waits.size());
    for (const StepId wait : step.waits) builder_.U32(wait.value());
    builder_.U8(static_cast<uint8_t>(step.phase)).U64(step.accesses.size());
    for (const Access& access : step.accesses) {
      builder_.U32(access.buffer.value());
      Add(access.range);
      builder_.U8(static_cast<uint8_t>(access.kind));
    }
  }

  DigestBuilder builder_;
};

}  // namespace

Digest PlanDigest(const Plan& plan) { return PlanHasher().Hash(plan); }

}  // namespace graphd
