// SharedRegion is memory that the daemon and a worker both see.
//
// A memfd, sealed against shrinking and growing, so that neither side can make
// the other fault by changing its size. It grows by replacement: make a larger
// one and send its descriptor.
//
// Thread safety: thread-compatible; the two processes agree by messages who
// writes.
#ifndef GRAPHD_SERVER_WORKERS_SHARED_REGION_H_
#define GRAPHD_SERVER_WORKERS_SHARED_REGION_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/base/descriptor.h"

namespace graphd {

class SharedRegion {
 public:
  // A zeroed region of `size_bytes`, rounded up to whole pages; pages are
  // committed when touched. Errors: RESOURCE_EXHAUSTED.
  static absl::StatusOr<std::unique_ptr<SharedRegion>> Create(
      uint64_t size_bytes);
  // Maps a region that another process made.
  // Errors: INVALID_ARGUMENT (not sealed, or empty), RESOURCE_EXHAUSTED.
  static absl::StatusOr<std::unique_ptr<SharedRegion>> Map(
      Descriptor descriptor);
  ~SharedRegion();
  SharedRegion(const SharedRegion&) = delete;
  SharedRegion& operator=(const SharedRegion&) = delete;

  // `size_bytes` bytes from `offset_bytes`.
  // Errors: OUT_OF_RANGE.
  absl::StatusOr<absl::Span<char>> Slice(uint64_t offset_bytes,
                                         uint64_t size_bytes);

  char* data() { return data_; }
  uint64_t size_bytes() const { return size_bytes_; }
  int descriptor() const { return descriptor_.number(); }

 private:
  SharedRegion(Descriptor descriptor, char* data, uint64_t size_bytes);

  Descriptor descriptor_;
  char* data_;
  uint64_t size_bytes_;
};

}  // namespace graphd

#endif  // GRAPHD_SERVER_WORKERS_SHARED_REGION_H_
