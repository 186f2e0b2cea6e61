// Buffers, modules and parameters: what a graph declares before its nodes.
#include <cmath>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "core/graph/validation.h"

namespace graphd {
namespace {

// Names of one kind of declaration are unique.
class Names {
 public:
  Names(const Validation& v, absl::string_view noun, absl::string_view list)
      : v_(v), noun_(noun), list_(list) {}

  void Check(absl::string_view name, size_t index) {
    const std::string path = Field(At(list_, index), "name");
    CheckName(v_, noun_, name, path);
    if (name.empty()) return;
    const auto [it, is_new] = first_.try_emplace(name, index);
    if (!is_new) {
      v_.Add(path, "the name ", Quoted(name), " is taken by ",
             At(list_, it->second));
    }
  }

 private:
  const Validation& v_;
  absl::string_view noun_;
  absl::string_view list_;
  absl::flat_hash_map<absl::string_view, size_t> first_;
};

void CheckShape(const Validation& v, const Buffer& buffer,
                const std::string& path) {
  if (!buffer.element_type.has_value()) {
    if (!buffer.shape.empty()) {
      v.Add(Field(path, "shape"), "is given without an element type");
    }
    return;
  }
  const uint32_t element_bytes = SizeBytes(*buffer.element_type);
  if (buffer.shape.empty()) {
    if (buffer.size_bytes % element_bytes != 0) {
      v.Add(Field(path, "size_bytes"), buffer.size_bytes,
            " bytes are no whole number of ", Name(*buffer.element_type),
            " elements of ", element_bytes, " bytes");
    }
    return;
  }
  if (buffer.shape.size() > v.limits.rank) {
    v.Add(Field(path, "shape"), "has ", buffer.shape.size(),
          " dimensions; the limit is ", v.limits.rank);
    return;
  }
  for (size_t i = 0; i < buffer.shape.size(); ++i) {
    if (buffer.shape[i] == 0) {
      v.Add(At(path, "shape", i), "is 0; expected at least 1");
      return;
    }
  }
  const std::optional<uint64_t> bytes =
      ShapeBytes(*buffer.element_type, buffer.shape);
  if (!bytes.has_value()) {
    v.Add(Field(path, "shape"), "overflows: its size does not fit 64 bits");
  } else if (*bytes != buffer.size_bytes) {
    v.Add(Field(path, "shape"), "makes ", *bytes, " bytes of ",
          Name(*buffer.element_type), ", but size_bytes is ",
          buffer.size_bytes);
  }
}

void CheckCode(const Validation& v, const Module& module,
               const std::string& path) {
  static constexpr absl::string_view kFields[] = {"cuda_source", "ptx",
                                                  "cubin"};
  const std::string field =
      Field(path, kFields[static_cast<size_t>(module.kind)]);
  // A codec that found no code has said so.
  if (v.violations.Has(Field(path, "file")) ||
      v.violations.Has(Field(path, "code"))) {
    return;
  }
  if (module.code.empty()) {
    v.Add(field, "is empty; expected code");
    return;
  }
  if (module.kind == ModuleKind::kCubin) {
    const bool is_elf = absl::StartsWith(module.code,
                                         "\x7f"
                                         "ELF");
    const bool is_fatbin = absl::StartsWith(module.code, "\x50\xed\x55\xba");
    if (!is_elf && !is_fatbin) {
      v.Add(field, "is neither a cubin (ELF) nor a fatbin");
    }
    return;
  }
  const size_t zero = module.code.find('\0');
  if (zero != std::string::npos) {
    v.Add(field, "has a zero byte at offset ", zero, "; expected text");
    return;
  }
  if (const auto offset = FirstNonUtf8(module.code)) {
    v.Add(field, "is not UTF-8 at offset ", *offset);
  }
}

void CheckOptions(const Validation& v, const Module& module,
                  const std::string& path) {
  const auto check = [&](const std::vector<std::string>& list,
                         absl::string_view name, bool are_options) {
    const std::string field = Field(path, name);
    if (!list.empty() && module.kind != ModuleKind::kCudaSource) {
      v.Add(field, "is given, but only CUDA source takes it");
      return;
    }
    if (list.size() > v.limits.options) {
      v.Add(field, "has ", list.size(), " entries; the limit is ",
            v.limits.options);
      return;
    }
    for (size_t i = 0; i < list.size(); ++i) {
      const std::string at = At(path, name, i);
      if (!are_options) {
        CheckSymbol(v, "kernel", list[i], at);
      } else if (list[i].size() > v.limits.symbol_bytes) {
        v.Add(at, "is ", list[i].size(), " bytes long; the limit is ",
              v.limits.symbol_bytes);
      } else if (const auto refusal = RefusalOfOption(list[i])) {
        v.Add(at, *refusal);
      }
    }
  };
  check(module.options, "options", true);
  check(module.name_expressions, "name_expressions", false);
}

// A default or a bound: of the parameter's type, a value of it, not NaN.
bool CheckParameterValue(const Validation& v, const Parameter& parameter,
                         const std::optional<Scalar>& value,
                         const std::string& path) {
  if (!value.has_value()) return false;
  if (value->type != parameter.type) {
    v.Add(path, "is ", Name(value->type), ", but the parameter is ",
          Name(parameter.type));
    return false;
  }
  if (!value->IsCanonical()) {
    v.Add(path, "has bits beyond ", Name(value->type));
    return false;
  }
  if (IsFloat(value->type) && std::isnan(value->AsDouble())) {
    v.Add(path, "is not a number; expected a value with an order");
    return false;
  }
  return true;
}

}  // namespace

void CheckBuffers(const Validation& v) {
  Names names(v, "buffer", "buffers");
  uint64_t total_bytes = 0;
  for (size_t i = 0; i < v.graph.buffers.size(); ++i) {
    const Buffer& buffer = v.graph.buffers[i];
    const std::string path = At("buffers", i);
    names.Check(buffer.name, i);
    if (buffer.size_bytes == 0) {
      // A shape that says why (a zero extent, an overflow) has the finding.
      const bool shape_says_why =
          buffer.element_type.has_value() && !buffer.shape.empty() &&
          ShapeBytes(*buffer.element_type, buffer.shape).value_or(0) == 0;
      if (!shape_says_why && !v.violations.Has(Field(path, "element_type"))) {
        v.Add(Field(path, "size_bytes"), "is 0; expected at least 1 byte");
      }
    } else if (buffer.size_bytes > v.limits.buffer_bytes) {
      v.Add(Field(path, "size_bytes"), "is ", buffer.size_bytes,
            "; the limit is ", v.limits.buffer_bytes);
    }
    CheckShape(v, buffer, path);
    if (__builtin_add_overflow(total_bytes, buffer.size_bytes, &total_bytes)) {
      total_bytes = ~uint64_t{0};
    }
  }
  if (total_bytes > v.limits.total_bytes) {
    v.Add("buffers", "take ", total_bytes, " bytes together; the limit is ",
          v.limits.total_bytes);
  }
}

void CheckModules(const Validation& v) {
  Names names(v, "module", "modules");
  uint64_t code_bytes = 0;
  for (size_t i = 0; i < v.graph.modules.size(); ++i) {
    const Module& module = v.graph.modules[i];
    const std::string path = At("modules", i);
    names.Check(module.name, i);
    CheckCode(v, module, path);
    CheckOptions(v, module, path);
    code_bytes += module.code.size();
  }
  if (code_bytes > v.limits.code_bytes) {
    v.Add("modules", "hold ", code_bytes, " bytes of code; the limit is ",
          v.limits.code_bytes);
  }
}

void CheckParameters(const Validation& v) {
  Names names(v, "parameter", "parameters");
  for (size_t i = 0; i < v.graph.parameters.size(); ++i) {
    const Parameter& parameter = v.graph.parameters[i];
    const std::string path = At("parameters", i);
    names.Check(parameter.name, i);
    const std::string default_path = Field(path, "default_value");
    const bool has_minimum = CheckParameterValue(
        v, parameter, parameter.minimum, Field(path, "minimum"));
    const bool has_maximum = CheckParameterValue(
        v, parameter, parameter.maximum, Field(path, "maximum"));
    const bool has_default = CheckParameterValue(
        v, parameter, parameter.default_value, default_path);
    if (has_minimum && has_maximum &&
        !LessOrEqual(*parameter.minimum, *parameter.maximum)) {
      v.Add(Field(path, "minimum"), parameter.minimum->ToString(),
            " is above the maximum ", parameter.maximum->ToString());
      continue;
    }
    if (has_default && has_minimum &&
        !LessOrEqual(*parameter.minimum, *parameter.default_value)) {
      v.Add(default_path, parameter.default_value->ToString(),
            " is below the minimum ", parameter.minimum->ToString());
    }
    if (has_default && has_maximum &&
        !LessOrEqual(*parameter.default_value, *parameter.maximum)) {
      v.Add(default_path, parameter.default_value->ToString(),
            " is above the maximum ", parameter.maximum->ToString());
    }
  }
}

}  // namespace graphd
