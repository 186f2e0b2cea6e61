// grpc.health.v1.Health: whether the daemon, a service or a device takes calls.
//
// Names are "" (the daemon), each service's full name, and each device's name.
// Our own, because the built-in one cannot be described through reflection.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_SERVER_SERVICES_HEALTH_SERVICE_H_
#define GRAPHD_SERVER_SERVICES_HEALTH_SERVICE_H_

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>

#include "absl/strings/string_view.h"
#include "grpc/health/v1/health.grpc.pb.h"

namespace graphd {

class HealthService final : public grpc::health::v1::Health::Service {
 public:
  // Sets whether `name` takes calls; ignored after Shutdown.
  void Set(absl::string_view name, bool serving);
  // Everything is NOT_SERVING from now on.
  void Shutdown();
  // Ends the Watch streams.
  void EndWatches();

  grpc::Status Check(grpc::ServerContext* context,
                     const grpc::health::v1::HealthCheckRequest* request,
                     grpc::health::v1::HealthCheckResponse* response) override;
  grpc::Status Watch(grpc::ServerContext* context,
                     const grpc::health::v1::HealthCheckRequest* request,
                     grpc::ServerWriter<grpc::health::v1::HealthCheckResponse>*
                         writer) override;

 private:
  using ServingStatus = grpc::health::v1::HealthCheckResponse::ServingStatus;
  ServingStatus StatusOf(const std::string& name) const;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, bool> serving_;
  bool shut_down_ = false;
  bool ended_ = false;
  int watchers_ = 0;
};

}  // namespace graphd

#endif  // GRAPHD_SERVER_SERVICES_HEALTH_SERVICE_H_
