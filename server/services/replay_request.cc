#include "server/services/replay_request.h"

#include <algorithm>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/codec/scalar_codec.h"
#include "server/services/grpc_status.h"

namespace graphd {
namespace {

// Room for the parts of a response that are no tensors.
constexpr uint64_t kEnvelopeBytes = 64 << 10;

std::string Key(absl::string_view field, absl::string_view name) {
  return absl::StrCat(field, "[\"", absl::CEscape(name.substr(0, 80)), "\"]");
}

template <typename Named>
const Named* Find(const std::vector<Named>& all, const std::string& name) {
  for (const Named& one : all) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

template <typename Named>
std::string NamesOf(const std::vector<Named>& all) {
  if (all.empty()) return "the graph has none";
  std::string names = absl::StrJoin(
      all.begin(),
      all.begin() + static_cast<long>(std::min<size_t>(all.size(), 16)), ", ",
      [](std::string* out, const Named& one) {
        absl::StrAppend(out, "\"", one.name, "\"");
      });
  return absl::StrCat("the graph has ", names, all.size() > 16 ? ", …" : "");
}

std::string ShapeText(const std::vector<uint64_t>& shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ", "), "]");
}

void CheckTensor(const v1::Tensor& tensor, const Buffer& buffer,
                 const std::string& path, Violations& violations) {
  if (tensor.data().size() != buffer.size_bytes) {
    violations.Add(path, absl::StrCat("expected ", buffer.size_bytes,
                                      " bytes, found ", tensor.data().size()));
  }
  if (tensor.element_type() != v1::SCALAR_TYPE_UNSPECIFIED &&
      buffer.element_type.has_value()) {
    const auto type = ScalarTypeFromProto(tensor.element_type());
    if (!type.has_value() || *type != *buffer.element_type) {
      violations.Add(path, absl::StrCat("expected elements of type ",
                                        Name(*buffer.element_type), ", found ",
                                        type.has_value() ? Name(*type)
                                                         : "an unknown type"));
    }
  }
  if (tensor.shape_size() > 0 && !buffer.shape.empty()) {
    const std::vector<uint64_t> shape(tensor.shape().begin(),
                                      tensor.shape().end());
    if (shape != buffer.shape) {
      violations.Add(path,
                     absl::StrCat("expected shape ", ShapeText(buffer.shape),
                                  ", found ", ShapeText(shape)));
    }
  }
}

void CheckInputs(const v1::ReplayRequest& request, const GraphFacts& facts,
                 RunOrder& order, Violations& violations) {
  for (const Buffer& buffer : facts.inputs) {
    const auto given = request.inputs().find(buffer.name);
    if (given == request.inputs().end()) {
      violations.Add(
          Key("inputs", buffer.name),
          absl::StrCat("missing: expected ", buffer.size_bytes, " bytes"));
      continue;
    }
    CheckTensor(given->second, buffer, Key("inputs", buffer.name), violations);
    order.inputs.push_back({buffer.name, given->second.data()});
  }
  if (order.inputs.size() == request.inputs().size()) return;
  for (const auto& [name, tensor] : request.inputs()) {
    if (Find(facts.inputs, name) == nullptr) {
      violations.Add(Key("inputs", name),
                     absl::StrCat("no such input; ", NamesOf(facts.inputs)));
    }
  }
}

void CheckParameter(const v1::Scalar& message, const Parameter& parameter,
                    RunOrder& order, Violations& violations) {
  const std::string path = Key("parameters", parameter.name);
  const auto scalar = ScalarFromProto(message);
  if (!scalar.ok()) {
    violations.Add(path, std::string(scalar.status().message()));
    return;
  }
  if (scalar->type != parameter.type) {
    violations.Add(path, absl::StrCat("expected type ", Name(parameter.type),
                                      ", found ", Name(scalar->type)));
    return;
  }
  if (parameter.minimum.has_value() &&
      !LessOrEqual(*parameter.minimum, *scalar)) {
    violations.Add(
        path, absl::StrCat("expected at least ", parameter.minimum->ToString(),
                           ", found ", scalar->ToString()));
  }
  if (parameter.maximum.has_value() &&
      !LessOrEqual(*scalar, *parameter.maximum)) {
    violations.Add(
        path, absl::StrCat("expected at most ", parameter.maximum->ToString(),
                           ", found ", scalar->ToString()));
  }
  internal::v1::ParameterValue value;
  value.set_name(parameter.name);
  value.set_type(static_cast<uint32_t>(scalar->type));
  value.set_bits(scalar->bits);
  order.parameters.push_back(std::move(value));
}

void CheckParameters(const v1::ReplayRequest& request, const GraphFacts& facts,
                     RunOrder& order, Violations& violations) {
  for (const Parameter& parameter : facts.parameters) {
    const auto given = request.parameters().find(parameter.name);
    if (given != request.parameters().end()) {
      CheckParameter(given->second, parameter, order, violations);
    } else if (!parameter.default_value.has_value()) {
      violations.Add(Key("parameters", parameter.name),
                     absl::StrCat("missing: it has no default; expected a ",
                                  Name(parameter.type)));
    }
  }
  for (const auto& [name, scalar] : request.parameters()) {
    if (Find(facts.parameters, name) == nullptr) {
      violations.Add(
          Key("parameters", name),
          absl::StrCat("no such parameter; ", NamesOf(facts.parameters)));
    }
  }
}

void CheckOutputs(const v1::ReplayRequest& request, const GraphFacts& facts,
                  CheckedReplay& checked, Violations& violations) {
  if (request.outputs().empty()) {
    for (const Buffer& buffer : facts.outputs) {
      checked.outputs.push_back(&buffer);
    }
  }
  for (int i = 0; i < request.outputs_size(); ++i) {
    const std::string path = absl::StrCat("outputs[", i, "]");
    const Buffer* buffer = Find(facts.outputs, request.outputs(i));
    if (buffer == nullptr) {
      violations.Add(
          path, absl::StrCat("no output \"",
                             absl::CEscape(request.outputs(i).substr(0, 80)),
                             "\"; ", NamesOf(facts.outputs)));
    } else if (std::find(checked.outputs.begin(), checked.outputs.end(),
                         buffer) != checked.outputs.end()) {
      violations.Add(
          path, absl::StrCat("output \"", buffer->name, "\" is named twice"));
    } else {
      checked.outputs.push_back(buffer);
    }
  }
}

}  // namespace

