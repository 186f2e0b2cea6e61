// A Replay request against the graph that it names: every finding at once, or
// the order for a device.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_SERVER_SERVICES_REPLAY_REQUEST_H_
#define GRAPHD_SERVER_SERVICES_REPLAY_REQUEST_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "graphd/v1/execution.pb.h"
#include "server/runs/device_lane.h"
#include "server/services/graph_catalog.h"

namespace graphd {

inline constexpr uint64_t kMostExecutions = 1'000'000;  // in one message

// A run order without plan, deadline and cancellation. It refers to `request`
// and `facts`, which outlive it; `outputs` are the buffers behind
// order.outputs.
struct CheckedReplay {
  RunOrder order;
  std::vector<const Buffer*> outputs;
};

// Errors: INVALID_ARGUMENT with a finding for each missing, unknown or
// wrong-sized input, unknown output, parameter that is unknown, missing, of
// another type or out of range; and when the outputs do not fit into a message
// of `max_message_bytes`.
absl::StatusOr<CheckedReplay> CheckReplay(const v1::ReplayRequest& request,
                                          const GraphFacts& facts,
                                          uint64_t max_message_bytes);

}  // namespace graphd

#endif  // GRAPHD_SERVER_SERVICES_REPLAY_REQUEST_H_
