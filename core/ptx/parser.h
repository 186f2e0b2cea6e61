// Text to Module: a recursive-descent parser for what nvcc and NVRTC emit.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_PTX_PARSER_H_
#define GRAPHD_CORE_PTX_PARSER_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/ptx/ast.h"

namespace graphd::ptx {

// Parses a whole module. Nesting and token counts are bounded, so hostile text
// costs linear time and memory. Errors: INVALID_ARGUMENT "line 12, column 5:
// expected \";\", found \"}\"".
absl::StatusOr<Module> Parse(absl::string_view text);

}  // namespace graphd::ptx

#endif  // GRAPHD_CORE_PTX_PARSER_H_
