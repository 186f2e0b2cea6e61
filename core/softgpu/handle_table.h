// Driver handles to objects: values that are never dereferenced and never given
// out twice, so that a stale or invented handle is found out, not followed.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_SOFTGPU_HANDLE_TABLE_H_
#define GRAPHD_CORE_SOFTGPU_HANDLE_TABLE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace graphd::softgpu {

// Distinct over all tables: a handle of one kind is unknown to the others.
inline uint64_t NextHandleValue() {
  // Above what drivers use as special handles (CU_STREAM_LEGACY and the like).
  static std::atomic<uint64_t> next{uint64_t{1} << 20};
  return next.fetch_add(16, std::memory_order_relaxed);
}

template <typename Handle, typename Object>
class HandleTable {
 public:
  Handle Add(std::shared_ptr<Object> object) {
    const uint64_t value = NextHandleValue();
    std::unique_lock lock(mutex_);
    objects_.emplace(value, std::move(object));
    return reinterpret_cast<Handle>(value);
  }

  // Null when unknown.
  std::shared_ptr<Object> Find(Handle handle) const {
    std::shared_lock lock(mutex_);
    const auto it = objects_.find(reinterpret_cast<uint64_t>(handle));
    return it == objects_.end() ? nullptr : it->second;
  }

  // What the handle stood for; null when unknown.
  std::shared_ptr<Object> Remove(Handle handle) {
    std::unique_lock lock(mutex_);
    const auto it = objects_.find(reinterpret_cast<uint64_t>(handle));
    if (it == objects_.end()) return nullptr;
    std::shared_ptr<Object> object = std::move(it->second);
    objects_.erase(it);
    return object;
  }

  template <typename Predicate>
  void RemoveIf(const Predicate& predicate) {
    std::unique_lock lock(mutex_);
    absl::erase_if(objects_,
                   [&](const auto& entry) { return predicate(*entry.second); });
  }

 private:
  mutable std::shared_mutex mutex_;
  absl::flat_hash_map<uint64_t, std::shared_ptr<Object>> objects_;
};

}  // namespace graphd::softgpu

#endif  // GRAPHD_CORE_SOFTGPU_HANDLE_TABLE_H_
