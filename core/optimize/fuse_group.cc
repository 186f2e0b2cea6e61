#include "core/optimize/fuse_group.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

namespace graphd {
namespace {

using ptx::AccessFate;
using ptx::AccessId;

// Code, registers and the time to plan a group stay within reason.
constexpr size_t kMostMembers = 64;

class GroupPlanner {
 public:
  GroupPlanner(const Draft& draft, const std::vector<uint32_t>& users,
               const std::vector<FuseMember>& members)
      : draft_(draft), users_(users), members_(members) {}

  FuseGroup Plan() {
    CompareWithFirst();
    for (size_t i = 0; i < members_.size() && Ok(); ++i) FollowElements(i);
    if (Ok()) FindVanished();
    if (Ok()) SetFates();
    for (size_t i = 0; i < members_.size() && Ok(); ++i) AddParameters(i);
    if (Ok()) CheckParameterBytes();
    return std::move(group_);
  }

 private:
  // One distinct element that members touch.
  struct Seen {
    FuseElement element;
    uint32_t member = 0;  // the last that touches it
    bool loaded = false;
    bool stored = false;
    // Who last stored or loaded its bytes.
    std::optional<AccessId> holder;
  };
  struct BufferState {
    std::vector<Seen> elements;
    bool loads_stay = false;  // a load from memory is left
    bool stored = false;
  };

  bool Ok() const { return group_.why_not.empty(); }
  template <typename... Parts>
  void Refuse(const Parts&... parts) {
    if (Ok()) group_.why_not = absl::StrCat(parts...);
  }
  const std::string& NameOf(size_t member) const {
    return draft_.nodes[members_[member].node.index()].name;
  }
  const std::string& NameOf(BufferId buffer) const {
    return draft_.buffers[buffer.index()].plan.name;
  }
  const KernelStep& Kernel(size_t member) const {
    return std::get<KernelStep>(
        draft_.nodes[members_[member].node.index()].body);
  }

  void CompareWithFirst() {
    if (members_.size() > kMostMembers) {
      Refuse(kMostMembers, " kernels are one already");
    }
    const FuseCandidate& first = *members_[0].candidate;
    for (const FuseMember& member : members_) {
      const FuseCandidate& other = *member.candidate;
      if (other.bound != first.bound) {
        Refuse("bounds differ: ", BoundText(first.bound), " against ",
               BoundText(other.bound));
      }
      const std::string& a = first.code->module->target;
      const std::string& b = other.code->module->target;
      if (ptx::CommonTarget(a, b).empty()) {
        Refuse("targets differ: ", a, " against ", b);
      }
    }
  }

  std::string BoundText(const FuseBound& bound) const {
    return bound.parameter.valid()
               ? absl::StrCat("parameter \"",
                              draft_.graph().parameter(bound.parameter).name,
                              "\" of at most ", bound.threads)
               : absl::StrCat(bound.threads, " threads");
  }

  // Each thread's loads and stores in their order.
  void FollowElements(size_t index) {
    const FuseCandidate& candidate = *members_[index].candidate;
    const uint32_t member = static_cast<uint32_t>(index);
    group_.fates.emplace_back(candidate.elements.size());
    for (uint32_t i = 0; i < candidate.elements.size() && Ok(); ++i) {
      const FuseElement& element = candidate.elements[i];
      BufferState& state = buffers_[element.buffer];
      Seen& seen = Find(state, element);
      CheckOthers(state, seen, element, member);
      seen.member = member;
      const AccessId id{member, i};
      if (element.is_store) {
        // Elements of other sizes or places may have bytes in common.
        for (Seen& other : state.elements) other.holder.reset();
        seen.holder = id;
        state.stored = seen.stored = true;
      } else if (seen.holder.has_value() && CanHandOn(*seen.holder, id)) {
        group_.fates[member][i] = {AccessFate::Kind::kForward, *seen.holder};
      } else {
        if (seen.stored) {
          Refuse("\"", NameOf(member), "\" loads buffer \"",
                 NameOf(element.buffer),
                 "\" in another form than it was stored in");
        }
        seen.loaded = state.loads_stay = true;
        seen.holder = id;
      }
    }
  }

  static Seen& Find(BufferState& state, const FuseElement& element) {
    for (Seen& seen : state.elements) {
      if (seen.element.SameBytes(element)) return seen;
    }
    state.elements.push_back({element});
    return state.elements.back();
  }

  bool CanHandOn(AccessId from, AccessId to) const {
    return ptx::CanForward(members_[from.part].candidate->code->body,
                           from.access, members_[to.part].candidate->code->body,
                           to.access);
  }

  // Another element of the buffer, which an earlier member touched: no byte of
  // it may be one of this one, in whichever thread.
  void CheckOthers(const BufferState& state, const Seen& mine,
                   const FuseElement& element, uint32_t member) {
    const FuseCandidate& candidate = *members_[member].candidate;
    for (const Seen& other : state.elements) {
      if (&other == &mine || (!element.is_store && !other.stored)) continue;
      // Members have the same number of threads.
      const bool apart =
          candidate.EndOf(other.element) <= element.offset_bytes ||
          candidate.EndOf(element) <= other.element.offset_bytes;
      if (apart || !TouchedBefore(other.element, member)) continue;
      Refuse("a thread of \"", NameOf(member), "\" touches bytes of buffer \"",
             NameOf(element.buffer), "\" that are not its own: byte ",
             element.offset_bytes, " + ", element.width_bytes, " i against ",
             other.element.offset_bytes, " + ", other.element.width_bytes,
             " i");
    }
  }

