#include "core/softgpu/kernel_layout.h"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"

namespace graphd::softgpu {
namespace {

constexpr uint64_t kMaxSharedBytes = 48 * 1024;  // static; CUDA's
constexpr uint64_t kMaxLocalBytes = 512 * 1024;  // a thread; CUDA's

using Names = absl::flat_hash_set<absl::string_view>;

void Mention(const ptx::Operand& operand, Names& names) {
  if (operand.kind == ptx::Operand::Kind::kSymbol) names.insert(operand.text);
  for (const ptx::Operand& element : operand.elements) Mention(element, names);
}

// Symbols and variables of a block and the blocks in it, in order.
void Collect(const ptx::Block& block, Names& names,
             std::vector<const ptx::Variable*>& variables) {
  for (const ptx::Statement& statement : block.statements) {
    if (const auto* inner = std::get_if<ptx::Block>(&statement)) {
      Collect(*inner, names, variables);
    } else if (const auto* variable = std::get_if<ptx::Variable>(&statement)) {
      variables.push_back(variable);
    } else if (const auto* instruction =
                   std::get_if<ptx::Instruction>(&statement)) {
      for (const ptx::Operand& operand : instruction->operands) {
        Mention(operand, names);
      }
    }
  }
}

uint64_t RoundUp(uint64_t value, uint64_t step) {
  return (value + step - 1) / step * step;
}

// One kind of memory, filled from its start.
class Window {
 public:
  Window(MemorySpace space, absl::string_view what, uint64_t most)
      : space_(space), what_(what), most_(most) {}

  absl::StatusOr<Place> Add(const ptx::Variable& variable,
                            absl::string_view kernel) {
    const uint64_t begin = RoundUp(bytes_, variable.alignment());
    const uint64_t size = variable.size_bytes();
    if (begin > most_ || size > most_ - begin) {
      return absl::InvalidArgumentError(absl::StrCat(
          "kernel \"", kernel, "\": expected at most ", most_, " bytes of ",
          what_, " memory, found more at variable \"", variable.name, "\""));
    }
    bytes_ = begin + size;
    return Place{space_, begin};
  }
  void AlignEnd(uint64_t align) { bytes_ = RoundUp(bytes_, align); }
  uint32_t bytes() const { return static_cast<uint32_t>(bytes_); }

 private:
  const MemorySpace space_;
  const absl::string_view what_;
  const uint64_t most_;
  uint64_t bytes_ = 0;
};

}  // namespace

absl::StatusOr<KernelLayout> LayOutKernel(const ptx::Module& module,
                                          const ptx::Function& entry) {
  Names names;
  std::vector<const ptx::Variable*> own;
  Collect(entry.body, names, own);
  std::vector<const ptx::Variable*> variables;
  for (const ptx::TopLevel& item : module.items) {
    const auto* variable = std::get_if<ptx::Variable>(&item);
    if (variable != nullptr && names.contains(variable->name)) {
      variables.push_back(variable);
    }
  }
  variables.insert(variables.end(), own.begin(), own.end());

  KernelLayout layout;
  Window shared(MemorySpace::kShared, "static shared", kMaxSharedBytes);
  Window local(MemorySpace::kLocal, "local", kMaxLocalBytes);
  std::vector<const ptx::Variable*> unsized;
  for (const ptx::Variable* variable : variables) {
    if (variable->space == ptx::Space::kShared) {
      if (variable->linkage == "extern") {
        unsized.push_back(variable);
        continue;
      }
      GRAPHD_ASSIGN_OR_RETURN(layout.places[variable],
                              shared.Add(*variable, entry.name));
    } else if (variable->space == ptx::Space::kLocal) {
      GRAPHD_ASSIGN_OR_RETURN(layout.places[variable],
                              local.Add(*variable, entry.name));
    }
  }
  for (const ptx::Variable* variable : unsized) {
    shared.AlignEnd(variable->alignment());
  }
  for (const ptx::Variable* variable : unsized) {
    layout.places[variable] = {MemorySpace::kShared, shared.bytes()};
  }
  local.AlignEnd(16);  // the next thread's begins there
  layout.shared_bytes = shared.bytes();
  layout.local_bytes = local.bytes();
  return layout;
}

}  // namespace graphd::softgpu
