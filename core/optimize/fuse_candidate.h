// What fusion has to know of one kernel node: its shape, its bound, and which
// element of which buffer each of its loads and stores touches.
//
// Thread i of a candidate touches bytes offset + width * i .. + width of the
// buffer and no others: proved from the PTX, the launch's numbers and the
// arguments. Whatever is not proved is a reason to refuse.
//
// Thread safety: immutable.
#ifndef GRAPHD_CORE_OPTIMIZE_FUSE_CANDIDATE_H_
#define GRAPHD_CORE_OPTIMIZE_FUSE_CANDIDATE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/optimize/draft.h"
#include "core/ptx/guarded_body.h"

namespace graphd {

// The code that candidates of one kernel share.
struct FuseCode {
  std::shared_ptr<const ptx::Module> module;
  const ptx::Function* entry = nullptr;
  ptx::GuardedBody body;
};

// One load or store.
struct FuseElement {
  BufferId buffer;
  uint64_t offset_bytes = 0;  // of thread 0's element
  uint32_t width_bytes = 0;
  bool is_store = false;

  bool SameBytes(const FuseElement& other) const {
    return buffer == other.buffer && offset_bytes == other.offset_bytes &&
           width_bytes == other.width_bytes;
  }
};

// Threads below it run; the others leave before they touch anything.
struct FuseBound {
  uint64_t threads = 0;   // at most
  ParameterId parameter;  // valid(): a run says how many
  bool operator==(const FuseBound&) const = default;
};

struct FuseCandidate {
  std::string why_not;  // empty: it may be fused
  std::shared_ptr<const FuseCode> code;
  FuseBound bound;
  std::vector<FuseElement> elements;  // by GuardedBody::memory

  // One past the last byte that any thread touches of `element`.
  uint64_t EndOf(const FuseElement& element) const {
    return element.offset_bytes + element.width_bytes * bound.threads;
  }
};

class FuseCandidates {
 public:
  // Outlives this.
  explicit FuseCandidates(const Draft& draft) : draft_(draft) {}

  // Requires: `node` is a kernel.
  FuseCandidate Read(const DraftNode& node);

 private:
  std::shared_ptr<const FuseCode> CodeOf(const DraftNode& node,
                                         const KernelStep& kernel);

  const Draft& draft_;
  absl::flat_hash_map<const ptx::KernelFacts*, std::shared_ptr<const FuseCode>>
      codes_;
};

// Empty when both kernels launch equally many threads in equal blocks along
// one axis: "shapes differ: 4096×256 against 2048×512".
std::string WhyShapesDiffer(const KernelStep& a, const KernelStep& b);

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_FUSE_CANDIDATE_H_
