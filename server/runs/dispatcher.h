// Dispatcher holds the daemon's devices and finds the one for a call.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_SERVER_RUNS_DISPATCHER_H_
#define GRAPHD_SERVER_RUNS_DISPATCHER_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "server/runs/device_lane.h"

namespace graphd {

class Dispatcher {
 public:
  // Requires: at least one lane, names unique.
  explicit Dispatcher(std::vector<std::unique_ptr<DeviceLane>> lanes)
      : lanes_(std::move(lanes)) {}

  // The device `name`; with an empty name the serving one with the shortest
  // queue. Errors: NOT_FOUND with the names that exist.
  absl::StatusOr<DeviceLane*> Choose(const std::string& name);
  // Ends all workers.
  void Stop();

  const std::vector<std::unique_ptr<DeviceLane>>& lanes() const {
    return lanes_;
  }

 private:
  std::vector<std::unique_ptr<DeviceLane>> lanes_;
};

}  // namespace graphd

#endif  // GRAPHD_SERVER_RUNS_DISPATCHER_H_
