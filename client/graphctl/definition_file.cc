#include "client/graphctl/definition_file.h"

#include <filesystem>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "client/graphctl/file_bytes.h"
#include "core/base/status_macros.h"

namespace graphd::graphctl {

absl::StatusOr<v1::Graph> LoadDefinition(
    const std::string& path, std::optional<DefinitionFormat> format) {
  if (!format.has_value()) {
    format = path == "-" ? DefinitionFormat::kText : DefinitionFormatOf(path);
  }
  if (!format.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "\"", absl::CEscape(path),
        "\": expected a definition that ends in .textproto, .txtpb, .pbtxt, "
        ".json, .binpb or .pb"));
  }
  GRAPHD_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  const std::string shown =
      path == "-" ? "standard input" : absl::CEscape(path);
  auto graph = ParseGraph(bytes, *format);
  if (!graph.ok()) {
    return absl::Status(graph.status().code(),
                        absl::StrCat(shown, ": ", graph.status().message()));
  }
  const std::filesystem::path folder =
      path == "-" ? std::filesystem::path(".")
                  : std::filesystem::path(path).parent_path();
  const absl::Status read =
      ReadModuleFiles(*graph, [&](absl::string_view name) {
        return ReadFile((folder / std::string(name)).string());
      });
  if (!read.ok()) {
    return absl::Status(read.code(), absl::StrCat(shown, ": ", read.message()));
  }
  return graph;
}

}  // namespace graphd::graphctl