  // By a member before `member`; what one kernel does within itself is its own
  // affair.
  bool TouchedBefore(const FuseElement& element, uint32_t member) const {
    for (uint32_t i = 0; i < member; ++i) {
      for (const FuseElement& other : members_[i].candidate->elements) {
        if (other.SameBytes(element)) return true;
      }
    }
    return false;
  }

  // Transient buffers that only members touch, and whose bytes no load wants
  // from memory.
  void FindVanished() {
    for (const auto& [buffer, state] : buffers_) {
      const DraftBuffer& draft_buffer = draft_.buffers[buffer.index()];
      if (state.loads_stay || draft_buffer.role != BufferRole::kTransient ||
          draft_buffer.plan.place != BufferPlace::kDeviceArena ||
          UsersInGroup(buffer) != users_[buffer.index()]) {
        continue;
      }
      group_.vanished.push_back(buffer);
    }
    std::sort(group_.vanished.begin(), group_.vanished.end());
  }

  // Members whose accesses to the buffer are all seen in their code.
  uint32_t UsersInGroup(BufferId buffer) const {
    uint32_t count = 0;
    for (const FuseMember& member : members_) {
      bool uses = false;
      for (const Access& access : draft_.flow.node(member.node).accesses) {
        if (access.buffer != buffer) continue;
        uses = true;
        const auto& elements = member.candidate->elements;
        if (std::none_of(elements.begin(), elements.end(),
                         [&](const FuseElement& element) {
                           return element.buffer == buffer &&
                                  element.is_store == IsWrite(access.kind);
                         })) {
          return 0;
        }
      }
      count += uses;
    }
    return count;
  }

  void SetFates() {
    for (size_t m = 0; m < members_.size(); ++m) {
      const FuseCandidate& candidate = *members_[m].candidate;
      for (size_t i = 0; i < candidate.elements.size(); ++i) {
        const FuseElement& element = candidate.elements[i];
        AccessFate& fate = group_.fates[m][i];
        if (fate.kind == AccessFate::Kind::kForward) continue;
        if (element.is_store) {
          if (std::binary_search(group_.vanished.begin(), group_.vanished.end(),
                                 element.buffer)) {
            fate.kind = AccessFate::Kind::kDrop;
          }
        } else if (buffers_[element.buffer].stored) {
          fate.kind = AccessFate::Kind::kKeepCoherent;
        }
      }
    }
  }

  static bool Same(const Argument& a, const Argument& b) {
    if (a.index() != b.index()) return false;
    if (const auto* buffer = std::get_if<BufferArgument>(&a)) {
      const auto& other = std::get<BufferArgument>(b);
      return buffer->buffer == other.buffer &&
             buffer->offset_bytes == other.offset_bytes;
    }
    if (const auto* scalar = std::get_if<Scalar>(&a)) {
      return *scalar == std::get<Scalar>(b);
    }
    if (const auto* named = std::get_if<ParameterArgument>(&a)) {
      return named->parameter == std::get<ParameterArgument>(b).parameter;
    }
    // Structs are seldom equal, and never have to be found so.
    return false;
  }

  static bool SameForm(const ptx::Variable& a, const ptx::Variable& b) {
    return a.type == b.type && a.align == b.align &&
           a.vector_width == b.vector_width && a.dimensions == b.dimensions;
  }

  void AddParameters(size_t member) {
    const ptx::Function& entry = *members_[member].candidate->code->entry;
    const std::vector<Argument>& args = Kernel(member).args;
    std::vector<uint32_t>& indexes = group_.parameters_of.emplace_back();
    for (size_t i = 0; i < entry.params.size(); ++i) {
      uint32_t index = 0;
      while (index < group_.args.size() &&
             !(Same(group_.args[index], args[i]) &&
               SameForm(group_.parameters[index], entry.params[i]))) {
        ++index;
      }
      if (index == group_.args.size()) {
        group_.args.push_back(args[i]);
        group_.parameters.push_back(entry.params[i]);
        // What one kernel promises of a pointer need not hold for the other.
        group_.parameters.back().param_annotation.clear();
      }
      indexes.push_back(index);
    }
  }

  void CheckParameterBytes() {
    ptx::Function launch;
    launch.params = group_.parameters;
    const uint32_t bytes = ptx::SignatureOf(launch).block_bytes;
    if (bytes > draft_.device().max_parameter_bytes) {
      Refuse("together they take ", bytes,
             " bytes of parameters; the device takes ",
             draft_.device().max_parameter_bytes);
    }
  }

  const Draft& draft_;
  const std::vector<uint32_t>& users_;
  const std::vector<FuseMember>& members_;
  FuseGroup group_;
  absl::flat_hash_map<BufferId, BufferState> buffers_;
};

}  // namespace

FuseGroup PlanFuseGroup(const Draft& draft, const std::vector<uint32_t>& users,
                        const std::vector<FuseMember>& members) {
  return GroupPlanner(draft, users, members).Plan();
}

}  // namespace graphd