absl::StatusOr<CheckedReplay> CheckReplay(const v1::ReplayRequest& request,
                                          const GraphFacts& facts,
                                          uint64_t max_message_bytes) {
  CheckedReplay checked;
  Violations violations;
  checked.order.count = request.count() == 0 ? 1 : request.count();
  if (checked.order.count > kMostExecutions) {
    violations.Add("count", absl::StrCat("expected at most ", kMostExecutions,
                                         ", found ", request.count()));
  }
  if (!v1::Executor_IsValid(request.executor())) {
    violations.Add("executor",
                   absl::StrCat("expected 0 to 2, found ", request.executor()));
  }
  checked.order.sequential = request.executor() == v1::EXECUTOR_SEQUENTIAL;
  CheckInputs(request, facts, checked.order, violations);
  CheckParameters(request, facts, checked.order, violations);
  CheckOutputs(request, facts, checked, violations);
  uint64_t output_bytes = kEnvelopeBytes;
  for (const Buffer* buffer : checked.outputs) {
    checked.order.outputs.push_back({buffer->name, buffer->size_bytes});
    output_bytes += buffer->size_bytes + buffer->name.size();
  }
  if (output_bytes > max_message_bytes) {
    violations.Add(
        "outputs",
        absl::StrCat("they take ", output_bytes,
                     " bytes with their envelope, a message holds ",
                     max_message_bytes, " (--max-message): ask for fewer"));
  }
  if (!violations.empty()) return ViolationsStatus(violations, "replay");
  return checked;
}

}  // namespace graphd
