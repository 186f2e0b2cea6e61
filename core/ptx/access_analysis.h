// Which bytes a kernel touches, as far as it can be proved from its PTX.
//
// Registers are polynomials in the launch symbols (symbolic_values.h). Each
// load and store gets the pointer parameter (or module variable) that roots its
// address and, when provable, its byte offset as a polynomial. Whatever is not
// understood is "unknown", which refuses fusion and widens the access to the
// whole buffer. Names play no part.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_PTX_ACCESS_ANALYSIS_H_
#define GRAPHD_CORE_PTX_ACCESS_ANALYSIS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ptx/ast.h"
#include "core/ptx/polynomial.h"

namespace graphd::ptx {

// A condition that holds when the access executes: left < right (signed or
// unsigned 32/64-bit as compared). What was compared is what stands here only
// if all `assumes` hold at the launch.
struct Guard {
  Polynomial left;
  Polynomial right;
  bool is_signed = true;
  int width_bits = 32;
  std::vector<FitsIn> assumes;
  bool operator==(const Guard&) const = default;
};

struct MemoryAccess {
  // Root: a pointer parameter (index into Signature::params) at
  // `root_offset_bytes` inside it (pointers inside a struct argument), or a
  // module variable by name. Neither: unknown root.
  std::optional<uint32_t> parameter;
  uint32_t parameter_offset_bytes = 0;
  std::string symbol;

  bool is_store =
      false;  // else a load; atomics and reductions are both (two entries)
  bool plain = true;                 // false: volatile, ordered, atomic
  uint32_t width_bytes = 0;          // of one thread's access, vectors included
  std::optional<Polynomial> offset;  // bytes from the root; nullopt: unknown,
                                     // any byte of the root's object
  std::vector<FitsIn> assumes;  // `offset` holds only if they do at the launch
  std::vector<Guard> guards;   // all hold where the access executes; only those
                               // that were understood
  bool unconditional = false;  // executes in every thread for which `guards`
                               // hold (nothing else guards it)
  bool in_loop = false;
  int line = 0;
};

struct KernelFacts {
  Signature signature;
  std::vector<MemoryAccess> accesses;  // global memory only
  // By parameter: the pointer leaves the analysis (stored, passed to a call,
  // mixed with another pointer).
  std::vector<bool> escapes;
  // A dereference whose address no argument or variable roots: refused unless
  // the client declares the accesses.
  struct Unrooted {
    int line = 0;
    std::string instruction;
  };
  std::vector<Unrooted> unrooted;
  std::vector<std::string>
      variables_written;  // module variables that are stored to, or whose
                          // address escapes
  std::vector<std::string> variables_read;
  bool has_barrier = false;
  bool has_shared = false;  // static or dynamic shared memory is named
  bool has_warp_operations = false;
  bool has_atomics_or_fences = false;
  bool has_calls = false;
  bool has_side_effects = false;  // printf, trap, clock, malloc…
  std::optional<std::array<uint32_t, 3>> max_threads;  // .maxntid
  // Every access provably thread-private and element-wise in a 1-D index under
  // one guard; what fusion starts from.
  bool elementwise = false;
  std::string not_elementwise_because;  // empty when elementwise
};

// Never fails: what it cannot understand is in the facts as unknown.
// Requires: Check(module) passed; `entry` is an entry of `module` with a body.
KernelFacts AnalyzeAccesses(const Module& module, const Function& entry);

}  // namespace graphd::ptx

#endif  // GRAPHD_CORE_PTX_ACCESS_ANALYSIS_H_
