#include "core/plan/verify.h"

#include <algorithm>
#include <limits>

#include "absl/container/btree_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/plan/verify_references.h"

namespace graphd {
namespace {

// For each step and stream, how many of the stream's steps have surely ended
// when the step begins, itself counted as ended.
class Clocks {
 public:
  explicit Clocks(const Plan& plan)
      : plan_(plan),
        streams_(plan.stream_count),
        place_(plan.steps.size()),
        ended_(plan.steps.size() * streams_, 0) {
    std::vector<uint32_t> issued(streams_, 0);
    const std::vector<int64_t> previous = PreviousOnStream(plan);
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      if (previous[i] >= 0) Join(i, static_cast<size_t>(previous[i]));
      for (const StepId wait : plan.steps[i].waits) Join(i, wait.index());
      const size_t stream = plan.steps[i].stream.index();
      place_[i] = issued[stream]++;
      ended_[i * streams_ + stream] = issued[stream];
    }
  }

  bool IsBefore(size_t a, size_t b) const {
    return a != b &&
           ended_[b * streams_ + plan_.steps[a].stream.index()] > place_[a];
  }

 private:
  void Join(size_t step, size_t other) {
    for (size_t s = 0; s < streams_; ++s) {
      ended_[step * streams_ + s] =
          std::max(ended_[step * streams_ + s], ended_[other * streams_ + s]);
    }
  }

  const Plan& plan_;
  const size_t streams_;
  std::vector<uint32_t> place_;  // in its stream
  std::vector<uint32_t> ended_;
};

// Every byte that steps can touch, in one line of addresses: the device arena,
// the host arena, then each module variable.
std::vector<uint64_t> Addresses(const Plan& plan) {
  std::vector<uint64_t> addresses;
  uint64_t next = plan.device_arena_bytes + plan.host_arena_bytes;
  for (const PlanBuffer& buffer : plan.buffers) {
    switch (buffer.place) {
      case BufferPlace::kDeviceArena:
        addresses.push_back(buffer.offset_bytes);
        break;
      case BufferPlace::kHostArena:
        addresses.push_back(plan.device_arena_bytes + buffer.offset_bytes);
        break;
      case BufferPlace::kModuleVariable:
        addresses.push_back(next);
        next += buffer.size_bytes;
        break;
    }
  }
  return addresses;
}

class MemoryVerifier {
 public:
  explicit MemoryVerifier(const Plan& plan)
      : plan_(plan), clocks_(plan), addresses_(Addresses(plan)) {}

  absl::Status Verify() {
    Define();
    for (size_t i = 0; i < plan_.steps.size(); ++i) {
      for (const bool writes : {false, true}) {
        absl::Status status;
        VisitAccesses(plan_.steps[i], [&](const Access& access) {
          if (IsWrite(access.kind) == writes && status.ok()) {
            status = Touch(i, access.buffer, access.range, writes);
          }
        });
        GRAPHD_RETURN_IF_ERROR(status);
      }
    }
    return Phases();
  }

 private:
  // An access that later ones may have to follow.
  struct Entry {
    uint32_t step = 0;
    bool writes = false;
    ByteRange range;  // of addresses
  };
  struct Segment {
    uint64_t end = 0;
    BufferId owner;  // whose bytes these are; none: undefined
    absl::InlinedVector<Entry, 2> entries;
  };
  using Segments = absl::btree_map<uint64_t, Segment>;

  // What is there before the first step: clients' inputs, initial bytes of
  // variables, variables that no step writes.
  void Define() {
    std::vector<bool> written(plan_.buffers.size(), false);
    for (const PlanStep& step : plan_.steps) {
      for (const Access& access : step.accesses) {
        if (IsWrite(access.kind)) written[access.buffer.index()] = true;
      }
    }
    std::vector<bool> defined(plan_.buffers.size(), false);
    for (const PlanBinding& input : plan_.inputs) {
      defined[input.buffer.index()] = true;
    }
    for (size_t i = 0; i < plan_.buffers.size(); ++i) {
      const PlanBuffer& buffer = plan_.buffers[i];
      defined[i] =
          defined[i] || buffer.variable_image ||
          (buffer.place == BufferPlace::kModuleVariable && !written[i]);
      if (!defined[i] || buffer.size_bytes == 0) continue;
      const uint64_t first = addresses_[i];
      for (auto it = Cut(first, first + buffer.size_bytes);
           it != segments_.end() && it->first < first + buffer.size_bytes;
           ++it) {
        it->second.owner = BufferId(i);
      }
    }
  }

