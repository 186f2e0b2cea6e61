#include "core/softgpu/program.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/base/status_macros.h"
#include "core/ptx/check.h"
#include "core/ptx/parser.h"
#include "core/softgpu/kernel_decoder.h"
#include "core/softgpu/module_variables.h"

namespace graphd::softgpu {
namespace {

// "sm_75", "sm_90a" or "compute_80", perhaps with options after a comma.
absl::Status CheckTarget(absl::string_view target, int capability) {
  target = target.substr(0, target.find(','));
  absl::string_view digits = target;
  if (!absl::ConsumePrefix(&digits, "sm_")) {
    absl::ConsumePrefix(&digits, "compute_");
  }
  // Code for one architecture only, or for a family.
  const bool is_specific =
      absl::ConsumeSuffix(&digits, "a") || absl::ConsumeSuffix(&digits, "f");
  int wanted = 0;
  if (!absl::SimpleAtoi(digits, &wanted)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected a target such as sm_75, found \"", target, "\""));
  }
  if (is_specific ? wanted == capability : wanted <= capability) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat("the module is for ", target, ", the device is sm_",
                   capability, is_specific ? ", and must be the same" : ""));
}

template <typename Named>
const Named* FindNamed(const std::vector<Named>& all, absl::string_view name) {
  const auto found =
      std::find_if(all.begin(), all.end(),
                   [&](const Named& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Program>> Program::Load(
    absl::string_view text, int capability, const Allocate& allocate) {
  GRAPHD_ASSIGN_OR_RETURN(const ptx::Module module, ptx::Parse(text));
  GRAPHD_RETURN_IF_ERROR(ptx::Check(module));
  GRAPHD_RETURN_IF_ERROR(CheckTarget(module.target, capability));
  GRAPHD_ASSIGN_OR_RETURN(ModuleVariables variables,
                          PlaceVariables(module, allocate));
  auto program = std::make_unique<Program>();
  for (const ptx::Function* entry : module.Entries()) {
    GRAPHD_ASSIGN_OR_RETURN(Kernel kernel,
                            DecodeKernel(module, *entry, variables));
    program->kernels_.push_back(std::move(kernel));
  }
  program->variables_ = std::move(variables.variables);
  return program;
}

const Kernel* Program::FindKernel(absl::string_view name) const {
  return FindNamed(kernels_, name);
}

const ProgramVariable* Program::FindVariable(absl::string_view name) const {
  return FindNamed(variables_, name);
}

}  // namespace graphd::softgpu
