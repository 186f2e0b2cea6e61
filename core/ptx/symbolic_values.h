// What each register of a kernel holds, as far as it is the same each time it
// is written.
//
// A value is a polynomial over the launch symbols, perhaps on top of a root: a
// pointer parameter, or a variable's address. A register has the join of all
// its definitions, whatever the control flow: sound without a flow graph, and
// exact for what nvcc writes outside of loops. Registers of one name in
// different blocks are joined too.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_PTX_SYMBOLIC_VALUES_H_
#define GRAPHD_CORE_PTX_SYMBOLIC_VALUES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/ptx/ast.h"
#include "core/ptx/polynomial.h"

namespace graphd::ptx {

struct SymbolicValue {
  enum class Knowledge : uint8_t {
    kNone /* no definition yet */,
    kExact,
    kRootOnly,
    kUnknown
  };
  Knowledge knowledge = Knowledge::kNone;
  // Root; neither: a plain number.
  std::optional<uint32_t> parameter;
  uint32_t parameter_offset_bytes = 0;
  std::string symbol;
  Polynomial offset;  // kExact
  // A 32-bit quantity was widened: exact only if it did not wrap at the launch.
  bool assumes_no_wrap = false;

  bool has_root() const { return parameter.has_value() || !symbol.empty(); }
  bool SameRoot(const SymbolicValue& other) const {
    return parameter == other.parameter &&
           parameter_offset_bytes == other.parameter_offset_bytes &&
           symbol == other.symbol;
  }
  bool operator==(const SymbolicValue&) const = default;
};

class SymbolicValues {
 public:
  // `code`: the entry's instructions in order, inner blocks flattened. Both
  // outlive this.
  SymbolicValues(const Function& entry,
                 const std::vector<const Instruction*>& code);

  SymbolicValue Of(const Operand& operand) const;
  // The value as a number: a 64-bit parameter without further use as a pointer
  // is its own symbol.
  std::optional<Polynomial> Number(const Operand& operand) const;
  // The only instruction that writes `reg`; null when there are several or
  // none.
  const Instruction* OnlyDefinition(const std::string& reg) const;
  // Parameters whose address went where the analysis cannot follow.
  const std::vector<bool>& escapes() const { return escapes_; }

 private:
  SymbolicValue Evaluate(const Instruction& instruction) const;
  SymbolicValue LoadParameter(const Instruction& instruction) const;
  SymbolicValue Sum(const SymbolicValue& a, const SymbolicValue& b,
                    bool subtract) const;
  SymbolicValue Product(const Instruction& instruction, bool wide) const;
  void FindEscapes(const std::vector<const Instruction*>& code);

  Signature signature_;
  absl::flat_hash_map<std::string, SymbolicValue> values_;
  absl::flat_hash_map<std::string, std::pair<const Instruction*, int>>
      definitions_;
  std::vector<bool> escapes_;
};

}  // namespace graphd::ptx

#endif  // GRAPHD_CORE_PTX_SYMBOLIC_VALUES_H_
