// PlanCache keeps compiled plans by what they were made from, as bytes.
//
// The key says everything that may change a plan: graph, hints, options, device
// description, versions; equal keys give byte-identical plans. Equal requests
// in flight are made once. The least recently used plans go first when the
// bytes pass the limit; a plan that a run uses stays alive by its pointer.
// Failures are not kept.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_PLAN_PLAN_CACHE_H_
#define GRAPHD_CORE_PLAN_PLAN_CACHE_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/digest.h"
#include "core/plan/device_description.h"

namespace graphd {

struct PlanKey {
  Digest graph;
  Digest hints;
  uint32_t streams = 0;
  std::vector<std::string> skip_passes;  // order and repeats do not matter
  DeviceDescription device;              // name and uuid do not matter
  std::string compiler_version;

  Digest ToDigest() const;
};

class PlanCache {
 public:
  struct Entry {
    Digest plan_digest;
    std::string plan;         // a serialized PlanRecord
    std::string explanation;  // a serialized graphd.v1.Plan
  };
  using EntryPtr = std::shared_ptr<const Entry>;
  using Maker = std::function<absl::StatusOr<Entry>()>;

  struct Found {
    EntryPtr entry;
    bool cached = false;  // false: made by this call, or awaited
  };
  struct Counts {
    uint64_t hits = 0;
    uint64_t misses = 0;
    uint64_t evictions = 0;
    uint64_t bytes = 0;
  };

  explicit PlanCache(uint64_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // The plan of `key` (PlanKey::ToDigest), made by `make` when it is not there.
  // Callers with the same key wait for the one that makes it and get its
  // result, an error too.
  absl::StatusOr<Found> GetOrMake(const Digest& key, const Maker& make);

  Counts counts() const;

 private:
  struct Kept {
    Digest key;
    EntryPtr entry;
  };
  struct Flight {
    bool done = false;
    absl::StatusOr<EntryPtr> result = EntryPtr();
  };
  static uint64_t BytesOf(const Entry& entry);
  void Keep(const Digest& key, EntryPtr entry);

  const uint64_t limit_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable landed_;
  std::list<Kept> recent_;  // most recently used first
  std::map<Digest, std::list<Kept>::iterator> kept_;
  std::map<Digest, std::shared_ptr<Flight>> flights_;
  Counts counts_;
};

}  // namespace graphd

#endif  // GRAPHD_CORE_PLAN_PLAN_CACHE_H_
