// What one kernel made of several would look like: which loads and stores stay,
// which buffers vanish, which parameters are left; or why there is none.
//
// Members stand in the order in which each thread carries them out.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_OPTIMIZE_FUSE_GROUP_H_
#define GRAPHD_CORE_OPTIMIZE_FUSE_GROUP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/optimize/draft.h"
#include "core/optimize/fuse_candidate.h"
#include "core/ptx/merge_kernels.h"

namespace graphd {

struct FuseMember {
  NodeId node;
  const FuseCandidate* candidate = nullptr;
};

struct FuseGroup {
  std::string why_not;  // empty: the members may be one kernel
  std::vector<std::vector<ptx::AccessFate>> fates;  // by member and access
  std::vector<BufferId> vanished;  // nobody touches them any more
  std::vector<ptx::Variable> parameters;
  std::vector<Argument> args;                        // by merged parameter
  std::vector<std::vector<uint32_t>> parameters_of;  // by member and parameter
};

// `users`: by buffer, how many live nodes touch it.
// Requires: each member is a candidate, and all have one shape; members hand on
// to later members only.
FuseGroup PlanFuseGroup(const Draft& draft, const std::vector<uint32_t>& users,
                        const std::vector<FuseMember>& members);

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_FUSE_GROUP_H_
