// Instructions and their operands, read from tokens.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_PTX_PARSER_INSTRUCTIONS_H_
#define GRAPHD_CORE_PTX_PARSER_INSTRUCTIONS_H_

#include "core/ptx/ast.h"
#include "core/ptx/token_reader.h"

namespace graphd::ptx {

// "@!%p1 ld.global.f32 %f1, [%rd1+4];" with its semicolon. False: see
// reader.status().
bool ReadInstruction(TokenReader& reader, Instruction& instruction);

}  // namespace graphd::ptx

#endif  // GRAPHD_CORE_PTX_PARSER_INSTRUCTIONS_H_
