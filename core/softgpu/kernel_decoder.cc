#include "core/softgpu/kernel_decoder.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/base/status_macros.h"
#include "core/ptx/resolve_registers.h"
#include "core/softgpu/code_builder.h"
#include "core/softgpu/decode_instruction.h"
#include "core/softgpu/kernel_code.h"
#include "core/softgpu/kernel_layout.h"

namespace graphd::softgpu {
namespace {

// Registers of one block of 1,024 threads then take at most 512 MiB.
constexpr size_t kMaxSlots = 65536;

// ".maxntid 256, 1, 1" or ".reqntid 256": dimensions left out are 1.
std::optional<std::array<uint32_t, 3>> MaxThreads(const ptx::Function& entry) {
  for (absl::string_view directive : entry.directives) {
    if (!absl::ConsumePrefix(&directive, ".maxntid") &&
        !absl::ConsumePrefix(&directive, ".reqntid")) {
      continue;
    }
    std::array<uint32_t, 3> most{1, 1, 1};
    size_t axis = 0;
    for (const absl::string_view number : absl::StrSplit(directive, ',')) {
      if (axis < 3) (void)absl::SimpleAtoi(number, &most[axis++]);
    }
    return most;
  }
  return std::nullopt;
}

class KernelDecoder {
 public:
  KernelDecoder(const KernelLayout& layout,
                const absl::flat_hash_map<std::string, Place>& outside)
      : layout_(layout), builder_(&outside) {}

  // The code, or UNIMPLEMENTED naming the instruction.
  absl::StatusOr<KernelCode> Run(const ptx::Block& body) {
    GRAPHD_RETURN_IF_ERROR(Walk(body));
    return std::move(builder_).Finish();
  }
  uint32_t register_count() const { return builder_.register_count(); }

 private:
  absl::Status Walk(const ptx::Block& block) {
    builder_.EnterScope();
    for (const ptx::Statement& statement : block.statements) {
      if (const auto* label = std::get_if<ptx::Label>(&statement)) {
        builder_.DeclareLabel(label->name);
      } else if (const auto* registers =
                     std::get_if<ptx::RegisterDeclaration>(&statement)) {
        builder_.Declare(*registers);
      } else if (const auto* variable =
                     std::get_if<ptx::Variable>(&statement)) {
        const auto place = layout_.places.find(variable);
        if (place != layout_.places.end()) {
          builder_.Declare(variable->name, place->second);
        }
      }
    }
    for (const ptx::Statement& statement : block.statements) {
      if (const auto* label = std::get_if<ptx::Label>(&statement)) {
        builder_.PlaceLabel(label->name);
      } else if (const auto* inner = std::get_if<ptx::Block>(&statement)) {
        GRAPHD_RETURN_IF_ERROR(Walk(*inner));
      } else if (const auto* instruction =
                     std::get_if<ptx::Instruction>(&statement)) {
        GRAPHD_RETURN_IF_ERROR(Decode(*instruction));
      }
    }
    builder_.LeaveScope();
    return absl::OkStatus();
  }

  absl::Status Decode(const ptx::Instruction& instruction) {
    const absl::Status decoded = DecodeInstruction(instruction, builder_);
    if (!decoded.ok()) {
      return absl::UnimplementedError(absl::StrCat(
          "instruction ", instruction.FullName(), " at line ", instruction.line,
          " is not executed by the software GPU (", decoded.message(), ")"));
    }
    if (builder_.slot_count() <= kMaxSlots) return absl::OkStatus();
    return absl::UnimplementedError(absl::StrCat(
        "the software GPU executes kernels with at most ", kMaxSlots,
        " registers and constants, found more at line ", instruction.line));
  }

  const KernelLayout& layout_;
  CodeBuilder builder_;
};

}  // namespace

absl::StatusOr<Kernel> DecodeKernel(const ptx::Module& module,
                                    const ptx::Function& entry,
                                    const ModuleVariables& variables) {
  Kernel kernel;
  kernel.name = entry.name;
  kernel.signature = ptx::SignatureOf(entry);
  kernel.max_threads = MaxThreads(entry);
  kernel.unsupported = variables.unsupported;

  ptx::Function function = entry;
  ptx::ResolveRegisters(function);
  GRAPHD_ASSIGN_OR_RETURN(const KernelLayout layout,
                          LayOutKernel(module, function));
  kernel.static_shared_bytes = layout.shared_bytes;
  kernel.local_bytes = layout.local_bytes;

  absl::flat_hash_map<std::string, Place> outside;
  for (const auto& [name, address] : variables.addresses) {
    outside[name] = {MemorySpace::kGlobal, address};
  }
  for (const ptx::TopLevel& item : module.items) {
    const auto* variable = std::get_if<ptx::Variable>(&item);
    if (variable == nullptr) continue;
    const auto place = layout.places.find(variable);
    if (place != layout.places.end()) outside[variable->name] = place->second;
  }
  for (const ptx::Signature::Param& param : kernel.signature.params) {
    outside[param.name] = {MemorySpace::kParam, param.offset_bytes};
  }

  KernelDecoder decoder(layout, outside);
  absl::StatusOr<KernelCode> code = decoder.Run(function.body);
  kernel.registers = decoder.register_count();
  if (!code.ok()) {
    kernel.unsupported = std::string(code.status().message());
  } else if (kernel.unsupported.empty()) {
    code->static_shared_bytes = layout.shared_bytes;
    code->local_bytes = layout.local_bytes;
    code->parameter_bytes = kernel.signature.block_bytes;
    code->const_begin = variables.const_begin;
    code->const_end = variables.const_end;
    kernel.code = std::make_shared<const KernelCode>(*std::move(code));
  }
  return kernel;
}

}  // namespace graphd::softgpu
