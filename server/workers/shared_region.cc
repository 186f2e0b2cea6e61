#include "server/workers/shared_region.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace graphd {
namespace {

constexpr uint64_t kPageBytes = 4096;
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW;

absl::Status Exhausted(absl::string_view what, uint64_t size_bytes) {
  return absl::ResourceExhaustedError(absl::StrCat("shared region of ",
                                                   size_bytes, " bytes: ", what,
                                                   ": ", std::strerror(errno)));
}

absl::StatusOr<char*> MapPages(int descriptor, uint64_t size_bytes) {
  void* data = ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                      descriptor, 0);
  if (data == MAP_FAILED) return Exhausted("mmap", size_bytes);
  return static_cast<char*>(data);
}

}  // namespace

SharedRegion::SharedRegion(Descriptor descriptor, char* data,
                           uint64_t size_bytes)
    : descriptor_(std::move(descriptor)),
      data_(data),
      size_bytes_(size_bytes) {}

SharedRegion::~SharedRegion() { ::munmap(data_, size_bytes_); }

absl::StatusOr<std::unique_ptr<SharedRegion>> SharedRegion::Create(
    uint64_t size_bytes) {
  constexpr uint64_t kLargest = uint64_t{1} << 46;
  if (size_bytes > kLargest) {
    errno = ENOMEM;
    return Exhausted("memfd_create", size_bytes);
  }
  size_bytes = size_bytes == 0
                   ? kPageBytes
                   : (size_bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  Descriptor descriptor(
      ::memfd_create("graphd-region", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!descriptor.valid()) return Exhausted("memfd_create", size_bytes);
  if (::ftruncate(descriptor.number(), static_cast<off_t>(size_bytes)) != 0) {
    return Exhausted("ftruncate", size_bytes);
  }
  if (::fcntl(descriptor.number(), F_ADD_SEALS, kSeals) != 0) {
    return Exhausted("F_ADD_SEALS", size_bytes);
  }
  auto data = MapPages(descriptor.number(), size_bytes);
  if (!data.ok()) return data.status();
  return std::unique_ptr<SharedRegion>(
      new SharedRegion(std::move(descriptor), *data, size_bytes));
}

absl::StatusOr<std::unique_ptr<SharedRegion>> SharedRegion::Map(
    Descriptor descriptor) {
  const int seals = ::fcntl(descriptor.number(), F_GET_SEALS);
  if (seals < 0 || (seals & kSeals) != kSeals) {
    return absl::InvalidArgumentError(
        "the region's memory is not sealed against shrinking and growing");
  }
  struct stat state;
  if (::fstat(descriptor.number(), &state) != 0 || state.st_size <= 0) {
    return absl::InvalidArgumentError("the region's memory is empty");
  }
  const uint64_t size_bytes = static_cast<uint64_t>(state.st_size);
  auto data = MapPages(descriptor.number(), size_bytes);
  if (!data.ok()) return data.status();
  return std::unique_ptr<SharedRegion>(
      new SharedRegion(std::move(descriptor), *data, size_bytes));
}

absl::StatusOr<absl::Span<char>> SharedRegion::Slice(uint64_t offset_bytes,
                                                     uint64_t size_bytes) {
  if (offset_bytes > size_bytes_ || size_bytes > size_bytes_ - offset_bytes) {
    return absl::OutOfRangeError(absl::StrCat(
        "bytes ", offset_bytes, " to ", offset_bytes, " + ", size_bytes,
        " are outside the region of ", size_bytes_, " bytes"));
  }
  return absl::MakeSpan(data_ + offset_bytes, size_bytes);
}

}  // namespace graphd
