// inspect: what graphd sees in the kernels of a .cu or .ptx file.
#include <filesystem>
#include <memory>
#include <optional>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/graphctl/command.h"
#include "client/graphctl/file_bytes.h"
#include "client/graphctl/kernel_view.h"
#include "core/base/status_macros.h"
#include "core/ptx/check.h"
#include "core/ptx/parser.h"
#include "server/workers/nvrtc.h"

namespace graphd::graphctl {
namespace {

struct InspectFlags {
  std::vector<std::string> files;
  std::vector<std::string> options;
  std::vector<std::string> name_expressions;
  int capability = 75;
};

class Inspector {
 public:
  explicit Inspector(const InspectFlags& flags) : flags_(flags) {}

  // What is in the file; an error of its own is in the answer.
  InspectedFile Inspect(const std::string& path) {
    InspectedFile file;
    file.path = path;
    absl::Status status = Fill(path, file);
    if (!status.ok()) file.error = std::string(status.message());
    return file;
  }

 private:
  absl::Status Fill(const std::string& path, InspectedFile& file) {
    const bool is_source = absl::EndsWith(path, ".cu");
    if (!is_source && !absl::EndsWith(path, ".ptx") && path != "-") {
      return absl::InvalidArgumentError("expected a .cu or .ptx file");
    }
    GRAPHD_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
    if (is_source) {
      GRAPHD_ASSIGN_OR_RETURN(
          text, Compile(std::filesystem::path(path).stem().string(),
                        std::move(text)));
    }
    GRAPHD_ASSIGN_OR_RETURN(const ptx::Module module, ptx::Parse(text));
    GRAPHD_RETURN_IF_ERROR(ptx::Check(module));
    for (const ptx::Function* entry : module.Entries()) {
      InspectedKernel kernel;
      kernel.name = entry->name;
      kernel.facts = ptx::AnalyzeAccesses(module, *entry);
      kernel.unsupported = ptx::FirstUnsupported(module, *entry);
      file.kernels.push_back(std::move(kernel));
    }
    if (file.kernels.empty()) {
      return absl::InvalidArgumentError("has no kernel");
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> Compile(const std::string& name,
                                      std::string source) {
    if (nvrtc_ == nullptr) {
      GRAPHD_ASSIGN_OR_RETURN(nvrtc_, Nvrtc::Open());
    }
    Module module;
    module.name = name;
    module.kind = ModuleKind::kCudaSource;
    module.code = std::move(source);
    module.options = flags_.options;
    module.name_expressions = flags_.name_expressions;
    GRAPHD_ASSIGN_OR_RETURN(CompiledSource compiled,
                            nvrtc_->Compile(module, flags_.capability));
    return std::move(compiled.ptx);
  }

  const InspectFlags& flags_;
  std::unique_ptr<Nvrtc> nvrtc_;
};

absl::StatusOr<int> Inspect(Command& command, const InspectFlags& flags) {
  GRAPHD_ASSIGN_OR_RETURN(
      const OutputFormat format,
      command.FormatAmong({OutputFormat::kTable, OutputFormat::kJson,
                           OutputFormat::kJsonLines, OutputFormat::kYaml}));
  Inspector inspector(flags);
  std::vector<InspectedFile> files;
  bool all_run = true;
  for (const std::string& path : flags.files) {
    files.push_back(inspector.Inspect(path));
    all_run = all_run && files.back().Runs();
  }
  if (format == OutputFormat::kTable) {
    for (size_t i = 0; i < files.size(); ++i) {
      command.out() << (i == 0 ? "" : "\n") << InspectionText(files[i]);
    }
  } else if (format == OutputFormat::kJsonLines) {
    for (const InspectedFile& file : files) {
      command.out() << InspectionJson(file) << "\n";
    }
  } else {
    const std::string json = absl::StrCat(
        "{\"files\":[",
        absl::StrJoin(files, ",",
                      [](std::string* out, const InspectedFile& file) {
                        absl::StrAppend(out, InspectionJson(file));
                      }),
        "]}");
    command.out() << (format == OutputFormat::kYaml ? YamlFromJson(json)
                                                    : json + "\n");
  }
  return all_run ? kDone : kAnswerIsNo;
}

}  // namespace

void AddInspectCommand(CLI::App& app, Command& command) {
  auto flags = std::make_shared<InspectFlags>();
  CLI::App* inspect = command.AddVerb(
      app, "inspect",
      "Kernels of .cu and .ptx files: parameters, accesses, what stops them",
      "  graphctl inspect docs/examples/relu_scale/kernels.cu\n"
      "  graphctl inspect my.ptx -o json\n\n"
      "Exit 1: something in a file cannot run. Lines are lines of the PTX.",
      [&command, flags] { return Inspect(command, *flags); });
  inspect->add_option("FILE", flags->files, ".cu or .ptx file; -: PTX")
      ->required();
  inspect
      ->add_option("--option", flags->options,
                   "option for NVRTC, as in a module's `options`; repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  inspect
      ->add_option("--name-expression", flags->name_expressions,
                   "template to instantiate, e.g. \"scale<float>\"; repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  inspect->add_option("--capability", flags->capability,
                      "compute capability to compile for: 75 is 7.5");
}

}  // namespace graphd::graphctl
