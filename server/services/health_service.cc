#include "server/services/health_service.h"

#include <chrono>

namespace graphd {
namespace {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

// Each Watch holds a thread.
constexpr int kMostWatchers = 64;
// How soon a Watch notices that its client has gone.
constexpr std::chrono::milliseconds kLookAround(200);

}  // namespace

void HealthService::Set(absl::string_view name, bool serving) {
  {
    std::lock_guard lock(mutex_);
    serving_[std::string(name)] = serving && !shut_down_;
  }
  changed_.notify_all();
}

void HealthService::Shutdown() {
  {
    std::lock_guard lock(mutex_);
    shut_down_ = true;
    for (auto& [name, serving] : serving_) serving = false;
  }
  changed_.notify_all();
}

void HealthService::EndWatches() {
  {
    std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
}

HealthService::ServingStatus HealthService::StatusOf(
    const std::string& name) const {
  const auto entry = serving_.find(name);
  if (entry == serving_.end()) return HealthCheckResponse::SERVICE_UNKNOWN;
  return entry->second ? HealthCheckResponse::SERVING
                       : HealthCheckResponse::NOT_SERVING;
}

grpc::Status HealthService::Check(grpc::ServerContext*,
                                  const HealthCheckRequest* request,
                                  HealthCheckResponse* response) {
  std::lock_guard lock(mutex_);
  const ServingStatus status = StatusOf(request->service());
  if (status == HealthCheckResponse::SERVICE_UNKNOWN) {
    return grpc::Status(
        grpc::StatusCode::NOT_FOUND,
        "no service or device named \"" + request->service() + "\"");
  }
  response->set_status(status);
  return grpc::Status::OK;
}

grpc::Status HealthService::Watch(
    grpc::ServerContext* context, const HealthCheckRequest* request,
    grpc::ServerWriter<HealthCheckResponse>* writer) {
  std::unique_lock lock(mutex_);
  if (watchers_ >= kMostWatchers) {
    return grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED,
                        "64 health watches are open, the most there may be");
  }
  ++watchers_;
  ServingStatus sent = HealthCheckResponse::UNKNOWN;
  while (!ended_ && !context->IsCancelled()) {
    const ServingStatus now = StatusOf(request->service());
    if (now == sent) {
      changed_.wait_for(lock, kLookAround);
      continue;
    }
    HealthCheckResponse response;
    response.set_status(now);
    sent = now;
    lock.unlock();
    const bool open = writer->Write(response);
    lock.lock();
    if (!open) break;
  }
  --watchers_;
  return grpc::Status::OK;
}

}  // namespace graphd
