#include "core/optimize/check_device.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/graph/validation.h"
#include "core/ptx/check.h"

namespace graphd {
namespace {

class DeviceChecker {
 public:
  explicit DeviceChecker(const Draft& draft)
      : draft_(draft), device_(draft.device()) {}

  absl::Status Check() {
    for (const DraftNode& node : draft_.nodes) {
      const auto* kernel = std::get_if<KernelStep>(&node.body);
      if (kernel == nullptr) continue;
      GRAPHD_RETURN_IF_ERROR(CheckShape(node.name, *kernel));
      GRAPHD_RETURN_IF_ERROR(CheckCode(node, *kernel));
    }
    return absl::OkStatus();
  }

 private:
  template <typename... Parts>
  static absl::Status Refuse(const std::string& node, const Parts&... parts) {
    return absl::FailedPreconditionError(
        absl::StrCat("node ", Quoted(node), ": ", parts...));
  }

  // Parameters are held to the device's limits by each run.
  absl::Status CheckShape(const std::string& name,
                          const KernelStep& kernel) const {
    uint64_t threads = 1;
    for (size_t axis = 0; axis < 3; ++axis) {
      const LaunchDimension& grid = kernel.grid[axis];
      const LaunchDimension& block = kernel.block[axis];
      if (!grid.parameter.valid() && grid.value > device_.max_grid[axis]) {
        return Refuse(name, "grid[", axis, "] is ", grid.value,
                      "; the device takes at most ", device_.max_grid[axis]);
      }
      if (block.parameter.valid()) continue;
      if (block.value > device_.max_block[axis]) {
        return Refuse(name, "block[", axis, "] is ", block.value,
                      "; the device takes at most ", device_.max_block[axis]);
      }
      threads *= block.value;
    }
    if (threads > device_.max_threads_per_block) {
      return Refuse(name, "a block has ", threads,
                    " threads; the device takes at most ",
                    device_.max_threads_per_block);
    }
    return absl::OkStatus();
  }

  absl::Status CheckCode(const DraftNode& node, const KernelStep& kernel) {
    const DraftImage& image = draft_.images[kernel.image.index()];
    const bool software = device_.device_class == DeviceClass::kSoftware;
    if (image.kind == ImageKind::kCubin) {
      if (!software) return absl::OkStatus();
      return Refuse(node.name, "module ", Quoted(image.name),
                    " is a cubin, which holds instructions of a real GPU; the "
                    "software GPU runs PTX and CUDA C++ only");
    }
    const ptx::Function* entry = image.module->FindEntry(kernel.function);
    const Needs& needs = NeedsOf(*image.module, *entry);
    const uint64_t shared = needs.shared_bytes + kernel.shared_bytes;
    if (shared > device_.shared_bytes_per_block_optin) {
      return Refuse(node.name, "a block takes ", shared,
                    " bytes of shared memory; the device has ",
                    device_.shared_bytes_per_block_optin);
    }
    const uint32_t parameters = node.facts->signature.block_bytes;
    if (parameters > device_.max_parameter_bytes) {
      return Refuse(node.name, "kernel ", Quoted(kernel.function), " takes ",
                    parameters, " bytes of parameters; the device takes ",
                    device_.max_parameter_bytes);
    }
    if (software && needs.unsupported.has_value()) {
      return Refuse(node.name, "kernel ", Quoted(kernel.function), " line ",
                    needs.unsupported->line, ": the software GPU does not run ",
                    needs.unsupported->instruction);
    }
    return absl::OkStatus();
  }

  // What a kernel asks for, found once for all its nodes.
  struct Needs {
    uint64_t shared_bytes = 0;
    std::optional<ptx::Unsupported> unsupported;
  };

  const Needs& NeedsOf(const ptx::Module& module, const ptx::Function& entry) {
    const auto [it, is_new] = needs_.try_emplace(&entry);
    if (is_new) {
      it->second.shared_bytes = SharedBytes(entry.body);
      it->second.unsupported = ptx::FirstUnsupported(module, entry);
    }
    return it->second;
  }

  static uint64_t SharedBytes(const ptx::Block& block) {
    uint64_t bytes = 0;
    for (const ptx::Statement& statement : block.statements) {
      if (const auto* variable = std::get_if<ptx::Variable>(&statement)) {
        if (variable->space == ptx::Space::kShared) {
          bytes += variable->size_bytes();
        }
      } else if (const auto* inner = std::get_if<ptx::Block>(&statement)) {
        bytes += SharedBytes(*inner);
      }
    }
    return bytes;
  }

  const Draft& draft_;
  const DeviceDescription& device_;
  std::map<const ptx::Function*, Needs> needs_;
};

}  // namespace

absl::Status CheckDevice(const Draft& draft) {
  return DeviceChecker(draft).Check();
}

}  // namespace graphd
