// Which instructions may have written what a register holds at one place.
//
// Forward over the blocks: an unguarded definition ends those before it, a
// guarded one joins them. Registers with one definition need no walk. A path on
// which nothing was written adds nothing: what it leaves is undefined. Source:
// Aho, Lam, Sethi, Ullman: Compilers, 9.2.4.
//
// Thread safety: immutable.
#ifndef GRAPHD_CORE_PTX_REACHING_DEFINITIONS_H_
#define GRAPHD_CORE_PTX_REACHING_DEFINITIONS_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "core/ptx/control_flow.h"

namespace graphd::ptx {

struct Definition {
  uint32_t instruction = 0;
  uint32_t reg = 0;
  const Operand* target = nullptr;
  bool may_not_happen = false;  // guarded, or an opcode that is not known
};

class ReachingDefinitions {
 public:
  // `flow` outlives this.
  explicit ReachingDefinitions(const ControlFlow& flow);

  const std::vector<Definition>& definitions() const { return definitions_; }
  const std::vector<uint32_t>& OfRegister(uint32_t reg) const {
    return of_register_[reg];
  }
  // Indexes of definitions() that `reg` may hold when `instruction` begins;
  // nullopt: perhaps any of the register's, where telling would cost too much
  // or nothing leads there. Requires: the instruction reads it.
  std::optional<absl::Span<const uint32_t>> At(uint32_t instruction,
                                               uint32_t reg) const;

 private:
  class Walk;

  void FindDefinitions();

  const ControlFlow& flow_;
  std::vector<Definition> definitions_;
  std::vector<std::vector<uint32_t>> of_register_;
  // Of registers with several definitions.
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>>
      at_;  // by instruction and register
};

}  // namespace graphd::ptx

#endif  // GRAPHD_CORE_PTX_REACHING_DEFINITIONS_H_
