#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/softgpu/device.h"
#include "core/softgpu/result_macros.h"
#include "core/softgpu/software_gpu.h"
#include "core/softgpu/work.h"

namespace graphd::softgpu {
namespace {

// What `extra` may round a parameter block up to: a C struct's tail.
constexpr size_t kBlockTailBytes = 15;

CUresult CheckShape(const Device& device, const Function& function,
                    const KernelWork& work) {
  const DeviceLimits& limits = device.limits();
  uint64_t threads = 1;
  for (size_t i = 0; i < 3; ++i) {
    if (work.grid[i] == 0 || work.grid[i] > limits.max_grid[i] ||
        work.block[i] == 0 || work.block[i] > limits.max_block[i]) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    threads *= work.block[i];
  }
  if (threads > limits.max_threads_per_block ||
      work.dynamic_shared_bytes > function.max_dynamic_shared_bytes) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (const auto& most = function.kernel->max_threads; most.has_value()) {
    const uint64_t most_threads =
        uint64_t{(*most)[0]} * (*most)[1] * (*most)[2];
    if (threads > most_threads) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  }
  return CUDA_SUCCESS;
}

CUresult CopyPointedTo(const ptx::Signature& signature, void** pointers,
                       std::vector<uint8_t>& block) {
  if (pointers == nullptr) {
    return signature.params.empty() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  }
  for (size_t i = 0; i < signature.params.size(); ++i) {
    if (pointers[i] == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const ptx::Signature::Param& param = signature.params[i];
    std::memcpy(block.data() + param.offset_bytes, pointers[i],
                param.size_bytes);
  }
  return CUDA_SUCCESS;
}

// `extra`: pairs of a name and a value, ended by CU_LAUNCH_PARAM_END.
CUresult CopyBlock(void** extra, std::vector<uint8_t>& block) {
  const void* buffer = nullptr;
  const size_t* size_bytes = nullptr;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) {
      buffer = extra[1];
    } else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE) {
      size_bytes = static_cast<const size_t*>(extra[1]);
    } else {
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  if (buffer == nullptr || size_bytes == nullptr ||
      *size_bytes < block.size() ||
      *size_bytes > block.size() + kBlockTailBytes) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (!block.empty()) std::memcpy(block.data(), buffer, block.size());
  return CUDA_SUCCESS;
}

CUresult Refuse(const Kernel& kernel) {
  FaultDetail refusal;
  refusal.code = CUDA_ERROR_NOT_SUPPORTED;
  refusal.kernel = kernel.name;
  refusal.message =
      kernel.unsupported.empty()
          ? "the kernel has no code that the software GPU executes"
          : kernel.unsupported;
  SoftwareGpu::Get().SetRefusal(std::move(refusal));
  return CUDA_ERROR_NOT_SUPPORTED;
}

}  // namespace

CUresult MakeKernelWork(const CUDA_KERNEL_NODE_PARAMS& params,
                        KernelWork* work) {
  SoftwareGpu& gpu = SoftwareGpu::Get();
  gpu.ClearRefusal();
  if (params.func == nullptr && params.kern == nullptr) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  // There are no libraries, hence no CUkernel of ours.
  KernelWork made;
  made.handle = params.func;
  made.function = gpu.functions.Find(params.func);
  if (made.function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const Context& context = *made.function->module->context;
  GRAPHD_RETURN_IF_FAILED(context.state());
  if (params.kernelParams != nullptr && params.extra != nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  made.grid = {params.gridDimX, params.gridDimY, params.gridDimZ};
  made.block = {params.blockDimX, params.blockDimY, params.blockDimZ};
  made.dynamic_shared_bytes = params.sharedMemBytes;
  GRAPHD_RETURN_IF_FAILED(CheckShape(context.device(), *made.function, made));
  const Kernel& kernel = *made.function->kernel;
  made.parameters.resize(kernel.signature.block_bytes);
  GRAPHD_RETURN_IF_FAILED(params.extra != nullptr
                              ? CopyBlock(params.extra, made.parameters)
                              : CopyPointedTo(kernel.signature,
                                              params.kernelParams,
                                              made.parameters));
  if (kernel.code == nullptr) return Refuse(kernel);
  *work = std::move(made);
  return CUDA_SUCCESS;
}

std::optional<FaultDetail> RunKernel(const KernelWork& work) {
  const Module& module = *work.function->module;
  if (module.unloaded) {
    FaultDetail fault;
    fault.code = CUDA_ERROR_ILLEGAL_INSTRUCTION;
    fault.kernel = work.function->kernel->name;
    fault.message = "the kernel's module was unloaded";
    return fault;
  }
  Device& device = module.context->device();
  Launch launch;
  launch.kernel = work.function->kernel;
  launch.grid = work.grid;
  launch.block = work.block;
  launch.dynamic_shared_bytes = work.dynamic_shared_bytes;
  launch.parameters = work.parameters.data();
  return device.launcher().Run(launch, device.memory()->range(),
                               module.context->stop());
}

}  // namespace graphd::softgpu
