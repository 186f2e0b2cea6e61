#include "core/softgpu/device_memory.h"

#include <sys/mman.h>

#include <limits>

namespace graphd::softgpu {
namespace {

constexpr uint64_t kPage = 4096;
// Below this, giving pages back costs more than they are worth.
constexpr uint64_t kLarge = uint64_t{1} << 20;

void GiveBackPages(uint64_t begin, uint64_t size_bytes) {
  const uint64_t first = (begin + kPage - 1) & ~(kPage - 1);
  const uint64_t last = (begin + size_bytes) & ~(kPage - 1);
  if (first >= last) return;
  madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

}  // namespace

std::unique_ptr<DeviceMemory> DeviceMemory::Reserve(uint64_t size_bytes) {
  if (size_bytes < kPage ||
      size_bytes > std::numeric_limits<uint64_t>::max() / 4) {
    return nullptr;
  }
  const uint64_t half = (size_bytes + kPage - 1) & ~(kPage - 1);
  void* pages = mmap(nullptr, 2 * half, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  return std::unique_ptr<DeviceMemory>(new DeviceMemory(pages, half));
}

DeviceMemory::DeviceMemory(void* pages, uint64_t size_bytes)
    : pages_(pages),
      device_(reinterpret_cast<uint64_t>(pages), size_bytes),
      pinned_(reinterpret_cast<uint64_t>(pages) + size_bytes, size_bytes) {}

DeviceMemory::~DeviceMemory() { munmap(pages_, 2 * device_.size_bytes()); }

std::optional<uint64_t> DeviceMemory::Allocate(Kind kind, uint64_t size_bytes,
                                               uint64_t align_bytes) {
  std::lock_guard lock(mutex_);
  return space(kind).Allocate(size_bytes, align_bytes);
}

bool DeviceMemory::Free(Kind kind, uint64_t address) {
  std::lock_guard lock(mutex_);
  const auto freed = space(kind).Free(address);
  if (!freed.has_value()) return false;
  if (freed->size_bytes >= kLarge)
    GiveBackPages(freed->base, freed->size_bytes);
  return true;
}

void DeviceMemory::Reset() {
  std::lock_guard lock(mutex_);
  device_.FreeAll();
  pinned_.FreeAll();
  GiveBackPages(device_.base(), 2 * device_.size_bytes());
}

bool DeviceMemory::Holds(uint64_t address, uint64_t size_bytes) const {
  std::lock_guard lock(mutex_);
  const AddressSpace& space = device_.Contains(address) ? device_ : pinned_;
  return space.Find(address, size_bytes).has_value();
}

std::optional<DeviceMemory::Kind> DeviceMemory::KindOf(uint64_t address) const {
  if (device_.Contains(address)) return Kind::kDevice;
  if (pinned_.Contains(address)) return Kind::kPinned;
  return std::nullopt;
}

DeviceRange DeviceMemory::range() const {
  return {device_.base(), pinned_.base() + pinned_.size_bytes()};
}

uint64_t DeviceMemory::free_bytes() const {
  std::lock_guard lock(mutex_);
  return device_.free_bytes();
}

}  // namespace graphd::softgpu
