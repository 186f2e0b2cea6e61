// Several kernels of one launch, one after the other in each thread, as one
// kernel.
//
//   relu:  v = load x; store t, max(v, 0)      v = load x
//   scale: w = load t; store y, a * w          store y, a * max(v, 0)
//
// The caller has proved that this is right (core/optimize/fuse_kernels.h) and
// says what becomes of each load and store. Registers get new names, equal
// parameters become one, the bound is tested once, and what nobody reads goes.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_PTX_MERGE_KERNELS_H_
#define GRAPHD_CORE_PTX_MERGE_KERNELS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/ptx/ast.h"
#include "core/ptx/guarded_body.h"

namespace graphd::ptx {

// One load or store of one of the kernels.
struct AccessId {
  uint32_t part = 0;
  uint32_t access = 0;  // index in GuardedBody::memory
  bool operator==(const AccessId&) const = default;
};

struct AccessFate {
  enum class Kind : uint8_t {
    kKeep,
    kKeepCoherent,  // without .nc: the merged kernel writes these bytes
    kDrop,          // a store whose bytes nobody reads
    kForward,       // a load of what `source` stored or loaded
  };
  Kind kind = Kind::kKeep;
  AccessId source;
};

struct MergePart {
  const GuardedBody* body = nullptr;
  const Function* entry = nullptr;
  std::vector<uint32_t> parameters;  // by own parameter: which of the merged
  std::vector<AccessFate> accesses;  // by GuardedBody::memory
};

struct MergedKernel {
  Function function;
  std::vector<uint32_t> parameters;  // those that are left, ascending
};

// Whether the bytes that `source` stores or loads can be handed to `load` in
// registers: as many elements of the same size.
bool CanForward(const GuardedBody& from, uint32_t source, const GuardedBody& to,
                uint32_t load);

// `parameters` gives type, size and alignment; names are made here.
// Requires: all bounds let the same threads pass; sources come earlier and
// CanForward.
MergedKernel MergeKernels(const std::string& name,
                          const std::vector<Variable>& parameters,
                          const std::vector<MergePart>& parts);

// Of two targets ("sm_75"), the one whose devices run code for both; empty when
// only equal ones do ("sm_90a").
std::string CommonTarget(const std::string& a, const std::string& b);
// The later of two versions of the language ("9.0").
std::string LaterVersion(const std::string& a, const std::string& b);

}  // namespace graphd::ptx

#endif  // GRAPHD_CORE_PTX_MERGE_KERNELS_H_
