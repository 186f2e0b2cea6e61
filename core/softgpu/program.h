// A PTX module decoded for execution: kernels with flat instruction arrays, and
// the module's variables.
//
// Decoding resolves registers to slots, labels to instruction indexes and
// opcodes to functions, once per module. An instruction that the software GPU
// does not execute makes only the kernels that contain it unrunnable.
//
// Thread safety: immutable after Load.
#ifndef GRAPHD_CORE_SOFTGPU_PROGRAM_H_
#define GRAPHD_CORE_SOFTGPU_PROGRAM_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/ptx/ast.h"

namespace graphd::softgpu {

struct KernelCode;  // decoded instructions; program.cc and block_runner.cc know
                    // it

// A .global or .const variable with its place in device memory.
struct ProgramVariable {
  std::string name;
  uint64_t size_bytes = 0;
  uint64_t align_bytes = 0;
  uint64_t address = 0;
};

struct Kernel {
  std::string name;
  ptx::Signature signature;
  uint32_t static_shared_bytes = 0;
  uint32_t local_bytes = 0;                            // a thread
  uint32_t registers = 0;                              // virtual, as written
  std::optional<std::array<uint32_t, 3>> max_threads;  // .maxntid
  // Set when it cannot run here: "instruction mma.sync… at line 88 is not
  // executed by the software GPU".
  std::string unsupported;
  std::shared_ptr<const KernelCode> code;  // null when unsupported
};

class Program {
 public:
  // Gives `size` zeroed bytes of device memory, aligned; 0 when there are none
  // left.
  using Allocate =
      std::function<uint64_t(uint64_t size_bytes, uint64_t align_bytes)>;

  // Parses, checks and decodes `text`; places variables through `allocate` and
  // writes their initial values. Errors: INVALID_ARGUMENT (does not parse or
  // check), RESOURCE_EXHAUSTED (no device memory for variables),
  // FAILED_PRECONDITION (targets a newer architecture than `capability`, e.g.
  // 75).
  static absl::StatusOr<std::unique_ptr<Program>> Load(
      absl::string_view text, int capability, const Allocate& allocate);

  const Kernel* FindKernel(absl::string_view name) const;
  const ProgramVariable* FindVariable(absl::string_view name) const;
  const std::vector<Kernel>& kernels() const { return kernels_; }
  const std::vector<ProgramVariable>& variables() const { return variables_; }

 private:
  std::vector<Kernel> kernels_;
  std::vector<ProgramVariable> variables_;
};

}  // namespace graphd::softgpu

#endif  // GRAPHD_CORE_SOFTGPU_PROGRAM_H_
