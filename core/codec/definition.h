// Definitions as clients write them: a graphd.v1.Graph as protobuf text, JSON
// or binary, with modules that may be files beside it.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_CODEC_DEFINITION_H_
#define GRAPHD_CORE_CODEC_DEFINITION_H_

#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "graphd/v1/graph.pb.h"

namespace graphd {

enum class DefinitionFormat { kText, kJson, kBinary };

// By the ending: .textproto, .txtpb, .pbtxt; .json; .binpb, .pb. nullopt: none
// of them.
std::optional<DefinitionFormat> DefinitionFormatOf(absl::string_view file_name);

// Errors: INVALID_ARGUMENT; for text with line and column, from 1.
absl::StatusOr<v1::Graph> ParseGraphText(absl::string_view text);
absl::StatusOr<v1::Graph> ParseGraphJson(absl::string_view json);
absl::StatusOr<v1::Graph> ParseGraphBinary(absl::string_view bytes);
absl::StatusOr<v1::Graph> ParseGraph(absl::string_view bytes,
                                     DefinitionFormat format);

// The definition in the given form; binary is deterministic.
// Errors: INVALID_ARGUMENT: a string is not UTF-8 (JSON only).
absl::StatusOr<std::string> WriteGraph(const v1::Graph& graph,
                                       DefinitionFormat format);

// Replaces each module's `file` by what `read` returns for it; the ending says
// what it is: .cu, .ptx, .cubin or .fatbin. `read` gets the name as written,
// which is relative and stays below the definition's folder.
// Errors: INVALID_ARGUMENT for an unknown ending or a name that leaves the
// folder; those of `read`, with the module named.
absl::Status ReadModuleFiles(
    v1::Graph& graph,
    const std::function<absl::StatusOr<std::string>(absl::string_view)>& read);

}  // namespace graphd

#endif  // GRAPHD_CORE_CODEC_DEFINITION_H_
