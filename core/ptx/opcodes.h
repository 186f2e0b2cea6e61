// What is known of each opcode: the shape of its operands, and with which
// modifiers the software GPU runs it. The rows are in opcodes.def.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_PTX_OPCODES_H_
#define GRAPHD_CORE_PTX_OPCODES_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/ptx/ast.h"

namespace graphd::ptx {

struct OpcodeRow {
  absl::string_view name;
  absl::string_view shape;  // see opcodes.def
  int stage = 0;
  const char* software = nullptr;  // modifiers, by spaces; null: never
};

absl::Span<const OpcodeRow> AllOpcodes();

// nullptr for an opcode that opcodes.def does not list.
const OpcodeRow* FindOpcode(absl::string_view name);

// A register that the hardware provides: "%tid.x", "%laneid".
bool IsSpecialRegister(absl::string_view name);

// Whether the software GPU executes `instruction`, operands included.
bool SoftwareRuns(const Instruction& instruction);

}  // namespace graphd::ptx

#endif  // GRAPHD_CORE_PTX_OPCODES_H_
