// graphd.v1.ExecutionService: runs of stored graphs.
//
// The thread that serves the call talks to the worker itself: a warm replay
// changes threads nowhere in the daemon.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_SERVER_SERVICES_EXECUTION_SERVICE_H_
#define GRAPHD_SERVER_SERVICES_EXECUTION_SERVICE_H_

#include <cstdint>

#include "graphd/v1/execution.grpc.pb.h"
#include "server/observe/logging.h"
#include "server/runs/dispatcher.h"
#include "server/runs/run_registry.h"
#include "server/services/graph_catalog.h"

namespace graphd {

class ExecutionService final : public v1::ExecutionService::Service {
 public:
  // All outlive the service.
  ExecutionService(GraphCatalog& catalog, Dispatcher& dispatcher,
                   RunRegistry& registry, Logger& log,
                   uint64_t max_message_bytes)
      : catalog_(catalog),
        dispatcher_(dispatcher),
        registry_(registry),
        log_(log),
        max_message_bytes_(max_message_bytes) {}

  grpc::Status Replay(grpc::ServerContext* context,
                      const v1::ReplayRequest* request,
                      v1::ReplayResponse* response) override;

 private:
  absl::Status Run(grpc::ServerContext& context,
                   const v1::ReplayRequest& request,
                   v1::ReplayResponse& response);

  GraphCatalog& catalog_;
  Dispatcher& dispatcher_;
  RunRegistry& registry_;
  Logger& log_;
  const uint64_t max_message_bytes_;
};

}  // namespace graphd

#endif  // GRAPHD_SERVER_SERVICES_EXECUTION_SERVICE_H_