  void SplitAt(uint64_t at) {
    auto it = segments_.upper_bound(at);
    if (it == segments_.begin()) return;
    --it;
    if (it->first == at || it->second.end <= at) return;
    Segment right = it->second;
    it->second.end = at;
    segments_.emplace(at, std::move(right));
  }

  Segments::iterator Cut(uint64_t first, uint64_t end) {
    // Most ranges were cut before.
    const auto same = segments_.find(first);
    if (same != segments_.end() && same->second.end == end) return same;
    SplitAt(first);
    SplitAt(end);
    auto it = segments_.lower_bound(first);
    for (uint64_t at = first; at < end;) {
      const uint64_t next =
          it == segments_.end() ? end : std::min(end, it->first);
      if (at < next) {
        Segment gap;
        gap.end = next;
        it = segments_.emplace(at, std::move(gap)).first;
      }
      at = it->second.end;
      ++it;
    }
    return segments_.find(first);
  }

  absl::Status Touch(size_t step, BufferId buffer, const ByteRange& inside,
                     bool writes) {
    ByteRange range = Normalized(inside);
    if (range.width_bytes == 0) return absl::OkStatus();
    range.offset_bytes += addresses_[buffer.index()];
    const uint64_t first = range.offset_bytes;
    const uint64_t end = range.end_bytes();
    const bool whole = range.rows == 1;
    for (auto it = Cut(first, end); it != segments_.end() && it->first < end;
         ++it) {
      Segment& segment = it->second;
      if (!writes && segment.owner != buffer) {
        const ByteRange bytes{it->first, segment.end - it->first};
        if (Overlaps(range, bytes)) return Undefined(step, buffer, segment);
      }
      GRAPHD_RETURN_IF_ERROR(Follow(step, buffer, range, writes, segment));
      if (writes) segment.owner = buffer;
      Remember({static_cast<uint32_t>(step), writes, range}, whole, segment);
    }
    if (writes && whole) Join(first, end);
    return absl::OkStatus();
  }

  // The step must come after whatever conflicts with it.
  absl::Status Follow(size_t step, BufferId buffer, const ByteRange& range,
                      bool writes, const Segment& segment) const {
    for (const Entry& entry : segment.entries) {
      if (entry.step == step || (!entry.writes && !writes)) continue;
      if (clocks_.IsBefore(entry.step, step)) continue;
      if (!Overlaps(entry.range, range)) continue;
      return absl::InternalError(absl::StrCat(
          "steps \"", plan_.steps[entry.step].name, "\" and \"",
          plan_.steps[step].name, "\" are not ordered, and both touch bytes ",
          "of buffer \"", plan_.buffers[buffer.index()].name, "\" at address ",
          std::max(entry.range.offset_bytes, range.offset_bytes)));
    }
    return absl::OkStatus();
  }

  void Remember(Entry entry, bool whole, Segment& segment) const {
    auto& entries = segment.entries;
    if (whole && entry.writes) {
      entries.clear();
    } else {
      // Whoever must follow an older entry with no other bytes follows this
      // one.
      const auto gone =
          std::remove_if(entries.begin(), entries.end(), [&](const Entry& e) {
            return (entry.writes || !e.writes) &&
                   clocks_.IsBefore(e.step, entry.step) &&
                   Contains(entry.range, e.range);
          });
      entries.erase(gone, entries.end());
    }
    entries.push_back(entry);
  }

  // One segment where there were several.
  void Join(uint64_t first, uint64_t end) {
    auto it = segments_.find(first);
    it->second.end = end;
    ++it;
    while (it != segments_.end() && it->first < end) it = segments_.erase(it);
  }

  absl::Status Undefined(size_t step, BufferId buffer,
                         const Segment& segment) const {
    const std::string& name = plan_.buffers[buffer.index()].name;
    if (!segment.owner.valid()) {
      return absl::InternalError(absl::StrCat(
          "step \"", plan_.steps[step].name, "\" reads bytes of buffer \"",
          name, "\" that no step before it writes"));
    }
    return absl::InternalError(absl::StrCat(
        "step \"", plan_.steps[step].name, "\" reads bytes of buffer \"", name,
        "\" where buffer \"", plan_.buffers[segment.owner.index()].name,
        "\" lies by then"));
  }

