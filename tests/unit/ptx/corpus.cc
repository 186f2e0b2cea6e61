#include "tests/unit/ptx/corpus.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/ptx/parser.h"

namespace graphd::ptx {
namespace {

void Clear(Block& block);

struct LineClearer {
  void operator()(Block& block) const { Clear(block); }
  template <typename Other>
  void operator()(Other& statement) const {
    statement.line = 0;
  }
};

void Clear(Block& block) {
  block.line = 0;
  for (Statement& statement : block.statements) {
    std::visit(LineClearer{}, statement);
  }
}

}  // namespace

std::vector<std::string> CorpusFiles() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(
           GRAPHD_SOURCE_DIR "/tests/data/ptx")) {
    if (entry.path().extension() == ".ptx") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string ReadFile(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

Module WithoutLines(Module module) {
  for (TopLevel& item : module.items) {
    if (auto* function = std::get_if<Function>(&item)) {
      function->line = 0;
      for (Variable& v : function->results) v.line = 0;
      for (Variable& v : function->params) v.line = 0;
      Clear(function->body);
    } else if (auto* variable = std::get_if<Variable>(&item)) {
      variable->line = 0;
    } else {
      std::get<RawDirective>(item).line = 0;
    }
  }
  return module;
}

std::string FindCudaTool(const std::string& name) {
  std::vector<std::string> folders;
  if (const char* home = std::getenv("CUDA_HOME")) {
    folders.push_back(absl::StrCat(home, "/bin"));
  }
  folders.push_back("/usr/local/cuda/bin");
  if (const char* path = std::getenv("PATH")) {
    for (absl::string_view folder : absl::StrSplit(path, ':')) {
      folders.emplace_back(folder);
    }
  }
  for (const std::string& folder : folders) {
    const std::string tool = absl::StrCat(folder, "/", name);
    if (access(tool.c_str(), X_OK) == 0) return tool;
  }
  return "";
}

int RunCommand(const std::string& command, std::string& output) {
  output.clear();
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return -1;
  char buffer[4096];
  size_t count = 0;
  while ((count = fread(buffer, 1, sizeof(buffer), pipe)) > 0) {
    output.append(buffer, count);
  }
  return pclose(pipe);
}

std::string PtxasComplaint(const std::string& text) {
  const std::string ptxas = FindCudaTool("ptxas");
  if (ptxas.empty()) return "ptxas is not installed: see deploy/packages.txt";
  const absl::StatusOr<Module> module = Parse(text);
  if (!module.ok()) return std::string(module.status().message());
  std::string path = std::filesystem::temp_directory_path() / "ptx_XXXXXX";
  const int file = mkstemp(path.data());
  if (file < 0) return "cannot make a temporary file";
  close(file);
  std::ofstream(path) << text;
  const std::pair<std::string, std::string> target =
      absl::StrSplit(module->target, absl::MaxSplits(", ", 1));
  std::string output;
  const int status =
      RunCommand(absl::StrCat(ptxas, " -O0 -arch=", target.first,
                              target.second == "debug" ? " -g " : " ", path,
                              " -o ", path, ".cubin"),
                 output);
  std::filesystem::remove(path);
  std::filesystem::remove(path + ".cubin");
  if (status == 0) return "";
  return output.empty() ? "ptxas failed" : output;
}

}  // namespace graphd::ptx
