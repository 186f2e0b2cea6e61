// Declarations and directives, read from tokens.
//
// All functions return false after an error, which reader.status() then says.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_PTX_PARSER_DIRECTIVES_H_
#define GRAPHD_CORE_PTX_PARSER_DIRECTIVES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/ptx/ast.h"
#include "core/ptx/token_reader.h"

namespace graphd::ptx {

// "global", without the dot.
std::optional<Space> ParseSpace(absl::string_view name);
bool IsLinkage(absl::string_view name);

// ".global .align 4 .f32 a[2] = {0f00000000}, b;" from its space on; one
// Variable a name.
bool ReadVariables(TokenReader& reader, const std::string& linkage,
                   std::vector<Variable>& variables);

// ".reg .b32 %r<5>, x;"
bool ReadRegisters(TokenReader& reader,
                   std::vector<RegisterDeclaration>& registers);

// "(.param .u64 .ptr .global .align 8 a, .param .b32 b)" when there is one.
bool ReadParams(TokenReader& reader, std::vector<Variable>& params);

// Directives that graphd keeps as text: up to the end of the line (.loc,
// .file), the closing brace (.section) or the semicolon.
bool ReadRaw(TokenReader& reader, RawDirective& directive);
bool IsRaw(absl::string_view name);

}  // namespace graphd::ptx

#endif  // GRAPHD_CORE_PTX_PARSER_DIRECTIVES_H_
