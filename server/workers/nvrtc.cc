#include "server/workers/nvrtc.h"

#include <dlfcn.h>
#include <nvrtc.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/status_macros.h"
#include "core/graph/validate.h"

namespace graphd {
namespace {

// Compiled PTX that is remembered; beyond it everything is forgotten.
constexpr size_t kCompiledLimitBytes = size_t{256} << 20;
// A log of template errors can be far longer than anybody reads.
constexpr size_t kLogLimitBytes = 16 << 10;

std::string FindIncludeDir(const std::string& library_path) {
  std::vector<std::string> places;
  if (const char* home = std::getenv("CUDA_HOME"); home != nullptr) {
    places.push_back(absl::StrCat(home, "/include"));
  }
  const std::filesystem::path library(library_path);
  places.push_back((library.parent_path().parent_path() / "include").string());
  places.push_back("/usr/local/cuda/include");
  places.push_back("/usr/include");
  for (const std::string& place : places) {
    std::error_code ignored;
    if (std::filesystem::exists(place + "/cuda_fp16.h", ignored)) return place;
  }
  return "";
}

std::vector<std::string> LibraryPlaces() {
  std::vector<std::string> places;
  std::vector<std::string> folders;
  if (const char* home = std::getenv("CUDA_HOME"); home != nullptr) {
    folders.push_back(absl::StrCat(home, "/lib64/"));
  }
  folders.push_back("/usr/local/cuda/lib64/");
  folders.push_back("");  // the loader's own path
  for (absl::string_view soname : {"libnvrtc.so.13", "libnvrtc.so.12"}) {
    for (const std::string& folder : folders) {
      places.push_back(absl::StrCat(folder, soname));
    }
  }
  return places;
}

}  // namespace

struct Nvrtc::Functions {
  decltype(&::nvrtcVersion) version = nullptr;
  decltype(&::nvrtcGetErrorString) error_string = nullptr;
  decltype(&::nvrtcGetNumSupportedArchs) num_archs = nullptr;
  decltype(&::nvrtcGetSupportedArchs) archs = nullptr;
  decltype(&::nvrtcCreateProgram) create = nullptr;
  decltype(&::nvrtcDestroyProgram) destroy = nullptr;
  decltype(&::nvrtcCompileProgram) compile = nullptr;
  decltype(&::nvrtcGetPTXSize) ptx_size = nullptr;
  decltype(&::nvrtcGetPTX) ptx = nullptr;
  decltype(&::nvrtcGetProgramLogSize) log_size = nullptr;
  decltype(&::nvrtcGetProgramLog) log = nullptr;
  decltype(&::nvrtcAddNameExpression) add_name = nullptr;
  decltype(&::nvrtcGetLoweredName) lowered_name = nullptr;

  // False when a symbol is missing.
  bool Resolve(void* library) {
    bool complete = true;
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(
          ::dlsym(library, name));
      complete = complete && function != nullptr;
    };
    find(version, "nvrtcVersion");
    find(error_string, "nvrtcGetErrorString");
    find(num_archs, "nvrtcGetNumSupportedArchs");
    find(archs, "nvrtcGetSupportedArchs");
    find(create, "nvrtcCreateProgram");
    find(destroy, "nvrtcDestroyProgram");
    find(compile, "nvrtcCompileProgram");
    find(ptx_size, "nvrtcGetPTXSize");
    find(ptx, "nvrtcGetPTX");
    find(log_size, "nvrtcGetProgramLogSize");
    find(log, "nvrtcGetProgramLog");
    find(add_name, "nvrtcAddNameExpression");
    find(lowered_name, "nvrtcGetLoweredName");
    return complete;
  }
};

absl::StatusOr<std::unique_ptr<Nvrtc>> Nvrtc::Open() {
  const std::vector<std::string> places = LibraryPlaces();
  for (const std::string& place : places) {
    void* library = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    auto functions = std::make_unique<Functions>();
    if (!functions->Resolve(library)) {
      ::dlclose(library);
      continue;
    }
    std::unique_ptr<Nvrtc> nvrtc(new Nvrtc(library, std::move(functions)));
    Dl_info info{};
    ::dladdr(reinterpret_cast<void*>(nvrtc->functions_->version), &info);
    nvrtc->include_dir_ =
        FindIncludeDir(info.dli_fname == nullptr ? place : info.dli_fname);
    return nvrtc;
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "CUDA source needs NVRTC, which was not found as ",
      absl::StrJoin(places, ", "), "; install the CUDA Toolkit or submit PTX"));
}

Nvrtc::Nvrtc(void* library, std::unique_ptr<Functions> functions)
    : library_(library), functions_(std::move(functions)) {
  int major = 0;
  int minor = 0;
  functions_->version(&major, &minor);
  version_ = absl::StrCat(major, ".", minor);
  int count = 0;
  if (functions_->num_archs(&count) == NVRTC_SUCCESS && count > 0) {
    architectures_.resize(static_cast<size_t>(count));
    functions_->archs(architectures_.data());
    std::sort(architectures_.begin(), architectures_.end());
  }
}

