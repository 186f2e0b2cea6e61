// Which bytes of an address range are allocated: best fit, neighbours merge
// when freed.
//
// The bytes themselves are somebody else's; this keeps the books. Allocations
// are rounded up to kGranule, so that addresses are aligned and what is freed
// fits again.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_SOFTGPU_ADDRESS_SPACE_H_
#define GRAPHD_CORE_SOFTGPU_ADDRESS_SPACE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace graphd::softgpu {

class AddressSpace {
 public:
  // What cuMemAlloc aligns to on real devices.
  static constexpr uint64_t kGranule = 512;

  struct Allocation {
    uint64_t base = 0;
    uint64_t size_bytes = 0;  // as asked for
  };

  // Requires: `base` is a multiple of kGranule and not 0.
  AddressSpace(uint64_t base, uint64_t size_bytes);

  // `align_bytes` is a power of two; kGranule is the least. Nothing when no
  // free range is large enough, or size_bytes is 0.
  std::optional<uint64_t> Allocate(uint64_t size_bytes,
                                   uint64_t align_bytes = kGranule);
  // The allocation that was freed; nothing when none begins at `base`.
  std::optional<Allocation> Free(uint64_t base);
  void FreeAll();

  // The allocation that holds all bytes of [address, address + size_bytes).
  std::optional<Allocation> Find(uint64_t address, uint64_t size_bytes) const;

  bool Contains(uint64_t address) const {
    return address - base_ < size_bytes_;
  }
  uint64_t base() const { return base_; }
  uint64_t size_bytes() const { return size_bytes_; }
  uint64_t free_bytes() const { return free_bytes_; }

 private:
  using Range = std::pair<uint64_t, uint64_t>;  // size, base

  void AddFree(uint64_t base, uint64_t size_bytes);
  void RemoveFree(uint64_t base, uint64_t size_bytes);

  const uint64_t base_;
  const uint64_t size_bytes_;
  uint64_t free_bytes_ = 0;
  std::map<uint64_t, uint64_t> free_;         // base to size
  std::set<Range> free_by_size_;              // the same ranges
  std::map<uint64_t, uint64_t> allocations_;  // base to size asked for
};

}  // namespace graphd::softgpu

#endif  // GRAPHD_CORE_SOFTGPU_ADDRESS_SPACE_H_
