// Strong integer ids: an index into one kind of table cannot be used for
// another.
//
// Thread safety: immutable.
#ifndef GRAPHD_CORE_BASE_IDS_H_
#define GRAPHD_CORE_BASE_IDS_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace graphd {

template <typename Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(size_t value) : value_(static_cast<uint32_t>(value)) {}

  constexpr size_t index() const { return value_; }
  constexpr uint32_t value() const { return value_; }
  constexpr bool valid() const { return value_ != kNone; }
  constexpr auto operator<=>(const Id&) const = default;

  template <typename H>
  friend H AbslHashValue(H h, const Id& id) {
    return H::combine(std::move(h), id.value_);
  }

 private:
  static constexpr uint32_t kNone = 0xffffffffu;
  uint32_t value_ = kNone;
};

using BufferId = Id<struct BufferTag>;
using ModuleId = Id<struct ModuleTag>;
using NodeId = Id<struct NodeTag>;
using ParameterId = Id<struct ParameterTag>;
using ImageId = Id<struct ImageTag>;
using StepId = Id<struct StepTag>;
using StreamId = Id<struct StreamTag>;

}  // namespace graphd

#endif  // GRAPHD_CORE_BASE_IDS_H_
