#include "core/plan/plan_cache.h"

#include <set>
#include <utility>

namespace graphd {

Digest PlanKey::ToDigest() const {
  DigestBuilder builder;
  builder.Add(graph).Add(hints).U32(streams);
  const std::set<std::string> skipped(skip_passes.begin(), skip_passes.end());
  builder.U64(skipped.size());
  for (const std::string& pass : skipped) builder.Bytes(pass);
  builder.U8(static_cast<uint8_t>(device.device_class))
      .U32(static_cast<uint32_t>(device.capability_major))
      .U32(static_cast<uint32_t>(device.capability_minor))
      .U32(static_cast<uint32_t>(device.driver_version))
      .U32(device.sm_count)
      .U32(device.warp_size)
      .U64(device.memory_bytes)
      .U32(device.max_threads_per_block);
  for (uint32_t limit : device.max_block) builder.U32(limit);
  for (uint32_t limit : device.max_grid) builder.U32(limit);
  builder.U32(device.shared_bytes_per_block)
      .U32(device.shared_bytes_per_block_optin)
      .U32(device.max_parameter_bytes)
      .Bytes(compiler_version);
  return builder.Finish();
}

uint64_t PlanCache::BytesOf(const Entry& entry) {
  return sizeof(Entry) + entry.plan.size() + entry.explanation.size();
}

absl::StatusOr<PlanCache::Found> PlanCache::GetOrMake(const Digest& key,
                                                      const Maker& make) {
  std::shared_ptr<Flight> flight;
  {
    std::unique_lock lock(mutex_);
    if (auto kept = kept_.find(key); kept != kept_.end()) {
      ++counts_.hits;
      recent_.splice(recent_.begin(), recent_, kept->second);
      return Found{kept->second->entry, true};
    }
    if (auto other = flights_.find(key); other != flights_.end()) {
      flight = other->second;
      landed_.wait(lock, [&] { return flight->done; });
      if (!flight->result.ok()) return flight->result.status();
      return Found{*flight->result, false};
    }
    ++counts_.misses;
    flight = std::make_shared<Flight>();
    flights_[key] = flight;
  }
  absl::StatusOr<Entry> made = make();
  std::lock_guard lock(mutex_);
  if (made.ok()) {
    auto entry = std::make_shared<const Entry>(*std::move(made));
    flight->result = entry;
    Keep(key, std::move(entry));
  } else {
    flight->result = made.status();
  }
  flight->done = true;
  flights_.erase(key);
  landed_.notify_all();
  if (!flight->result.ok()) return flight->result.status();
  return Found{*flight->result, false};
}

void PlanCache::Keep(const Digest& key, EntryPtr entry) {
  counts_.bytes += BytesOf(*entry);
  recent_.push_front(Kept{key, std::move(entry)});
  kept_[key] = recent_.begin();
  // The newest stays even when it alone passes the limit.
  while (counts_.bytes > limit_bytes_ && recent_.size() > 1) {
    counts_.bytes -= BytesOf(*recent_.back().entry);
    kept_.erase(recent_.back().key);
    recent_.pop_back();
    ++counts_.evictions;
  }
}

PlanCache::Counts PlanCache::counts() const {
  std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace graphd
