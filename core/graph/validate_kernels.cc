// A kernel node's fields: launch shape, arguments, declared accesses.
#include <algorithm>

#include "core/graph/validation.h"

namespace graphd {
namespace {

constexpr absl::string_view kAxes[] = {"x", "y", "z"};

// The largest value that one dimension may take; nullopt after a finding.
std::optional<uint64_t> CheckDimension(const Validation& v,
                                       const LaunchDimension& dimension,
                                       uint64_t limit, absl::string_view noun,
                                       const std::string& path) {
  if (v.violations.Has(path)) return std::nullopt;
  if (!dimension.parameter.valid()) {
    if (dimension.value == 0) {
      v.Add(path, "is 0; a launch dimension is at least 1");
      return std::nullopt;
    }
    if (dimension.value > limit) {
      v.Add(path, "is ", dimension.value, "; CUDA's limit is ", limit, " for ",
            noun);
      return std::nullopt;
    }
    return dimension.value;
  }
  const Parameter* parameter = v.FindParameter(dimension.parameter, path);
  if (parameter == nullptr ||
      v.violations.Has(
          Field(At("parameters", dimension.parameter.index()), "type"))) {
    return std::nullopt;
  }
  const std::string name = absl::StrCat("parameter ", Quoted(parameter->name));
  if (IsFloat(parameter->type) || parameter->type == ScalarType::kBool) {
    v.Add(path, name, " is ", Name(parameter->type),
          "; a launch dimension is an integer");
    return std::nullopt;
  }
  // Types that disagree, or bits beyond a type, have their own findings.
  for (const auto& bound : {parameter->minimum, parameter->maximum}) {
    if (!bound.has_value()) {
      v.Add(path, name,
            " needs a minimum and a maximum to be a launch "
            "dimension");
      return std::nullopt;
    }
    if (bound->type != parameter->type || !bound->IsCanonical()) {
      return std::nullopt;
    }
  }
  const Scalar one = *Scalar::FromUnsigned(parameter->type, 1);
  if (!LessOrEqual(one, *parameter->minimum)) {
    v.Add(path, name, " may be ", parameter->minimum->ToString(),
          "; a launch dimension is at least 1");
    return std::nullopt;
  }
  // At least the minimum, hence not negative, unless the range is empty, which
  // has its own finding.
  if (!LessOrEqual(*parameter->minimum, *parameter->maximum)) {
    return std::nullopt;
  }
  if (parameter->maximum->bits > limit) {
    v.Add(path, name, " may be ", parameter->maximum->ToString(),
          "; CUDA's limit is ", limit, " for ", noun);
    return std::nullopt;
  }
  return parameter->maximum->bits;
}

void CheckLaunch(const Validation& v, const KernelNode& node,
                 const std::string& path) {
  uint64_t threads = 1;
  bool known = true;
  for (size_t axis = 0; axis < 3; ++axis) {
    CheckDimension(v, node.grid[axis], kMaxGrid[axis],
                   absl::StrCat("a grid in ", kAxes[axis]),
                   At(path, "grid", axis));
    const std::optional<uint64_t> extent = CheckDimension(
        v, node.block[axis], kMaxBlock[axis],
        absl::StrCat("a block in ", kAxes[axis]), At(path, "block", axis));
    known = known && extent.has_value();
    threads *= extent.value_or(1);
  }
  if (known && threads > kMaxBlockThreads) {
    v.Add(Field(path, "block"), "may have ", threads,
          " threads; CUDA's limit is ", kMaxBlockThreads);
  }
  if (node.shared_bytes > kMaxSharedBytes) {
    v.Add(Field(path, "shared_bytes"), "is ", node.shared_bytes,
          "; no device has more than ", kMaxSharedBytes);
  }
}

// An address that a kernel gets: of device memory, inside the buffer, aligned
// to its elements.
void CheckAddress(const Validation& v, BufferId id, uint64_t offset_bytes,
                  const std::string& path) {
  const Buffer* buffer = v.FindBuffer(id, path);
  if (buffer == nullptr) return;
  if (buffer->space == MemorySpace::kHost) {
    v.Add(path, "passes buffer ", Quoted(buffer->name),
          ", which is in HOST space; kernels see DEVICE buffers only");
  }
  if (offset_bytes != 0 && offset_bytes >= buffer->size_bytes) {
    v.Add(path, "starts at byte ", offset_bytes, " of buffer ",
          Quoted(buffer->name), ", which has ", buffer->size_bytes, " bytes");
  } else if (buffer->element_type.has_value() &&
             offset_bytes % SizeBytes(*buffer->element_type) != 0) {
    v.Add(path, "starts at byte ", offset_bytes, " of buffer ",
          Quoted(buffer->name), ", whose ", Name(*buffer->element_type),
          " elements need a multiple of ", SizeBytes(*buffer->element_type));
  }
}

void CheckStruct(const Validation& v, const BytesArgument& argument,
                 const std::string& path) {
  constexpr uint64_t kPointerBytes = 8;
  if (argument.bytes.empty()) {
    v.Add(path, "is a struct of 0 bytes; expected at least 1 byte");
  }
  std::vector<uint64_t> offsets;
  for (size_t i = 0; i < argument.relocations.size(); ++i) {
    const BytesArgument::Relocation& relocation = argument.relocations[i];
    const std::string at = At(path, "relocations", i);
    CheckAddress(v, relocation.buffer, relocation.buffer_offset_bytes, at);
    if (relocation.offset_bytes % kPointerBytes != 0) {
      v.Add(at, "puts a pointer at byte ", relocation.offset_bytes,
            ", which is no multiple of 8");
    } else if (argument.bytes.size() < kPointerBytes ||
               relocation.offset_bytes >
                   argument.bytes.size() - kPointerBytes) {
      v.Add(at, "puts a pointer at byte ", relocation.offset_bytes,
            " of a struct of ", argument.bytes.size(), " bytes");
    } else if (std::find(offsets.begin(), offsets.end(),
                         relocation.offset_bytes) != offsets.end()) {
      v.Add(at, "puts a second pointer at byte ", relocation.offset_bytes);
    } else {
      offsets.push_back(relocation.offset_bytes);
    }
  }
}

void CheckArguments(const Validation& v, const KernelNode& node,
                    const std::string& path) {
  if (node.args.size() > v.limits.args) {
    v.Add(Field(path, "args"), "has ", node.args.size(),
          " entries; the limit is ", v.limits.args);
    return;
  }
  uint64_t total_bytes = 0;
  for (size_t i = 0; i < node.args.size(); ++i) {
    const std::string at = At(path, "args", i);
    if (const auto* buffer = std::get_if<BufferArgument>(&node.args[i])) {
      total_bytes += 8;
      CheckAddress(v, buffer->buffer, buffer->offset_bytes, at);
    } else if (const auto* scalar = std::get_if<Scalar>(&node.args[i])) {
      total_bytes += SizeBytes(scalar->type);
      if (!scalar->IsCanonical()) {
        v.Add(at, "has bits beyond ", Name(scalar->type));
      }
    } else if (const auto* parameter =
                   std::get_if<ParameterArgument>(&node.args[i])) {
      const Parameter* found = v.FindParameter(parameter->parameter, at);
      if (found != nullptr) total_bytes += SizeBytes(found->type);
    } else {
      const auto& bytes = std::get<BytesArgument>(node.args[i]);
      total_bytes += bytes.bytes.size();
      // A struct beyond the limit is not looked into.
      if (bytes.bytes.size() <= v.limits.argument_bytes &&
          bytes.relocations.size() <= v.limits.argument_bytes / 8) {
        CheckStruct(v, bytes, at);
      } else {
        total_bytes += 8 * bytes.relocations.size();
      }
    }
  }
  if (total_bytes > v.limits.argument_bytes) {
    v.Add(Field(path, "args"), "take ", total_bytes,
          " bytes together; the limit is ", v.limits.argument_bytes);
  }
}

void CheckAccesses(const Validation& v, const KernelNode& node,
                   const std::string& path) {
  const std::string accesses_path = Field(path, "accesses");
  if (node.accesses.size() > v.limits.accesses) {
    v.Add(accesses_path, "has ", node.accesses.size(),
          " entries; the limit is ", v.limits.accesses);
    return;
  }
  for (size_t i = 0; i < node.accesses.size(); ++i) {
    const Access& access = node.accesses[i];
    const std::string at = At(accesses_path, "accesses", i);
    const Buffer* buffer = v.FindBuffer(access.buffer, at);
    if (buffer == nullptr) continue;
    if (buffer->space == MemorySpace::kHost) {
      v.Add(at, "names buffer ", Quoted(buffer->name),
            ", which is in HOST space; kernels see DEVICE buffers only");
    }
    if (access.range.width_bytes == 0 || access.range.rows == 0) {
      v.Add(at, "covers no bytes of buffer ", Quoted(buffer->name),
            ", which has ", buffer->size_bytes, " bytes");
      continue;
    }
    CheckRange(v, *buffer, access.range,
               IsWrite(access.kind) ? "writes" : "reads", at);
  }
}

}  // namespace

void CheckKernel(const Validation& v, const KernelNode& node,
                 const std::string& path) {
  const Module* module = v.FindModule(node.module, Field(path, "module"));
  CheckSymbol(v, "kernel", node.function, Field(path, "function"));
  CheckLaunch(v, node, path);
  CheckArguments(v, node, path);
  if (node.accesses_declared) {
    CheckAccesses(v, node, path);
  } else if (module != nullptr && module->kind == ModuleKind::kCubin) {
    v.Add(Field(path, "accesses"), "is missing; module ", Quoted(module->name),
          " is a cubin, whose kernels' accesses must be declared");
  }
}

}  // namespace graphd
