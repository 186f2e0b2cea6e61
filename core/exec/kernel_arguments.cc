#include "core/exec/kernel_arguments.h"

#include <algorithm>
#include <cstring>
#include <variant>

namespace graphd {
namespace {

std::string LittleEndian(uint64_t bits, size_t size_bytes) {
  std::string bytes(size_bytes, '\0');
  std::memcpy(bytes.data(), &bits, size_bytes);
  return bytes;
}

std::string Encode(const LoadedPlan& loaded, const Argument& argument,
                   absl::Span<const Scalar> parameters) {
  if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
    return LittleEndian(loaded.address(buffer->buffer) + buffer->offset_bytes,
                        sizeof(CUdeviceptr));
  }
  if (const auto* scalar = std::get_if<Scalar>(&argument)) {
    return LittleEndian(scalar->bits, SizeBytes(scalar->type));
  }
  if (const auto* parameter = std::get_if<ParameterArgument>(&argument)) {
    const Scalar& value = parameters[parameter->parameter.index()];
    return LittleEndian(value.bits, SizeBytes(value.type));
  }
  const auto& structure = std::get<BytesArgument>(argument);
  std::string bytes = structure.bytes;
  for (const BytesArgument::Relocation& relocation : structure.relocations) {
    const uint64_t address =
        loaded.address(relocation.buffer) + relocation.buffer_offset_bytes;
    std::memcpy(bytes.data() + relocation.offset_bytes, &address,
                sizeof(address));
  }
  return bytes;
}

std::array<uint32_t, 3> Evaluate(const LaunchShape& shape,
                                 absl::Span<const Scalar> parameters) {
  std::array<uint32_t, 3> numbers{};
  for (size_t i = 0; i < 3; ++i) {
    numbers[i] =
        shape[i].parameter.valid()
            ? static_cast<uint32_t>(parameters[shape[i].parameter.index()].bits)
            : shape[i].value;
  }
  return numbers;
}

}  // namespace

KernelArguments::KernelArguments(const LoadedPlan& loaded,
                                 const KernelStep& step,
                                 absl::Span<const Scalar> parameters)
    : grid_(Evaluate(step.grid, parameters)),
      block_(Evaluate(step.block, parameters)) {
  values_.reserve(step.args.size());
  for (const Argument& argument : step.args) {
    values_.push_back(Encode(loaded, argument, parameters));
  }
  for (std::string& value : values_) pointers_.push_back(value.data());
}

bool Uses(const KernelStep& step, ParameterId parameter) {
  const auto dimension = [&](const LaunchDimension& d) {
    return d.parameter == parameter;
  };
  return std::any_of(step.grid.begin(), step.grid.end(), dimension) ||
         std::any_of(step.block.begin(), step.block.end(), dimension) ||
         std::any_of(
             step.args.begin(), step.args.end(), [&](const Argument& argument) {
               const auto* use = std::get_if<ParameterArgument>(&argument);
               return use != nullptr && use->parameter == parameter;
             });
}

}  // namespace graphd
