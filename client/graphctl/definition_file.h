// A definition from a file, with the module files beside it.
//
// Thread safety: thread-safe, but for standard input.
#ifndef GRAPHD_CLIENT_GRAPHCTL_DEFINITION_FILE_H_
#define GRAPHD_CLIENT_GRAPHCTL_DEFINITION_FILE_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "core/codec/definition.h"
#include "graphd/v1/graph.pb.h"

namespace graphd::graphctl {

// `path`: "-" is standard input, with modules beside the current folder.
// `format`: unset, the ending decides; protobuf text for "-".
// Errors: those of the file, INVALID_ARGUMENT with path, line and column for
// text, and with the module's path for a module file.
absl::StatusOr<v1::Graph> LoadDefinition(
    const std::string& path,
    std::optional<DefinitionFormat> format = std::nullopt);

}  // namespace graphd::graphctl

#endif  // GRAPHD_CLIENT_GRAPHCTL_DEFINITION_FILE_H_
