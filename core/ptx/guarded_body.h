// A kernel as one straight line behind at most one bound on its threads: the
// shape that can be joined with others of the same shape.
//
//   index and addresses        no branch but the bound's, which leads to the
//   @%p bra END                end; no label but there; plain loads and stores;
//   loads, arithmetic, stores  whatever else only computes; every register is
//   END: ret                   written before it is read
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_PTX_GUARDED_BODY_H_
#define GRAPHD_CORE_PTX_GUARDED_BODY_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/ptx/access_analysis.h"
#include "core/ptx/ast.h"

namespace graphd::ptx {

struct GuardedBody {
  std::string why_not;  // empty: the kernel has this shape
  // Without the bound's branch, labels and returns.
  std::vector<Instruction> code;
  // A thread leaves before code[*bound] when `guard` holds (when it does not
  // hold, if `guard_negated`).
  std::optional<size_t> bound;
  std::string guard;
  bool guard_negated = false;
  // Indexes in `code` of the loads and stores: one for each of
  // KernelFacts::accesses, in their order.
  std::vector<size_t> memory;
  absl::flat_hash_map<std::string, Type> registers;
};

// Requires: `facts` are those of `entry`.
GuardedBody ReadGuardedBody(const Function& entry, const KernelFacts& facts);

}  // namespace graphd::ptx

#endif  // GRAPHD_CORE_PTX_GUARDED_BODY_H_
