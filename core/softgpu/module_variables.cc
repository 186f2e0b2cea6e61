#include "core/softgpu/module_variables.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <variant>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"

namespace graphd::softgpu {
namespace {

bool InDeviceMemory(const ptx::Variable& variable) {
  return variable.space == ptx::Space::kGlobal ||
         variable.space == ptx::Space::kConst;
}

uint64_t FloatBits(const ptx::InitialValue& value, ptx::Type type) {
  if (type == ptx::Type::kF32 && value.is_double) {
    return std::bit_cast<uint32_t>(
        static_cast<float>(std::bit_cast<double>(value.bits)));
  }
  if (type == ptx::Type::kF64 && !value.is_double) {
    return std::bit_cast<uint64_t>(static_cast<double>(
        std::bit_cast<float>(static_cast<uint32_t>(value.bits))));
  }
  return value.bits;
}

class Placer {
 public:
  Placer(const ptx::Module& module, const Program::Allocate& allocate)
      : module_(module), allocate_(allocate) {}

  absl::StatusOr<ModuleVariables> Run() {
    GRAPHD_RETURN_IF_ERROR(PlaceConstants());
    for (const ptx::TopLevel& item : module_.items) {
      const auto* variable = std::get_if<ptx::Variable>(&item);
      if (variable == nullptr || variable->space != ptx::Space::kGlobal) {
        continue;
      }
      if (variable->linkage == "extern") {
        if (IsDefined(variable->name)) continue;
        return absl::InvalidArgumentError(
            absl::StrCat("expected a definition of the external variable \"",
                         variable->name, "\", found none in this module"));
      }
      GRAPHD_ASSIGN_OR_RETURN(const uint64_t address,
                              Allocate(variable->name, variable->size_bytes(),
                                       variable->alignment()));
      Add(*variable, address);
    }
    for (const ptx::TopLevel& item : module_.items) {
      const auto* variable = std::get_if<ptx::Variable>(&item);
      if (variable == nullptr || !InDeviceMemory(*variable)) continue;
      GRAPHD_RETURN_IF_ERROR(Initialise(*variable));
    }
    return std::move(placed_);
  }

 private:
  bool IsDefined(absl::string_view name) const {
    return std::any_of(
        module_.items.begin(), module_.items.end(), [&](const auto& item) {
          const auto* variable = std::get_if<ptx::Variable>(&item);
          return variable != nullptr && variable->name == name &&
                 variable->linkage != "extern";
        });
  }

  absl::StatusOr<uint64_t> Allocate(absl::string_view name, uint64_t bytes,
                                    uint64_t align) {
    const uint64_t address = allocate_(std::max<uint64_t>(bytes, 1), align);
    if (address != 0) return address;
    return absl::ResourceExhaustedError(absl::StrCat(
        "no device memory left for ", name, " of ", bytes, " bytes"));
  }

  void Add(const ptx::Variable& variable, uint64_t address) {
    placed_.addresses.emplace(variable.name, address);
    placed_.variables.push_back(
        {variable.name, variable.size_bytes(), variable.alignment(), address});
  }

  // In one piece, so that two addresses bound them.
  absl::Status PlaceConstants() {
    std::vector<std::pair<const ptx::Variable*, uint64_t>> offsets;
    uint64_t size = 0;
    uint64_t align = 1;
    for (const ptx::TopLevel& item : module_.items) {
      const auto* variable = std::get_if<ptx::Variable>(&item);
      if (variable == nullptr || variable->space != ptx::Space::kConst ||
          variable->linkage == "extern") {
        continue;
      }
      const uint64_t step = variable->alignment();
      align = std::max(align, step);
      size = (size + step - 1) / step * step;
      offsets.emplace_back(variable, size);
      size += variable->size_bytes();
      if (size > kConstBytes) {
        return absl::InvalidArgumentError(
            absl::StrCat("expected at most ", kConstBytes,
                         " bytes of .const variables, found more at \"",
                         variable->name, "\""));
      }
    }
    if (offsets.empty()) return absl::OkStatus();
    GRAPHD_ASSIGN_OR_RETURN(const uint64_t begin,
                            Allocate("the .const variables", size, align));
    placed_.const_begin = begin;
    placed_.const_end = begin + size;
    for (const auto& [variable, offset] : offsets) {
      Add(*variable, begin + offset);
    }
    return absl::OkStatus();
  }

  absl::Status Initialise(const ptx::Variable& variable) {
    const auto found = placed_.addresses.find(variable.name);
    if (found == placed_.addresses.end()) return absl::OkStatus();
    const uint32_t bytes = std::max<uint32_t>(ptx::SizeBytes(variable.type), 1);
    auto* out = reinterpret_cast<uint8_t*>(found->second);
    for (const ptx::InitialValue& value : variable.initial) {
      uint64_t bits = 0;
      switch (value.kind) {
        case ptx::InitialValue::Kind::kInteger:
          bits = value.bits;
          break;
        case ptx::InitialValue::Kind::kFloat:
          bits = FloatBits(value, variable.type);
          break;
        default:
          bits = AddressBits(variable, value);
      }
      std::memcpy(out, &bits, std::min<uint32_t>(bytes, sizeof(bits)));
      out += bytes;
    }
    return absl::OkStatus();
  }

  uint64_t AddressBits(const ptx::Variable& variable,
                       const ptx::InitialValue& value) {
    const auto found = placed_.addresses.find(value.text);
    if (found == placed_.addresses.end()) {
      placed_.unsupported =
          absl::StrCat("the initial value of variable \"", variable.name,
                       "\", the address of \"", value.text,
                       "\", which is no variable in device memory");
      return 0;
    }
    const uint64_t address = found->second + value.offset;
    if (value.kind != ptx::InitialValue::Kind::kMask || value.mask == 0) {
      return address;
    }
    return (address & value.mask) >> std::countr_zero(value.mask);
  }

  static constexpr uint64_t kConstBytes = 65536;  // CUDA's

  const ptx::Module& module_;
  const Program::Allocate& allocate_;
  ModuleVariables placed_;
};

}  // namespace

absl::StatusOr<ModuleVariables> PlaceVariables(
    const ptx::Module& module, const Program::Allocate& allocate) {
  return Placer(module, allocate).Run();
}

}  // namespace graphd::softgpu
