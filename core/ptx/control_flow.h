// A kernel's body as one list of instructions, cut into blocks: straight runs
// that are entered at their start and left at their end.
//
// Inner { } are flattened; what they declare keeps them apart from registers
// of the same name around them. A label that several inner blocks have stands
// for all of its places, and an indirect branch goes to every label: more paths
// than there are, never fewer.
//
// Thread safety: immutable.
#ifndef GRAPHD_CORE_PTX_CONTROL_FLOW_H_
#define GRAPHD_CORE_PTX_CONTROL_FLOW_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/ptx/ast.h"
#include "core/ptx/register_scope.h"

namespace graphd::ptx {

class ControlFlow {
 public:
  struct Block {
    uint32_t begin = 0;  // instructions [begin, end)
    uint32_t end = 0;
    std::vector<uint32_t> successors;  // blocks, ascending
  };

  // `function` outlives this.
  explicit ControlFlow(const Function& function);
  ControlFlow(const ControlFlow&) = delete;
  ControlFlow& operator=(const ControlFlow&) = delete;

  const std::vector<const Instruction*>& code() const { return code_; }
  // In the order of the code. A block that nothing leads to has no role.
  const std::vector<Block>& blocks() const { return blocks_; }

  // Where a branch may go, as indexes of instructions; code().size() is the
  // end of the body. Empty for anything else, and for a label that is not
  // there.
  absl::Span<const uint32_t> Targets(uint32_t instruction) const;
  bool has_indirect_branch() const { return has_indirect_branch_; }

  // A number for each register: that which `name` means at `instruction`.
  // Requires: the instruction names it.
  uint32_t Register(uint32_t instruction, absl::string_view name) const;
  uint32_t register_count() const {
    return static_cast<uint32_t>(registers_.size());
  }

  // Space of the function's own variable; kReg: it has none of that name.
  Space VariableSpace(const std::string& name) const;

 private:
  struct Scope {
    uint32_t outer = 0;
    RegisterScope registers{nullptr};
  };

  void Flatten(const ptx::Block& block, uint32_t scope);
  void CutBlocks();
  void NumberRegisters(uint32_t instruction, const Operand& operand);
  uint32_t DeclaringScope(uint32_t scope, absl::string_view name) const;

  std::vector<const Instruction*> code_;
  std::vector<uint32_t> scope_of_;  // by instruction
  std::vector<Scope> scopes_;       // 0: the function's body
  absl::flat_hash_map<std::string, std::vector<uint32_t>> labels_;
  std::vector<uint32_t> label_places_;  // ascending
  absl::flat_hash_map<std::string, Space> variables_;
  bool has_indirect_branch_ = false;
  std::vector<Block> blocks_;
  absl::flat_hash_map<std::pair<uint32_t, absl::string_view>, uint32_t>
      registers_;  // by declaring scope and name
};

}  // namespace graphd::ptx

#endif  // GRAPHD_CORE_PTX_CONTROL_FLOW_H_
