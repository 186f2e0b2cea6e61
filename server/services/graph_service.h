// graphd.v1.GraphService: definitions and plans.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_SERVER_SERVICES_GRAPH_SERVICE_H_
#define GRAPHD_SERVER_SERVICES_GRAPH_SERVICE_H_

#include "graphd/v1/graph.grpc.pb.h"
#include "server/observe/logging.h"
#include "server/runs/dispatcher.h"
#include "server/runs/run_registry.h"
#include "server/services/graph_catalog.h"

namespace graphd {

class GraphService final : public v1::GraphService::Service {
 public:
  // All outlive the service.
  GraphService(GraphCatalog& catalog, Dispatcher& dispatcher,
               RunRegistry& registry, Logger& log)
      : catalog_(catalog),
        dispatcher_(dispatcher),
        registry_(registry),
        log_(log) {}

  grpc::Status SubmitGraph(grpc::ServerContext* context,
                           const v1::SubmitGraphRequest* request,
                           v1::SubmitGraphResponse* response) override;
  grpc::Status GetGraph(grpc::ServerContext* context,
                        const v1::GetGraphRequest* request,
                        v1::GraphRecord* response) override;
  grpc::Status ListGraphs(grpc::ServerContext* context,
                          const v1::ListGraphsRequest* request,
                          v1::ListGraphsResponse* response) override;
  grpc::Status DeleteGraph(grpc::ServerContext* context,
                           const v1::DeleteGraphRequest* request,
                           v1::DeleteGraphResponse* response) override;
  grpc::Status CompileGraph(grpc::ServerContext* context,
                            const v1::CompileGraphRequest* request,
                            v1::CompileGraphResponse* response) override;
  grpc::Status ExplainGraph(grpc::ServerContext* context,
                            const v1::ExplainGraphRequest* request,
                            v1::Plan* response) override;

 private:
  absl::StatusOr<v1::SubmitGraphResponse> Submit(
      grpc::ServerContext& context, const v1::SubmitGraphRequest& request);
  absl::StatusOr<v1::DeleteGraphResponse> Delete(
      const v1::DeleteGraphRequest& request);
  absl::StatusOr<v1::CompileGraphResponse> Compile(
      grpc::ServerContext& context, const v1::CompileGraphRequest& request);
  absl::StatusOr<v1::Plan> Explain(grpc::ServerContext& context,
                                   const v1::ExplainGraphRequest& request);

  GraphCatalog& catalog_;
  Dispatcher& dispatcher_;
  RunRegistry& registry_;
  Logger& log_;
};

}  // namespace graphd

#endif  // GRAPHD_SERVER_SERVICES_GRAPH_SERVICE_H_
