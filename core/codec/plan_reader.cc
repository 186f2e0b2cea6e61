// PlanFromRecord: reads a record and checks what executors rely on;
// plan_codec.cc holds the other direction.
#include <algorithm>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/codec/device_codec.h"
#include "core/codec/plan_codec.h"
#include "core/codec/scalar_codec.h"

namespace graphd {
namespace {

namespace record = internal::v1;

template <typename... Parts>
absl::Status Damaged(const Parts&... parts) {
  return absl::DataLossError(absl::StrCat("the plan is damaged: ", parts...));
}

// An index into a table of `size` entries.
absl::Status CheckIndex(absl::string_view path, uint64_t index, size_t size) {
  if (index < size) return absl::OkStatus();
  return Damaged(path, " is ", index, ", but there are ", size);
}

class PlanReader {
 public:
  explicit PlanReader(const record::PlanRecord& from) : from_(from) {}

  absl::StatusOr<Plan> Read();

 private:
  absl::Status ReadHead();
  absl::Status ReadImages();
  absl::Status ReadBuffers();
  absl::Status ReadParameters();
  absl::Status ReadBindings(
      const google::protobuf::RepeatedPtrField<record::PlanBindingRecord>& from,
      absl::string_view field, std::vector<PlanBinding>& to);
  absl::Status ReadStep(const record::PlanStepRecord& from, size_t index);
  absl::Status ReadAccess(const record::PlanAccessRecord& from,
                          const std::string& path, Access& to);
  absl::StatusOr<KernelStep> ReadKernel(const record::KernelStepRecord& from,
                                        const std::string& path);
  absl::Status ReadShape(const google::protobuf::RepeatedPtrField<
                             record::LaunchDimensionRecord>& from,
                         const std::string& path, LaunchShape& to);
  absl::StatusOr<Argument> ReadArgument(const record::ArgumentRecord& from,
                                        const std::string& path);
  absl::StatusOr<MemcpyStep> ReadMemcpy(const record::MemcpyStepRecord& from,
                                        const std::string& path);
  absl::StatusOr<MemsetStep> ReadMemset(const record::MemsetStepRecord& from,
                                        const std::string& path);
  // An address that a kernel gets: of a buffer, not beyond its end.
  absl::Status CheckAddress(const record::AddressRecord& from,
                            const std::string& path);
  absl::Status CheckRange(BufferId buffer, const ByteRange& range,
                          const std::string& path);

