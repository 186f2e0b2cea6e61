#include "core/softgpu/address_space.h"

#include <algorithm>

namespace graphd::softgpu {
namespace {

// Requires: value + unit does not overflow.
uint64_t RoundUp(uint64_t value, uint64_t unit) {
  return (value + unit - 1) & ~(unit - 1);
}

}  // namespace

AddressSpace::AddressSpace(uint64_t base, uint64_t size_bytes)
    : base_(base), size_bytes_(size_bytes & ~(kGranule - 1)) {
  FreeAll();
}

void AddressSpace::FreeAll() {
  free_.clear();
  free_by_size_.clear();
  allocations_.clear();
  free_bytes_ = 0;
  if (size_bytes_ > 0) AddFree(base_, size_bytes_);
}

std::optional<uint64_t> AddressSpace::Allocate(uint64_t size_bytes,
                                               uint64_t align_bytes) {
  if (size_bytes == 0 || size_bytes > size_bytes_) return std::nullopt;
  const uint64_t size = RoundUp(size_bytes, kGranule);
  const uint64_t align = std::max(align_bytes, kGranule);
  for (auto it = free_by_size_.lower_bound(Range(size, 0));
       it != free_by_size_.end(); ++it) {
    const auto [hole_size, hole] = *it;
    const uint64_t skipped = RoundUp(hole, align) - hole;
    if (skipped > hole_size - size) continue;
    RemoveFree(hole, hole_size);
    if (skipped > 0) AddFree(hole, skipped);
    const uint64_t left = hole_size - size - skipped;
    const uint64_t address = hole + skipped;
    if (left > 0) AddFree(address + size, left);
    allocations_.emplace(address, size_bytes);
    return address;
  }
  return std::nullopt;
}

std::optional<AddressSpace::Allocation> AddressSpace::Free(uint64_t base) {
  const auto it = allocations_.find(base);
  if (it == allocations_.end()) return std::nullopt;
  const Allocation freed{base, it->second};
  allocations_.erase(it);
  uint64_t begin = base;
  uint64_t end = base + RoundUp(freed.size_bytes, kGranule);
  const auto next = free_.find(end);
  if (next != free_.end()) {
    end += next->second;
    RemoveFree(next->first, next->second);
  }
  auto previous = free_.lower_bound(begin);
  if (previous != free_.begin()) {
    --previous;
    if (previous->first + previous->second == begin) {
      begin = previous->first;
      RemoveFree(previous->first, previous->second);
    }
  }
  AddFree(begin, end - begin);
  return freed;
}

std::optional<AddressSpace::Allocation> AddressSpace::Find(
    uint64_t address, uint64_t size_bytes) const {
  auto it = allocations_.upper_bound(address);
  if (it == allocations_.begin()) return std::nullopt;
  --it;
  const uint64_t offset = address - it->first;
  if (offset > it->second || size_bytes > it->second - offset) {
    return std::nullopt;
  }
  return Allocation{it->first, it->second};
}

void AddressSpace::AddFree(uint64_t base, uint64_t size_bytes) {
  free_.emplace(base, size_bytes);
  free_by_size_.emplace(size_bytes, base);
  free_bytes_ += size_bytes;
}

void AddressSpace::RemoveFree(uint64_t base, uint64_t size_bytes) {
  free_bytes_ -= size_bytes;
  free_by_size_.erase(Range(size_bytes, base));
  free_.erase(base);  // last: the arguments may refer to the erased entry
}

}  // namespace graphd::softgpu
