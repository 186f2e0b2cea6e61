// Builds a KernelCode: names to slots and addresses, steps in order.
//
// Names live in nested scopes, as blocks do in PTX. Decoders of instructions
// ask for the slots of operands and emit steps, which get the guard and the
// line of the instruction that is being decoded.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_SOFTGPU_CODE_BUILDER_H_
#define GRAPHD_CORE_SOFTGPU_CODE_BUILDER_H_

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/ptx/ast.h"
#include "core/ptx/register_scope.h"
#include "core/softgpu/kernel_code.h"

namespace graphd::softgpu {

uint32_t BytesOf(Scalar type);
// Bit types become unsigned; nullopt for packed and opaque ones.
std::optional<Scalar> ScalarOf(ptx::Type type);

// Where a variable is: an address in device memory, or an offset in its window.
struct Place {
  MemorySpace space = MemorySpace::kGlobal;
  uint64_t address = 0;
};

class CodeBuilder {
 public:
  // Variables of the module and the kernel's parameters; outlives the builder.
  explicit CodeBuilder(const absl::flat_hash_map<std::string, Place>* outside);
  ~CodeBuilder();

  void EnterScope();
  void LeaveScope();
  void Declare(const ptx::RegisterDeclaration& registers);
  void Declare(absl::string_view variable, Place place);
  std::optional<Place> Find(absl::string_view variable) const;

  // Labels may be used before they are placed; names are of the innermost scope
  // that declares them.
  void DeclareLabel(absl::string_view name);
  void PlaceLabel(absl::string_view name);
  absl::Status EmitBranch(absl::string_view label);

  // What the next steps belong to. Errors: an unknown guard.
  absl::Status BeginInstruction(const ptx::Instruction& instruction);

  // The slot of a register or immediate of exactly `type`'s width; a predicate
  // may be negated. Errors: UNIMPLEMENTED naming the operand.
  absl::StatusOr<uint32_t> Source(const ptx::Operand& operand, Scalar type);
  // The same, of a register that may be wider.
  absl::StatusOr<uint32_t> NarrowedSource(const ptx::Operand& operand,
                                          Scalar type);
  absl::StatusOr<uint32_t> Destination(const ptx::Operand& operand,
                                       uint32_t bytes);
  // Any register's slot. Errors: not a register, or undeclared.
  absl::StatusOr<uint32_t> Register(const ptx::Operand& operand);
  uint32_t Constant(uint64_t value, uint32_t bytes);
  uint32_t Temporary(uint32_t bytes);
  uint32_t bytes(uint32_t slot) const { return code_.slots[slot].bytes; }

  // Errors: UNIMPLEMENTED when there is no such operation.
  absl::Status EmitCompute(const OpKey& key, uint32_t destination,
                           std::initializer_list<uint32_t> sources,
                           Rounding environment = Rounding::kNearest);
  void EmitAccess(Action action, const MemoryAccess& access,
                  uint32_t destination = Step::kNone);
  void Emit(Action action, uint32_t target = 0);

  // Patches branches and appends the final exit.
  KernelCode Finish() &&;
  uint32_t register_count() const { return register_count_; }
  size_t slot_count() const { return code_.slots.size(); }

 private:
  struct Scope;

  Step& Append(Action action);
  uint32_t AddSlot(Slot slot);
  absl::StatusOr<uint32_t> RegisterNamed(absl::string_view name);
  std::optional<uint32_t> SpecialRegister(absl::string_view name);

  const absl::flat_hash_map<std::string, Place>* outside_;
  KernelCode code_;
  std::vector<std::unique_ptr<Scope>> scopes_;
  std::vector<uint32_t> label_steps_;  // by label number
  std::map<std::pair<uint64_t, uint32_t>, uint32_t> constants_;
  absl::flat_hash_map<std::string, uint32_t> special_;
  uint32_t register_count_ = 0;
  uint32_t guard_ = Step::kNone;
  bool guard_negated_ = false;
  int line_ = 0;
};

}  // namespace graphd::softgpu

#endif  // GRAPHD_CORE_SOFTGPU_CODE_BUILDER_H_