  const record::PlanRecord& from_;
  Plan plan_;
};

absl::Status PlanReader::ReadHead() {
  if (from_.format_version() != Plan::kFormatVersion) {
    return absl::FailedPreconditionError(
        absl::StrCat("the plan has format version ", from_.format_version(),
                     "; expected ", Plan::kFormatVersion));
  }
  if (from_.graph().size() != plan_.graph.bytes.size()) {
    return Damaged("the graph's digest has ", from_.graph().size(),
                   " bytes; expected ", plan_.graph.bytes.size());
  }
  std::copy(from_.graph().begin(), from_.graph().end(),
            plan_.graph.bytes.begin());
  absl::StatusOr<DeviceDescription> device = DeviceFromRecord(from_.device());
  if (!device.ok()) return Damaged(device.status().message());
  plan_.device = *std::move(device);
  // A stream that no step uses is useless; this bounds what executors create.
  const uint64_t most = std::max(1, from_.steps_size());
  if (from_.stream_count() < 1 || from_.stream_count() > most) {
    return Damaged("stream_count is ", from_.stream_count(), "; expected 1 to ",
                   most);
  }
  plan_.stream_count = from_.stream_count();
  plan_.device_arena_bytes = from_.device_arena_bytes();
  plan_.host_arena_bytes = from_.host_arena_bytes();
  return absl::OkStatus();
}

absl::Status PlanReader::ReadImages() {
  for (int i = 0; i < from_.images_size(); ++i) {
    const record::PlanImageRecord& image = from_.images(i);
    if (image.kind() > static_cast<uint32_t>(ImageKind::kCubin)) {
      return Damaged("images[", i, "].kind is ", image.kind());
    }
    plan_.images.push_back({static_cast<ImageKind>(image.kind()), image.code(),
                            image.writes_variables()});
  }
  return absl::OkStatus();
}

absl::Status PlanReader::ReadBuffers() {
  for (int i = 0; i < from_.buffers_size(); ++i) {
    const record::PlanBufferRecord& from = from_.buffers(i);
    const std::string path = absl::StrCat("buffers[", i, "]");
    if (from.place() > static_cast<uint32_t>(BufferPlace::kModuleVariable)) {
      return Damaged(path, ".place is ", from.place());
    }
    PlanBuffer buffer{.name = from.name(),
                      .place = static_cast<BufferPlace>(from.place()),
                      .size_bytes = from.size_bytes(),
                      .offset_bytes = from.offset_bytes(),
                      .image = {},
                      .symbol = from.symbol(),
                      .variable_image = from.variable_image()};
    if (from.image() > 0) {
      GRAPHD_RETURN_IF_ERROR(CheckIndex(absl::StrCat(path, ".image"),
                                        from.image() - 1, plan_.images.size()));
      buffer.image = ImageId(from.image() - 1);
    }
    const bool is_variable = buffer.place == BufferPlace::kModuleVariable;
    if (is_variable || buffer.variable_image) {
      if (!buffer.image.valid() || buffer.symbol.empty()) {
        return Damaged(path, " is a variable without image or symbol");
      }
    }
    if (buffer.variable_image && buffer.place != BufferPlace::kHostArena) {
      return Damaged(path, ".variable_image is set outside the host arena");
    }
    if (!is_variable) {
      const uint64_t arena = buffer.place == BufferPlace::kDeviceArena
                                 ? plan_.device_arena_bytes
                                 : plan_.host_arena_bytes;
      if (buffer.size_bytes > arena ||
          buffer.offset_bytes > arena - buffer.size_bytes) {
        return Damaged(path, " has ", buffer.size_bytes, " bytes at ",
                       buffer.offset_bytes, " of an arena of ", arena);
      }
    }
    plan_.buffers.push_back(std::move(buffer));
  }
  return absl::OkStatus();
}

absl::Status PlanReader::ReadParameters() {
  for (int i = 0; i < from_.parameters_size(); ++i) {
    const record::PlanParameterRecord& from = from_.parameters(i);
    const std::optional<ScalarType> type = ScalarTypeFromNumber(from.type());
    if (!type.has_value()) {
      return Damaged("parameters[", i, "].type is ", from.type());
    }
    Parameter parameter{from.name(), *type, {}, {}, {}};
    const auto scalar = [&](bool has, uint64_t bits) -> std::optional<Scalar> {
      if (!has) return std::nullopt;
      return Scalar{*type, bits};
    };
    parameter.default_value =
        scalar(from.has_default_bits(), from.default_bits());
    parameter.minimum = scalar(from.has_minimum_bits(), from.minimum_bits());
    parameter.maximum = scalar(from.has_maximum_bits(), from.maximum_bits());
    for (const auto& value :
         {parameter.default_value, parameter.minimum, parameter.maximum}) {
      if (value.has_value() && !value->IsCanonical()) {
        return Damaged("parameters[", i, "] has bits beyond ", Name(*type));
      }
    }
    plan_.parameters.push_back(std::move(parameter));
  }
  return absl::OkStatus();
}

absl::Status PlanReader::ReadBindings(
    const google::protobuf::RepeatedPtrField<record::PlanBindingRecord>& from,
    absl::string_view field, std::vector<PlanBinding>& to) {
  for (int i = 0; i < from.size(); ++i) {
    const std::string path = absl::StrCat(field, "[", i, "].buffer");
    GRAPHD_RETURN_IF_ERROR(
        CheckIndex(path, from[i].buffer(), plan_.buffers.size()));
    const BufferId buffer(from[i].buffer());
    if (plan_.buffers[buffer.index()].place != BufferPlace::kHostArena) {
      return Damaged(path, " is not in the host arena");
    }
    to.push_back({from[i].name(), buffer});
  }
  return absl::OkStatus();
}

absl::Status PlanReader::CheckRange(BufferId buffer, const ByteRange& range,
                                    const std::string& path) {
  const uint64_t size = plan_.buffers[buffer.index()].size_bytes;
  if (!EndFits(range) || range.end_bytes() > size) {
    return Damaged(path, " leaves its buffer of ", size, " bytes");
  }
  return absl::OkStatus();
}

absl::Status PlanReader::ReadAccess(const record::PlanAccessRecord& from,
                                    const std::string& path, Access& to) {
  GRAPHD_RETURN_IF_ERROR(CheckIndex(absl::StrCat(path, ".buffer"),
                                    from.buffer(), plan_.buffers.size()));
  if (from.kind() > static_cast<uint32_t>(AccessKind::kMustWrite)) {
    return Damaged(path, ".kind is ", from.kind());
  }
  to = {BufferId(from.buffer()),
        {.offset_bytes = from.offset_bytes(),
         .width_bytes = from.width_bytes(),
         .pitch_bytes = from.pitch_bytes(),
         .rows = from.rows()},
        static_cast<AccessKind>(from.kind())};
  return CheckRange(to.buffer, to.range, path);
}

absl::Status PlanReader::ReadShape(const google::protobuf::RepeatedPtrField<
                                       record::LaunchDimensionRecord>& from,
                                   const std::string& path, LaunchShape& to) {
  if (from.size() != 3) {
    return Damaged(path, " has ", from.size(), " dimensions; expected 3");
  }
  for (int i = 0; i < 3; ++i) {
    if (from[i].parameter() > 0) {
      GRAPHD_RETURN_IF_ERROR(CheckIndex(absl::StrCat(path, "[", i, "]"),
                                        from[i].parameter() - 1,
                                        plan_.parameters.size()));
      to[i] = {1, ParameterId(from[i].parameter() - 1)};
    } else if (from[i].value() == 0) {
      return Damaged(path, "[", i, "] is 0");
    } else {
      to[i] = {from[i].value(), {}};
    }
  }
  return absl::OkStatus();
}

absl::Status PlanReader::CheckAddress(const record::AddressRecord& from,
                                      const std::string& path) {
  GRAPHD_RETURN_IF_ERROR(CheckIndex(absl::StrCat(path, ".buffer"),
                                    from.buffer(), plan_.buffers.size()));
  const uint64_t size = plan_.buffers[from.buffer()].size_bytes;
  if (from.offset_bytes() > size) {
    return Damaged(path, " starts at byte ", from.offset_bytes(),
                   " of a buffer of ", size);
  }
  return absl::OkStatus();
}

absl::StatusOr<Argument> PlanReader::ReadArgument(
    const record::ArgumentRecord& from, const std::string& path) {
  switch (from.value_case()) {
    case record::ArgumentRecord::kAddress:
      GRAPHD_RETURN_IF_ERROR(CheckAddress(from.address(), path));
      return BufferArgument{BufferId(from.address().buffer()),
                            from.address().offset_bytes()};
    case record::ArgumentRecord::kScalar: {
      const auto type = ScalarTypeFromNumber(from.scalar().type());
      if (!type.has_value()) {
        return Damaged(path, ".type is ", from.scalar().type());
      }
      const Scalar scalar{*type, from.scalar().bits()};
      if (!scalar.IsCanonical()) {
        return Damaged(path, " has bits beyond ", Name(*type));
      }
      return scalar;
    }
    case record::ArgumentRecord::kParameter:
      GRAPHD_RETURN_IF_ERROR(
          CheckIndex(path, from.parameter(), plan_.parameters.size()));
      return ParameterArgument{ParameterId(from.parameter())};
    case record::ArgumentRecord::kBytes: {
      BytesArgument bytes{.bytes = from.bytes().data(), .relocations = {}};
      for (const record::AddressRecord& address : from.bytes().relocations()) {
        GRAPHD_RETURN_IF_ERROR(CheckAddress(address, path));
        if (bytes.bytes.size() < 8 ||
            address.at_bytes() > bytes.bytes.size() - 8) {
          return Damaged(path, " has a pointer at byte ", address.at_bytes(),
                         " of a struct of ", bytes.bytes.size());
        }
        bytes.relocations.push_back({address.at_bytes(),
                                     BufferId(address.buffer()),
                                     address.offset_bytes()});
      }
      return bytes;
    }
    case record::ArgumentRecord::VALUE_NOT_SET:
      break;
  }
  return Damaged(path, " is empty");
}

absl::StatusOr<KernelStep> PlanReader::ReadKernel(
    const record::KernelStepRecord& from, const std::string& path) {
  KernelStep kernel;
  GRAPHD_RETURN_IF_ERROR(CheckIndex(absl::StrCat(path, ".image"), from.image(),
                                    plan_.images.size()));
  kernel.image = ImageId(from.image());
  kernel.function = from.function();
  GRAPHD_RETURN_IF_ERROR(
      ReadShape(from.grid(), absl::StrCat(path, ".grid"), kernel.grid));
  GRAPHD_RETURN_IF_ERROR(
      ReadShape(from.block(), absl::StrCat(path, ".block"), kernel.block));
  kernel.shared_bytes = from.shared_bytes();
  kernel.args.reserve(from.args_size());
  for (int i = 0; i < from.args_size(); ++i) {
    GRAPHD_ASSIGN_OR_RETURN(
        Argument argument,
        ReadArgument(from.args(i), absl::StrCat(path, ".args[", i, "]")));
    kernel.args.push_back(std::move(argument));
  }
  return kernel;
}

absl::StatusOr<MemcpyStep> PlanReader::ReadMemcpy(
    const record::MemcpyStepRecord& from, const std::string& path) {
  GRAPHD_RETURN_IF_ERROR(
      CheckIndex(absl::StrCat(path, ".src"), from.src(), plan_.buffers.size()));
  GRAPHD_RETURN_IF_ERROR(
      CheckIndex(absl::StrCat(path, ".dst"), from.dst(), plan_.buffers.size()));
  MemcpyStep copy{.src = BufferId(from.src()),
                  .src_offset_bytes = from.src_offset_bytes(),
                  .src_pitch_bytes = from.src_pitch_bytes(),
                  .dst = BufferId(from.dst()),
                  .dst_offset_bytes = from.dst_offset_bytes(),
                  .dst_pitch_bytes = from.dst_pitch_bytes(),
                  .width_bytes = from.width_bytes(),
                  .height = from.height()};
  GRAPHD_RETURN_IF_ERROR(CheckRange(copy.src,
                                    {.offset_bytes = copy.src_offset_bytes,
                                     .width_bytes = copy.width_bytes,
                                     .pitch_bytes = copy.src_pitch_bytes,
                                     .rows = copy.height},
                                    absl::StrCat(path, ".src")));
  GRAPHD_RETURN_IF_ERROR(CheckRange(copy.dst,
                                    {.offset_bytes = copy.dst_offset_bytes,
                                     .width_bytes = copy.width_bytes,
                                     .pitch_bytes = copy.dst_pitch_bytes,
                                     .rows = copy.height},
                                    absl::StrCat(path, ".dst")));
  return copy;
}

absl::StatusOr<MemsetStep> PlanReader::ReadMemset(
    const record::MemsetStepRecord& from, const std::string& path) {
  GRAPHD_RETURN_IF_ERROR(
      CheckIndex(absl::StrCat(path, ".dst"), from.dst(), plan_.buffers.size()));
  const uint32_t size = from.pattern_bytes();
  if (size != 1 && size != 2 && size != 4) {
    return Damaged(path, ".pattern_bytes is ", size);
  }
  if (from.width() > std::numeric_limits<uint64_t>::max() / size) {
    return Damaged(path, ".width overflows");
  }
  MemsetStep fill{.dst = BufferId(from.dst()),
                  .offset_bytes = from.offset_bytes(),
                  .pattern = from.pattern(),
                  .pattern_bytes = size,
                  .width = from.width(),
                  .height = from.height(),
                  .pitch_bytes = from.pitch_bytes()};
  GRAPHD_RETURN_IF_ERROR(CheckRange(fill.dst, FilledRange(fill), path));
  return fill;
}

absl::Status PlanReader::ReadStep(const record::PlanStepRecord& from,
                                  size_t index) {
  const std::string path = absl::StrCat("steps[", index, "]");
  PlanStep step;
  step.name = from.name();
  step.nodes.assign(from.nodes().begin(), from.nodes().end());
  switch (from.body_case()) {
    case record::PlanStepRecord::kKernel: {
      GRAPHD_ASSIGN_OR_RETURN(step.body, ReadKernel(from.kernel(), path));
      break;
    }
    case record::PlanStepRecord::kMemcpy: {
      GRAPHD_ASSIGN_OR_RETURN(step.body, ReadMemcpy(from.memcpy(), path));
      break;
    }
    case record::PlanStepRecord::kMemset: {
      GRAPHD_ASSIGN_OR_RETURN(step.body, ReadMemset(from.memset(), path));
      break;
    }
    case record::PlanStepRecord::kEmpty:
      step.body = EmptyStep{};
      break;
    case record::PlanStepRecord::BODY_NOT_SET:
      return Damaged(path, " has no body");
  }
  GRAPHD_RETURN_IF_ERROR(CheckIndex(absl::StrCat(path, ".stream"),
                                    from.stream(), plan_.stream_count));
  step.stream = StreamId(from.stream());
  for (const uint32_t wait : from.waits()) {
    GRAPHD_RETURN_IF_ERROR(
        CheckIndex(absl::StrCat(path, ".waits"), wait, index));
    if (!step.waits.empty() && step.waits.back().value() >= wait) {
      return Damaged(path, ".waits are not ascending");
    }
    step.waits.push_back(StepId(wait));
  }
  if (from.phase() > static_cast<uint32_t>(RunPhase::kLast)) {
    return Damaged(path, ".phase is ", from.phase());
  }
  step.phase = static_cast<RunPhase>(from.phase());
  step.accesses.resize(from.accesses_size());
  for (int i = 0; i < from.accesses_size(); ++i) {
    GRAPHD_RETURN_IF_ERROR(ReadAccess(from.accesses(i),
                                      absl::StrCat(path, ".accesses[", i, "]"),
                                      step.accesses[i]));
  }
  plan_.steps.push_back(std::move(step));
  return absl::OkStatus();
}

absl::StatusOr<Plan> PlanReader::Read() {
  GRAPHD_RETURN_IF_ERROR(ReadHead());
  GRAPHD_RETURN_IF_ERROR(ReadImages());
  GRAPHD_RETURN_IF_ERROR(ReadBuffers());
  GRAPHD_RETURN_IF_ERROR(ReadParameters());
  GRAPHD_RETURN_IF_ERROR(ReadBindings(from_.inputs(), "inputs", plan_.inputs));
  GRAPHD_RETURN_IF_ERROR(
      ReadBindings(from_.outputs(), "outputs", plan_.outputs));
  plan_.steps.reserve(from_.steps_size());
  for (int i = 0; i < from_.steps_size(); ++i) {
    GRAPHD_RETURN_IF_ERROR(ReadStep(from_.steps(i), i));
  }
  return std::move(plan_);
}

}  // namespace

absl::StatusOr<Plan> PlanFromRecord(const record::PlanRecord& from) {
  return PlanReader(from).Read();
}

}  // namespace graphd
