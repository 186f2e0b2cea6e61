#include "server/runs/dispatcher.h"

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace graphd {

absl::StatusOr<DeviceLane*> Dispatcher::Choose(const std::string& name) {
  DeviceLane* best = nullptr;
  bool best_serves = false;
  for (const auto& lane : lanes_) {
    if (!name.empty()) {
      if (lane->name() == name) return lane.get();
      continue;
    }
    const bool serves = lane->supervisor().state() == WorkerState::kServing;
    if (best == nullptr || (serves && !best_serves) ||
        (serves == best_serves && lane->load() < best->load())) {
      best = lane.get();
      best_serves = serves;
    }
  }
  if (best != nullptr) return best;
  return absl::NotFoundError(absl::StrCat(
      "no device \"", absl::CEscape(name.substr(0, 80)), "\"; there are ",
      absl::StrJoin(lanes_, ", ", [](std::string* out, const auto& lane) {
        out->append(lane->name());
      })));
}

void Dispatcher::Stop() {
  for (const auto& lane : lanes_) lane->Stop();
}

}  // namespace graphd
