// Modules, functions, and the direct launch.
#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "core/softgpu/api.h"
#include "core/softgpu/result_macros.h"
#include "core/softgpu/software_gpu.h"
#include "core/softgpu/work.h"

namespace graphd::softgpu::api {
namespace {

constexpr char kElfMagic[] =
    "\x7f"
    "ELF";
constexpr uint32_t kFatbinMagic = 0xBA55ED50;
constexpr uint32_t kFatbinWrapperMagic = 0x466243B1;

// A cubin or a fat binary: machine code for another machine.
bool IsBinary(const void* image) {
  const char* bytes = static_cast<const char*>(image);
  // Byte by byte: PTX may be shorter than a magic number.
  const size_t length = strnlen(bytes, sizeof(uint32_t));
  if (length < sizeof(uint32_t)) return false;
  uint32_t word = 0;
  std::memcpy(&word, bytes, sizeof(word));
  return std::memcmp(bytes, kElfMagic, sizeof(word)) == 0 ||
         word == kFatbinMagic || word == kFatbinWrapperMagic;
}

// The caller's buffer for one of the two logs, and where its length is told.
struct Log {
  char* buffer = nullptr;
  size_t size_bytes = 0;
  void** length = nullptr;

  void Write(absl::string_view text) const {
    size_t copied = 0;
    if (buffer != nullptr && size_bytes > 0) {
      copied = std::min(text.size(), size_bytes - 1);
      text.copy(buffer, copied);
      buffer[copied] = '\0';
    }
    if (length != nullptr) *length = reinterpret_cast<void*>(copied);
  }
};

struct JitOptions {
  Log info;
  Log error;
};

CUresult Read(unsigned int count, const CUjit_option* options, void** values,
              JitOptions* read) {
  if (count > 0 && (options == nullptr || values == nullptr)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (unsigned int i = 0; i < count; ++i) {
    switch (options[i]) {
      case CU_JIT_INFO_LOG_BUFFER:
        read->info.buffer = static_cast<char*>(values[i]);
        break;
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        read->info.size_bytes =
            static_cast<uint32_t>(reinterpret_cast<uintptr_t>(values[i]));
        read->info.length = &values[i];
        break;
      case CU_JIT_ERROR_LOG_BUFFER:
        read->error.buffer = static_cast<char*>(values[i]);
        break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        read->error.size_bytes =
            static_cast<uint32_t>(reinterpret_cast<uintptr_t>(values[i]));
        read->error.length = &values[i];
        break;
      default:
        // The rest steers a compiler that is not there.
        if (options[i] < 0 || options[i] >= CU_JIT_NUM_OPTIONS) {
          return CUDA_ERROR_INVALID_VALUE;
        }
    }
  }
  return CUDA_SUCCESS;
}

CUresult ResultOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return CUDA_SUCCESS;
    case absl::StatusCode::kResourceExhausted:
      return CUDA_ERROR_OUT_OF_MEMORY;
    case absl::StatusCode::kFailedPrecondition:
      return CUDA_ERROR_NO_BINARY_FOR_GPU;  // as a JIT says of a newer target
    default:
      return CUDA_ERROR_INVALID_PTX;
  }
}

void FreeVariables(DeviceMemory& memory, const Program& program) {
  for (const ProgramVariable& variable : program.variables()) {
    memory.Free(DeviceMemory::Kind::kDevice, variable.address);
  }
}

// Loads the program; a failure leaves no memory allocated.
absl::StatusOr<std::unique_ptr<Program>> Load(Device& device,
                                              absl::string_view text) {
  DeviceMemory& memory = *device.memory();
  std::vector<uint64_t> allocated;
  const auto allocate = [&](uint64_t size_bytes, uint64_t align_bytes) {
    const auto address =
        memory.Allocate(DeviceMemory::Kind::kDevice, size_bytes, align_bytes);
    if (!address.has_value()) return uint64_t{0};
    std::memset(reinterpret_cast<void*>(*address), 0, size_bytes);
    allocated.push_back(*address);
    return *address;
  };
  auto program = Program::Load(text, device.capability(), allocate);
  if (!program.ok()) {
    for (uint64_t address : allocated) {
      memory.Free(DeviceMemory::Kind::kDevice, address);
    }
  }
  return program;
}

CUresult FindModule(CUmodule handle, std::shared_ptr<Module>* module) {
  SoftwareGpu& gpu = SoftwareGpu::Get();
  std::shared_ptr<Context> current;
  GRAPHD_RETURN_IF_FAILED(gpu.Current(&current));
  *module = gpu.modules.Find(handle);
  if (*module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return (*module)->context->state();
}

CUresult FindFunction(CUfunction handle, std::shared_ptr<Function>* function) {
  SoftwareGpu& gpu = SoftwareGpu::Get();
  std::shared_ptr<Context> current;
  GRAPHD_RETURN_IF_FAILED(gpu.Current(&current));
  *function = gpu.functions.Find(handle);
  if (*function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return (*function)->module->context->state();
}

const DeviceLimits& LimitsOf(const Function& function) {
  return function.module->context->device().limits();
}

}  // namespace

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image,
                            unsigned int option_count, CUjit_option* options,
                            void** option_values) {
  SoftwareGpu& gpu = SoftwareGpu::Get();
  auto made = std::make_shared<Module>();
  GRAPHD_RETURN_IF_FAILED(gpu.Current(&made->context));
  if (module == nullptr || image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  JitOptions jit;
  GRAPHD_RETURN_IF_FAILED(Read(option_count, options, option_values, &jit));
  if (IsBinary(image)) {
    jit.error.Write("a binary image: the software GPU takes PTX only");
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  auto program = Load(made->context->device(), static_cast<const char*>(image));
  jit.info.Write("");
  jit.error.Write(program.status().message());
  if (!program.ok()) return ResultOf(program.status());
  made->program = *std::move(program);
  *module = gpu.modules.Add(std::move(made));
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule handle) {
  SoftwareGpu& gpu = SoftwareGpu::Get();
  std::shared_ptr<Module> module;
  GRAPHD_RETURN_IF_FAILED(FindModule(handle, &module));
  if (gpu.modules.Remove(handle) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  Turn turn({module->context.get()});  // after the work that still runs
  module->unloaded = true;
  gpu.functions.RemoveIf(
      [&](const Function& function) { return function.module == module; });
  FreeVariables(*module->context->device().memory(), *module->program);
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule handle,
                             const char* name) {
  SoftwareGpu& gpu = SoftwareGpu::Get();
  if (function == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Module> module;
  GRAPHD_RETURN_IF_FAILED(FindModule(handle, &module));
  const Kernel* kernel = module->program->FindKernel(name);
  if (kernel == nullptr) return CUDA_ERROR_NOT_FOUND;
  std::lock_guard lock(module->mutex);
  CUfunction& given = module->functions[kernel];
  if (given == nullptr) {
    auto made = std::make_shared<Function>();
    made->module = module;
    made->kernel = kernel;
    const uint32_t most = LimitsOf(*made).shared_bytes_per_block;
    made->max_dynamic_shared_bytes =
        most - std::min(most, kernel->static_shared_bytes);
    given = gpu.functions.Add(std::move(made));
  }
  *function = given;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal(CUdeviceptr* address, size_t* size_bytes,
                           CUmodule handle, const char* name) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Module> module;
  GRAPHD_RETURN_IF_FAILED(FindModule(handle, &module));
  const ProgramVariable* variable = module->program->FindVariable(name);
  if (variable == nullptr) return CUDA_ERROR_NOT_FOUND;
  if (address != nullptr) *address = variable->address;
  if (size_bytes != nullptr) *size_bytes = variable->size_bytes;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  GRAPHD_RETURN_IF_FAILED(SoftwareGpu::Get().CheckInitialised());
  if (mode == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *mode = CU_MODULE_EAGER_LOADING;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute,
                            CUfunction handle) {
  if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Function> function;
  GRAPHD_RETURN_IF_FAILED(FindFunction(handle, &function));
  const Kernel& kernel = *function->kernel;
  uint32_t most_threads = LimitsOf(*function).max_threads_per_block;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      if (const auto& most = kernel.max_threads; most.has_value()) {
        most_threads = static_cast<uint32_t>(std::min<uint64_t>(
            most_threads, uint64_t{(*most)[0]} * (*most)[1] * (*most)[2]));
      }
      *value = static_cast<int>(most_threads);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = static_cast<int>(kernel.static_shared_bytes);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *value = static_cast<int>(kernel.local_bytes);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      // Virtual ones, capped at what a thread of a real device can have.
      *value = static_cast<int>(std::min<uint32_t>(kernel.registers, 255));
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = function->module->context->device().capability();
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = static_cast<int>(function->max_dynamic_shared_bytes);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      *value = function->carveout_percent;
      return CUDA_SUCCESS;
    default:
      if (attribute < 0 || attribute >= CU_FUNC_ATTRIBUTE_MAX) {
        return CUDA_ERROR_INVALID_VALUE;
      }
      *value = 0;  // caches, clusters, constant banks: there are none
      return CUDA_SUCCESS;
  }
}

CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute,
                            int value) {
  std::shared_ptr<Function> function;
  GRAPHD_RETURN_IF_FAILED(FindFunction(handle, &function));
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      if (value < 0 || uint64_t{static_cast<uint32_t>(value)} +
                               function->kernel->static_shared_bytes >
                           LimitsOf(*function).shared_bytes_per_block_optin) {
        return CUDA_ERROR_INVALID_VALUE;
      }
      function->max_dynamic_shared_bytes = static_cast<uint32_t>(value);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      if (value < -1 || value > 100) return CUDA_ERROR_INVALID_VALUE;
      function->carveout_percent = value;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x,
                        unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y,
                        unsigned int block_z, unsigned int shared_bytes,
                        CUstream stream, void** arguments, void** extra) {
  std::shared_ptr<Context> context;
  GRAPHD_RETURN_IF_FAILED(SoftwareGpu::Get().StreamContext(stream, &context));
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = function;
  params.gridDimX = grid_x;
  params.gridDimY = grid_y;
  params.gridDimZ = grid_z;
  params.blockDimX = block_x;
  params.blockDimY = block_y;
  params.blockDimZ = block_z;
  params.sharedMemBytes = shared_bytes;
  params.kernelParams = arguments;
  params.extra = extra;
  KernelWork work;
  GRAPHD_RETURN_IF_FAILED(MakeKernelWork(params, &work));
  if (work.function->module->context != context) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  return Issue(std::move(work));
}

}  // namespace graphd::softgpu::api
