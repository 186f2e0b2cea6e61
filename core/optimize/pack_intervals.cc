#include "core/optimize/pack_intervals.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <utility>

namespace graphd {
namespace {

uint64_t Up(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// Free blocks below a growing top, by offset and by size.
class FreeList {
 public:
  // The smallest block that fits, the lowest of equal ones; else at the top.
  uint64_t Take(uint64_t size) {
    const auto fit = by_size_.lower_bound({size, 0});
    if (fit != by_size_.end()) {
      const auto [block, offset] = *fit;
      Erase(offset, block);
      if (block > size) Insert(offset + size, block - size);
      return offset;
    }
    // A block that ends at the top grows.
    uint64_t offset = top_;
    if (!by_offset_.empty()) {
      const auto [last, block] = *by_offset_.rbegin();
      if (last + block == top_) {
        Erase(last, block);
        offset = last;
      }
    }
    top_ = offset + size;
    return offset;
  }

  void Give(uint64_t offset, uint64_t size) {
    auto next = by_offset_.lower_bound(offset);
    if (next != by_offset_.end() && offset + size == next->first) {
      const auto [other, block] = *next;
      Erase(other, block);
      size += block;
    }
    next = by_offset_.lower_bound(offset);
    if (next != by_offset_.begin()) {
      const auto [other, block] = *std::prev(next);
      if (other + block == offset) {
        Erase(other, block);
        offset = other;
        size += block;
      }
    }
    Insert(offset, size);
  }

  uint64_t highest() const { return highest_; }
  void Note(uint64_t end) { highest_ = std::max(highest_, end); }

 private:
  void Insert(uint64_t offset, uint64_t size) {
    by_offset_[offset] = size;
    by_size_.insert({size, offset});
  }
  void Erase(uint64_t offset, uint64_t size) {
    by_offset_.erase(offset);
    by_size_.erase({size, offset});
  }

  std::map<uint64_t, uint64_t> by_offset_;
  std::set<std::pair<uint64_t, uint64_t>> by_size_;
  uint64_t top_ = 0;
  uint64_t highest_ = 0;
};

}  // namespace

Packing PackByConflict(const std::vector<PackItem>& items, uint64_t alignment,
                       absl::FunctionRef<bool(size_t, size_t)> conflict) {
  std::vector<uint32_t> order(items.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return items[a].size_bytes > items[b].size_bytes;
  });
  Packing packing;
  packing.offsets.assign(items.size(), 0);
  std::vector<std::pair<uint64_t, uint64_t>> taken;  // offset, end
  for (size_t i = 0; i < order.size(); ++i) {
    const uint32_t item = order[i];
    taken.clear();
    for (size_t j = 0; j < i; ++j) {
      if (conflict(item, order[j])) {
        const uint64_t offset = packing.offsets[order[j]];
        taken.push_back(
            {offset, offset + Up(items[order[j]].size_bytes, alignment)});
      }
    }
    std::sort(taken.begin(), taken.end());
    const uint64_t size = Up(items[item].size_bytes, alignment);
    uint64_t offset = 0;
    for (const auto& [first, end] : taken) {
      if (first >= offset + size) break;
      offset = std::max(offset, end);
    }
    packing.offsets[item] = offset;
    packing.height_bytes = std::max(packing.height_bytes, offset + size);
  }
  return packing;
}

Packing PackIntervals(const std::vector<PackItem>& items, uint64_t alignment) {
  std::vector<uint32_t> order(items.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    if (items[a].first != items[b].first)
      return items[a].first < items[b].first;
    if (items[a].size_bytes != items[b].size_bytes) {
      return items[a].size_bytes > items[b].size_bytes;
    }
    return a < b;
  });
  Packing packing;
  packing.offsets.assign(items.size(), 0);
  FreeList free;
  // Those that are alive, the first to end on top.
  std::priority_queue<std::pair<uint32_t, uint32_t>,
                      std::vector<std::pair<uint32_t, uint32_t>>,
                      std::greater<>>
      alive;
  for (const uint32_t item : order) {
    while (!alive.empty() && alive.top().first < items[item].first) {
      const uint32_t ended = alive.top().second;
      alive.pop();
      free.Give(packing.offsets[ended], Up(items[ended].size_bytes, alignment));
    }
    const uint64_t size = Up(items[item].size_bytes, alignment);
    packing.offsets[item] = free.Take(size);
    free.Note(packing.offsets[item] + size);
    alive.push({items[item].last, item});
  }
  packing.height_bytes = free.highest();
  return packing;
}

uint64_t MaximumLoad(const std::vector<PackItem>& items, uint64_t alignment) {
  uint32_t end = 0;
  for (const PackItem& item : items) end = std::max(end, item.last);
  std::vector<int64_t> changes(size_t{end} + 2, 0);
  for (const PackItem& item : items) {
    const int64_t size = static_cast<int64_t>(Up(item.size_bytes, alignment));
    changes[item.first] += size;
    changes[size_t{item.last} + 1] -= size;
  }
  int64_t load = 0;
  int64_t most = 0;
  for (const int64_t change : changes) {
    load += change;
    most = std::max(most, load);
  }
  return static_cast<uint64_t>(most);
}

}  // namespace graphd
