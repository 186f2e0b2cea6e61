// A kernel as the interpreter runs it: a flat list of steps over slots.
//
// A slot is a register, an immediate value or a special register: one element
// of 1 to 8 bytes for every thread of a block. Labels are step indexes.
//
// Thread safety: immutable once decoded.
#ifndef GRAPHD_CORE_SOFTGPU_KERNEL_CODE_H_
#define GRAPHD_CORE_SOFTGPU_KERNEL_CODE_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/softgpu/ops/op_key.h"

namespace graphd::softgpu {

// Generic addresses of memory that is not device memory: what cvta adds. No
// host pointer reaches them.
constexpr uint64_t kSharedWindow = uint64_t{1} << 56;
constexpr uint64_t kLocalWindow = uint64_t{2} << 56;
constexpr uint64_t kParamWindow = uint64_t{3} << 56;
constexpr uint64_t kWindowMask = uint64_t{0xFF} << 56;

struct Slot {
  enum class Kind : uint8_t {
    kRegister,
    kConstant,
    kThread,     // %tid, by axis
    kBlockSize,  // %ntid
    kBlock,      // %ctaid
    kGridSize,   // %nctaid
  };
  Kind kind = Kind::kRegister;
  uint8_t axis = 0;
  uint8_t bytes = 4;
  uint64_t value = 0;  // of a constant
};

enum class Action : uint8_t {
  kCompute,
  kLoad,
  kStore,
  kSpaceTest,  // isspacep
  kBranch,
  kExit,
  kBarrier,
  kFence,
  kTrap,
};

enum class MemorySpace : uint8_t {
  kGeneric,
  kGlobal,
  kConst,
  kShared,
  kLocal,
  kParam
};

// What a load, a store or isspacep touches.
struct MemoryAccess {
  MemorySpace space = MemorySpace::kGeneric;
  uint8_t element_bytes = 4;
  uint8_t elements = 1;  // of a vector
  bool sign_extend = false;
  uint32_t address = 0;  // the slot, of 4 or 8 bytes
  int64_t offset = 0;
  static constexpr uint32_t kNone = UINT32_MAX;
  std::array<uint32_t, 4> values{kNone, kNone, kNone, kNone};  // slots
};

struct Step {
  static constexpr uint32_t kNone = UINT32_MAX;
  Action action = Action::kCompute;
  uint8_t source_count = 0;
  bool guard_negated = false;
  Rounding rounding = Rounding::kNearest;  // of the environment
  uint32_t guard = kNone;                  // slot
  uint32_t destination = kNone;            // slot
  // kBranch: step index; kLoad, kStore, kSpaceTest: index of the access;
  // kBarrier: number.
  uint32_t target = 0;
  int line = 0;
  OpFunction compute = nullptr;
  std::array<uint32_t, 4> sources{};  // slots
};

struct KernelCode {
  std::vector<Slot> slots;
  std::vector<Step> steps;  // the last one exits
  std::vector<MemoryAccess> accesses;
  uint32_t static_shared_bytes = 0;  // dynamic shared memory follows
  uint32_t local_bytes = 0;          // a thread
  uint32_t parameter_bytes = 0;
  // Device memory of the module's .const variables, for isspacep.
  uint64_t const_begin = 0;
  uint64_t const_end = 0;
};

}  // namespace graphd::softgpu

#endif  // GRAPHD_CORE_SOFTGPU_KERNEL_CODE_H_
