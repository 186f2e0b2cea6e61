#include "core/softgpu/work.h"

#include <utility>

#include "core/softgpu/result_macros.h"

namespace graphd::softgpu {

Context* ContextOf(const Work& work) {
  if (const auto* kernel = std::get_if<KernelWork>(&work)) {
    return kernel->function->module->context.get();
  }
  if (const auto* copy = std::get_if<CopyWork>(&work)) {
    return copy->context.get();
  }
  if (const auto* fill = std::get_if<FillWork>(&work)) {
    return fill->context.get();
  }
  return nullptr;
}

CUresult Run(const Work& work) {
  Context* context = ContextOf(work);
  if (context == nullptr) return CUDA_SUCCESS;
  GRAPHD_RETURN_IF_FAILED(context->state());
  std::optional<FaultDetail> fault;
  if (const auto* kernel = std::get_if<KernelWork>(&work)) {
    fault = RunKernel(*kernel);
  } else if (const auto* copy = std::get_if<CopyWork>(&work)) {
    fault = RunCopy(*copy);
  } else if (const auto* fill = std::get_if<FillWork>(&work)) {
    fault = RunFill(*fill);
  }
  if (!fault.has_value()) return CUDA_SUCCESS;
  context->SetFault(*std::move(fault));
  return context->state();
}

CUresult Issue(const Work& work) {
  Turn turn({ContextOf(work)});
  return Run(work);
}

}  // namespace graphd::softgpu