Nvrtc::~Nvrtc() = default;  // NVRTC does not survive being unloaded

absl::StatusOr<int> Nvrtc::ChooseArchitecture(int capability) const {
  std::optional<int> best;
  for (int architecture : architectures_) {
    if (architecture <= capability) best = architecture;
  }
  if (best.has_value()) return *best;
  return absl::FailedPreconditionError(
      absl::StrCat("NVRTC ", version_, " compiles for compute_",
                   architectures_.empty() ? 0 : architectures_.front(),
                   " and newer; the device is compute_", capability));
}

absl::StatusOr<CompiledSource> Nvrtc::Compile(const Module& module,
                                              int capability) {
  for (const std::string& option : module.options) {
    // An option such as --include-path would show files to a client.
    if (auto refusal = RefusalOfOption(option); refusal.has_value()) {
      return absl::InvalidArgumentError(*refusal);
    }
  }
  GRAPHD_ASSIGN_OR_RETURN(const int architecture,
                          ChooseArchitecture(capability));
  DigestBuilder builder;
  builder.U32(static_cast<uint32_t>(architecture)).Bytes(module.code);
  builder.U64(module.options.size());
  for (const std::string& option : module.options) builder.Bytes(option);
  for (const std::string& name : module.name_expressions) builder.Bytes(name);
  const Digest key = builder.Finish();
  if (auto known = compiled_.find(key); known != compiled_.end()) {
    return known->second;
  }
  GRAPHD_ASSIGN_OR_RETURN(CompiledSource image,
                          CompileAnew(module, architecture));
  if (compiled_bytes_ + image.ptx.size() > kCompiledLimitBytes) {
    compiled_.clear();
    compiled_bytes_ = 0;
  }
  compiled_bytes_ += image.ptx.size();
  compiled_.emplace(key, image);
  return image;
}

absl::StatusOr<CompiledSource> Nvrtc::CompileAnew(const Module& module,
                                                  int architecture) const {
  const auto failed = [&](absl::string_view what, nvrtcResult result) {
    return absl::InternalError(absl::StrCat("NVRTC ", version_, ": ", what,
                                            ": ",
                                            functions_->error_string(result)));
  };
  nvrtcProgram program = nullptr;
  nvrtcResult result = functions_->create(
      &program, module.code.c_str(), absl::StrCat(module.name, ".cu").c_str(),
      0, nullptr, nullptr);
  if (result != NVRTC_SUCCESS) return failed("create", result);
  struct Destroyer {
    const Functions& functions;
    nvrtcProgram& program;
    ~Destroyer() { functions.destroy(&program); }
  } destroyer{*functions_, program};

  for (const std::string& name : module.name_expressions) {
    result = functions_->add_name(program, name.c_str());
    if (result != NVRTC_SUCCESS) return failed("name expression", result);
  }
  std::vector<std::string> options = module.options;
  options.push_back(absl::StrCat("--gpu-architecture=compute_", architecture));
  if (!include_dir_.empty()) {
    options.push_back(absl::StrCat("--include-path=", include_dir_));
    // Where CUDA 13 keeps <cuda/std/...>; NVRTC ignores a folder that is
    // absent.
    options.push_back(absl::StrCat("--include-path=", include_dir_, "/cccl"));
  }
  std::vector<const char*> raw;
  for (const std::string& option : options) raw.push_back(option.c_str());
  result =
      functions_->compile(program, static_cast<int>(raw.size()), raw.data());
  if (result != NVRTC_SUCCESS) {
    size_t log_bytes = 0;
    std::string log;
    if (functions_->log_size(program, &log_bytes) == NVRTC_SUCCESS &&
        log_bytes > 1) {
      log.resize(log_bytes);
      functions_->log(program, log.data());
      log.resize(log_bytes - 1);
    }
    if (log.size() > kLogLimitBytes) {
      log.resize(kLogLimitBytes);
      log += "\n… (cut)";
    }
    absl::StripTrailingAsciiWhitespace(&log);
    return absl::InvalidArgumentError(
        absl::StrCat("NVRTC ", version_, " refuses the source (",
                     functions_->error_string(result), "):\n", log));
  }
  size_t ptx_bytes = 0;
  result = functions_->ptx_size(program, &ptx_bytes);
  if (result != NVRTC_SUCCESS) return failed("PTX size", result);
  CompiledSource image;
  image.ptx.resize(ptx_bytes);
  result = functions_->ptx(program, image.ptx.data());
  if (result != NVRTC_SUCCESS) return failed("PTX", result);
  while (!image.ptx.empty() && image.ptx.back() == '\0') {
    image.ptx.pop_back();
  }
  for (const std::string& name : module.name_expressions) {
    const char* lowered = nullptr;
    result = functions_->lowered_name(program, name.c_str(), &lowered);
    if (result != NVRTC_SUCCESS) return failed("lowered name", result);
    image.lowered_names.emplace_back(name, lowered);
  }
  return image;
}

}  // namespace graphd
