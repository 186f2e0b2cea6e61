#include "core/exec/binding.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/graph/violation.h"

namespace graphd {
namespace {

const PlanBinding* Find(const std::vector<PlanBinding>& bindings,
                        const std::string& name) {
  const auto it =
      std::find_if(bindings.begin(), bindings.end(),
                   [&](const PlanBinding& b) { return b.name == name; });
  return it == bindings.end() ? nullptr : &*it;
}

std::string Path(absl::string_view field, absl::string_view name) {
  return absl::StrCat(field, "[\"", name, "\"]");
}

// The findings common to inputs and outputs: unknown, twice, wrong-sized.
template <typename Bound>
void CheckEach(const Plan& plan, absl::string_view field,
               const std::vector<PlanBinding>& bindings,
               const std::vector<Bound>& given, Violations& violations) {
  for (size_t i = 0; i < given.size(); ++i) {
    const Bound& bound = given[i];
    const std::string path = Path(field, bound.name);
    const PlanBinding* binding = Find(bindings, bound.name);
    if (binding == nullptr) {
      violations.Add(path, absl::StrCat("the graph has no such ",
                                        field.substr(0, field.size() - 1)));
      continue;
    }
    const uint64_t size_bytes =
        plan.buffers[binding->buffer.index()].size_bytes;
    if (bound.bytes.size() != size_bytes) {
      violations.Add(path, absl::StrCat("the buffer has ", size_bytes,
                                        " bytes, found ", bound.bytes.size()));
    }
    const auto same = [&](const Bound& b) { return b.name == bound.name; };
    if (std::any_of(given.begin(), given.begin() + i, same)) {
      violations.Add(path, "given twice");
    }
  }
}

void CheckDimension(const Plan& plan, const std::vector<Scalar>& values,
                    const LaunchDimension& dimension, uint32_t most,
                    absl::string_view step, Violations& violations) {
  if (!dimension.parameter.valid()) return;
  const Scalar& value = values[dimension.parameter.index()];
  const std::optional<int64_t> number = value.AsInteger();
  if (number.has_value() && *number >= 1 && *number <= int64_t{most}) return;
  violations.Add(
      Path("parameters", plan.parameters[dimension.parameter.index()].name),
      absl::StrCat("a launch dimension of step \"", step, "\" must be 1 to ",
                   most, ", found ", value.ToString()));
}

void CheckLaunchShapes(const Plan& plan, const std::vector<Scalar>& values,
                       Violations& violations) {
  for (const PlanStep& step : plan.steps) {
    const auto* kernel = std::get_if<KernelStep>(&step.body);
    if (kernel == nullptr) continue;
    bool varies = false;
    uint64_t threads = 1;
    for (size_t i = 0; i < 3; ++i) {
      CheckDimension(plan, values, kernel->grid[i], plan.device.max_grid[i],
                     step.name, violations);
      CheckDimension(plan, values, kernel->block[i], plan.device.max_block[i],
                     step.name, violations);
      varies |= kernel->block[i].parameter.valid();
      threads *= kernel->block[i].parameter.valid()
                     ? values[kernel->block[i].parameter.index()].bits
                     : kernel->block[i].value;
    }
    if (varies && violations.empty() &&
        threads > plan.device.max_threads_per_block) {
      violations.Add("parameters",
                     absl::StrCat("a block of step \"", step.name, "\" has ",
                                  threads, " threads, the device takes ",
                                  plan.device.max_threads_per_block));
    }
  }
}

void CheckValue(const Parameter& parameter, const Scalar& value,
                Violations& violations) {
  const std::string path = Path("parameters", parameter.name);
  if (value.type != parameter.type) {
    violations.Add(path, absl::StrCat("expected ", Name(parameter.type),
                                      ", found ", Name(value.type)));
    return;
  }
  if (parameter.minimum && !LessOrEqual(*parameter.minimum, value)) {
    violations.Add(
        path, absl::StrCat("must be at least ", parameter.minimum->ToString(),
                           ", found ", value.ToString()));
  }
  if (parameter.maximum && !LessOrEqual(value, *parameter.maximum)) {
    violations.Add(
        path, absl::StrCat("must be at most ", parameter.maximum->ToString(),
                           ", found ", value.ToString()));
  }
}

}  // namespace

absl::Status CheckBindings(const Plan& plan, const RunArguments& arguments) {
  Violations violations;
  CheckEach(plan, "inputs", plan.inputs, arguments.inputs, violations);
  CheckEach(plan, "outputs", plan.outputs, arguments.outputs, violations);
  for (const PlanBinding& binding : plan.inputs) {
    const auto same = [&](const BoundInput& b) {
      return b.name == binding.name;
    };
    if (std::none_of(arguments.inputs.begin(), arguments.inputs.end(), same)) {
      violations.Add(
          Path("inputs", binding.name),
          absl::StrCat("missing: expected ",
                       plan.buffers[binding.buffer.index()].size_bytes,
                       " bytes"));
    }
  }
  if (arguments.count == 0) {
    violations.Add("count", "must be at least 1, found 0");
  }
  return violations.ToStatus("run");
}

absl::StatusOr<std::vector<Scalar>> ParameterValues(
    const Plan& plan, const RunArguments& arguments) {
  Violations violations;
  std::vector<std::optional<Scalar>> given(plan.parameters.size());
  for (const auto& [name, value] : arguments.parameters) {
    const auto it =
        std::find_if(plan.parameters.begin(), plan.parameters.end(),
                     [&](const Parameter& p) { return p.name == name; });
    if (it == plan.parameters.end()) {
      violations.Add(Path("parameters", name),
                     "the graph has no such parameter");
      continue;
    }
    std::optional<Scalar>& slot = given[it - plan.parameters.begin()];
    if (slot.has_value()) {
      violations.Add(Path("parameters", name), "given twice");
      continue;
    }
    slot = value;
    CheckValue(*it, value, violations);
  }
  std::vector<Scalar> values;
  for (size_t i = 0; i < plan.parameters.size(); ++i) {
    const Parameter& parameter = plan.parameters[i];
    if (!given[i] && !parameter.default_value) {
      violations.Add(Path("parameters", parameter.name),
                     "has no default and was not set");
    }
    values.push_back(
        given[i] ? *given[i]
                 : parameter.default_value.value_or(Scalar{parameter.type, 0}));
  }
  if (violations.empty()) CheckLaunchShapes(plan, values, violations);
  GRAPHD_RETURN_IF_ERROR(violations.ToStatus("run"));
  return values;
}

std::vector<Scalar> InitialParameterValues(const Plan& plan) {
  std::vector<Scalar> values;
  for (const Parameter& parameter : plan.parameters) {
    values.push_back(parameter.default_value.value_or(
        parameter.minimum.value_or(Scalar{parameter.type, 1})));
  }
  return values;
}

void CopyIn(const LoadedPlan& loaded, const RunArguments& arguments) {
  for (const BoundInput& input : arguments.inputs) {
    const PlanBinding* binding = Find(loaded.plan().inputs, input.name);
    if (input.bytes.empty()) continue;
    std::memcpy(loaded.host_bytes(binding->buffer), input.bytes.data(),
                input.bytes.size());
  }
}

void CopyOut(const LoadedPlan& loaded, const RunArguments& arguments) {
  for (const BoundOutput& output : arguments.outputs) {
    const PlanBinding* binding = Find(loaded.plan().outputs, output.name);
    if (output.bytes.empty()) continue;
    std::memcpy(output.bytes.data(), loaded.host_bytes(binding->buffer),
                output.bytes.size());
  }
}

}  // namespace graphd