  // A step that some executions skip must leave nothing undone.
  absl::Status Phases() const {
    std::vector<uint32_t> writers(plan_.buffers.size(), 0);
    std::vector<uint32_t> readers(plan_.buffers.size(), 0);
    for (const PlanStep& step : plan_.steps) {
      VisitAccesses(step, [&](const Access& access) {
        ++(IsWrite(access.kind) ? writers : readers)[access.buffer.index()];
      });
    }
    const std::vector<bool> shared = Shared();
    for (const PlanStep& step : plan_.steps) {
      if (step.phase == RunPhase::kEvery) continue;
      for (const Access& access : AccessesOf(step)) {
        if (!IsWrite(access.kind)) continue;
        const size_t buffer = access.buffer.index();
        const bool first = step.phase == RunPhase::kFirst;
        if (writers[buffer] == 1 && !shared[buffer] &&
            (first || readers[buffer] == 0)) {
          continue;
        }
        return absl::InternalError(absl::StrCat(
            "step \"", step.name, "\" runs in the ", first ? "first" : "last",
            " execution only, but buffer \"", plan_.buffers[buffer].name,
            "\" is ",
            first ? "written or covered by others" : "used by others"));
      }
    }
    return absl::OkStatus();
  }

  // Buffers that have bytes in common with another.
  std::vector<bool> Shared() const {
    std::vector<uint32_t> order;
    for (size_t i = 0; i < plan_.buffers.size(); ++i) {
      if (plan_.buffers[i].size_bytes > 0) {
        order.push_back(static_cast<uint32_t>(i));
      }
    }
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return addresses_[a] < addresses_[b];
    });
    std::vector<bool> shared(plan_.buffers.size(), false);
    uint64_t end = 0;
    size_t furthest = 0;
    for (const uint32_t i : order) {
      if (addresses_[i] < end) shared[i] = shared[furthest] = true;
      if (addresses_[i] + plan_.buffers[i].size_bytes > end) {
        end = addresses_[i] + plan_.buffers[i].size_bytes;
        furthest = i;
      }
    }
    return shared;
  }

  const Plan& plan_;
  const Clocks clocks_;
  const std::vector<uint64_t> addresses_;
  Segments segments_;
};

// Clients' bytes, and the initial bytes of variables, must stay where they are.
absl::Status VerifyHostBuffers(const Plan& plan) {
  std::vector<uint32_t> order;
  std::vector<bool> kept(plan.buffers.size(), false);
  for (const PlanBinding& b : plan.inputs) kept[b.buffer.index()] = true;
  for (const PlanBinding& b : plan.outputs) kept[b.buffer.index()] = true;
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const PlanBuffer& buffer = plan.buffers[i];
    kept[i] = kept[i] || buffer.variable_image;
    if (buffer.place == BufferPlace::kHostArena && buffer.size_bytes > 0) {
      order.push_back(static_cast<uint32_t>(i));
    }
  }
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return plan.buffers[a].offset_bytes < plan.buffers[b].offset_bytes;
  });
  uint64_t end = 0;
  uint64_t kept_end = 0;
  for (const uint32_t i : order) {
    const PlanBuffer& buffer = plan.buffers[i];
    if (buffer.offset_bytes < (kept[i] ? end : kept_end)) {
      return absl::InternalError(absl::StrCat("host buffer \"", buffer.name,
                                              "\" shares bytes with another"));
    }
    end = std::max(end, buffer.offset_bytes + buffer.size_bytes);
    if (kept[i]) kept_end = end;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status VerifyPlan(const Plan& plan,
                        const std::vector<std::string>* nodes) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max() / 4;
  if (plan.device_arena_bytes > kMost || plan.host_arena_bytes > kMost) {
    return absl::InternalError("an arena is larger than any address");
  }
  GRAPHD_RETURN_IF_ERROR(VerifyReferences(plan));
  GRAPHD_RETURN_IF_ERROR(VerifyNodes(plan, nodes));
  GRAPHD_RETURN_IF_ERROR(VerifyHostBuffers(plan));
  return MemoryVerifier(plan).Verify();
}

}  // namespace graphd
