#include "tests/support/example_graph.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/codec/definition.h"
#include "core/codec/graph_codec.h"
#include "server/workers/nvrtc.h"

namespace graphd {
namespace {

constexpr int kCapability = 75;

absl::StatusOr<std::string> ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::NotFoundError(absl::StrCat("cannot read ", path.string()));
  }
  return std::string((std::istreambuf_iterator<char>(file)),
                     std::istreambuf_iterator<char>());
}

}  // namespace

std::string ExamplesFolder() {
  const char* folder = std::getenv("GRAPHD_EXAMPLES");
  return folder != nullptr ? folder : GRAPHD_SOURCE_DIR "/docs/examples";
}

std::vector<std::string> ExampleNames() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(ExamplesFolder())) {
    if (std::filesystem::exists(entry.path() / "graph.textproto")) {
      names.push_back(entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<ExampleGraph> LoadExample(const std::string& name) {
  const std::filesystem::path folder =
      std::filesystem::path(ExamplesFolder()) / name;
  GRAPHD_ASSIGN_OR_RETURN(const std::string text,
                          ReadFile(folder / "graph.textproto"));
  GRAPHD_ASSIGN_OR_RETURN(v1::Graph message, ParseGraphText(text));
  GRAPHD_RETURN_IF_ERROR(ReadModuleFiles(message, [&](absl::string_view file) {
    return ReadFile(folder / std::string(file));
  }));
  ExampleGraph example;
  GRAPHD_ASSIGN_OR_RETURN(example.graph, GraphFromProto(message, nullptr));
  std::unique_ptr<Nvrtc> nvrtc;
  for (const Module& module : example.graph.modules) {
    if (module.kind != ModuleKind::kCudaSource) {
      example.images.push_back(ModuleImage{
          module.kind == ModuleKind::kPtx ? ImageKind::kPtx : ImageKind::kCubin,
          module.code});
      continue;
    }
    if (nvrtc == nullptr) {
      GRAPHD_ASSIGN_OR_RETURN(nvrtc, Nvrtc::Open());
    }
    GRAPHD_ASSIGN_OR_RETURN(CompiledSource compiled,
                            nvrtc->Compile(module, kCapability));
    example.images.push_back(ModuleImage{ImageKind::kPtx,
                                         std::move(compiled.ptx),
                                         std::move(compiled.lowered_names)});
  }
  return example;
}

}  // namespace graphd
