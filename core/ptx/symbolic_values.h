// What each register of a kernel holds at each place, as far as it is the same
// each time control passes.
//
// A value is a polynomial over the launch symbols, perhaps on top of a root: a
// pointer parameter, or a variable's address. Each definition has its value; a
// use has the join of the definitions that reach it, so a register may serve
// many purposes one after another. What changes from one turn of a loop to the
// next is unknown, but keeps its root.
//
// Thread safety: immutable.
#ifndef GRAPHD_CORE_PTX_SYMBOLIC_VALUES_H_
#define GRAPHD_CORE_PTX_SYMBOLIC_VALUES_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/ptx/ast.h"
#include "core/ptx/control_flow.h"
#include "core/ptx/polynomial.h"
#include "core/ptx/reaching_definitions.h"

namespace graphd::ptx {

struct SymbolicValue {
  enum class Knowledge : uint8_t {
    kNone,  // no definition yet
    kExact,
    kRootOnly,
    kUnknown
  };
  Knowledge knowledge = Knowledge::kNone;
  // Root; neither: a plain number.
  std::optional<uint32_t> parameter;
  uint32_t parameter_offset_bytes = 0;
  std::string symbol;
  // kExact: bytes from the root, or the number; exact if all `assumes` hold at
  // the launch.
  Polynomial offset;
  std::vector<FitsIn> assumes;

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
  // Both outlive this.
  SymbolicValues(const Function& entry, const ControlFlow& flow);

  // What `operand` of instruction `at` holds when that begins.
  SymbolicValue Of(const Operand& operand, uint32_t at) const;
  // The same as a plain number: a 64-bit parameter that is not used as a
  // pointer is its own symbol. kExact without a root, kNone or kUnknown.
  SymbolicValue Number(const Operand& operand, uint32_t at) const;
  // The only instruction whose result `reg` can be at `at`.
  std::optional<uint32_t> OnlyDefinition(const std::string& reg,
                                         uint32_t at) const;
  // Parameters whose address went where the analysis cannot follow.
  const std::vector<bool>& escapes() const { return escapes_; }

 private:
  SymbolicValue AtRegister(uint32_t reg, uint32_t at) const;
  SymbolicValue Evaluate(const Definition& definition) const;
  SymbolicValue LoadParameter(const Instruction& instruction,
                              uint32_t element) const;
  SymbolicValue Convert(const Instruction& instruction, uint32_t at) const;
  SymbolicValue Product(const Instruction& instruction, uint32_t at) const;
  void FindValues();
  void FindEscapes();
  void EscapeLostRoots(const Operand& operand, uint32_t at);
  void EscapeFrom(const Operand& operand, uint32_t at);
  void Escape(const SymbolicValue& value);

  const ControlFlow& flow_;
  const Signature signature_;
  const ReachingDefinitions reaching_;
  std::vector<SymbolicValue> values_;       // by definition
  std::vector<SymbolicValue> of_register_;  // the join of all its definitions
  // 8-byte loads of parameters, which may be pointers: index, offset.
  std::set<std::pair<uint32_t, uint32_t>> pointers_;
  std::vector<bool> escapes_;
};

}  // namespace graphd::ptx

#endif  // GRAPHD_CORE_PTX_SYMBOLIC_VALUES_H_
