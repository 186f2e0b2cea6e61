// Why a plan looks as it does: what each pass did, each fusion made or refused,
// each warning.
//
// Kept beside the plan, never inside it: it holds timings, and equal inputs
// give byte-identical plans.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_PLAN_EXPLANATION_H_
#define GRAPHD_CORE_PLAN_EXPLANATION_H_

#include <cstdint>
#include <string>
#include <vector>

namespace graphd {

struct PassStatistics {
  std::string pass;
  bool skipped = false;  // switched off
  double seconds = 0;
  uint64_t nodes_before = 0;
  uint64_t nodes_after = 0;
  std::string draft_text;  // when asked for and changed
};

struct FusionDecision {
  std::vector<std::string> nodes;  // in order
  bool fused = false;
  std::string reason;  // "element-wise on both sides: thread i touches bytes
                       // 4i..4i+3", or why not
};

struct Explanation {
  std::vector<PassStatistics> passes;
  std::vector<FusionDecision> fusions;
  std::vector<std::string>
      warnings;  // possible races, undefined reads, fallbacks
  uint64_t device_arena_bytes = 0;
  uint64_t device_arena_bound_bytes = 0;  // lower bound of the peak
  uint64_t device_unshared_bytes = 0;     // what it would take without sharing
  uint64_t edges = 0;                     // dependencies before reduction
  uint64_t waits = 0;                     // cross-stream waits kept
  double makespan_ns = 0;                 // modelled
  double critical_path_ns = 0;            // modelled
};

}  // namespace graphd

#endif  // GRAPHD_CORE_PLAN_EXPLANATION_H_
