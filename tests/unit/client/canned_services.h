// graphd's services in this process with answers that a test sets, on a Unix
// socket in a temporary folder.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_TESTS_UNIT_CLIENT_CANNED_SERVICES_H_
#define GRAPHD_TESTS_UNIT_CLIENT_CANNED_SERVICES_H_

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <stdlib.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "graphd/v1/device.grpc.pb.h"
#include "graphd/v1/execution.grpc.pb.h"
#include "graphd/v1/graph.grpc.pb.h"
#include "grpc/health/v1/health.grpc.pb.h"

namespace graphd {

// A folder that goes with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "graphd-client-XXXXXX")
            .string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const {
    return path_ + "/" + name;
  }

 private:
  std::string path_;
};

class CannedGraphs : public v1::GraphService::Service {
 public:
  grpc::Status SubmitGraph(grpc::ServerContext*,
                           const v1::SubmitGraphRequest* request,
                           v1::SubmitGraphResponse* response) override {
    submitted = *request;
    *response = submit_response;
    return status;
  }
  grpc::Status GetGraph(grpc::ServerContext*,
                        const v1::GetGraphRequest* request,
                        v1::GraphRecord* response) override {
    if (request->graph() == "absent") {
      return {grpc::StatusCode::NOT_FOUND, "no graph named \"absent\""};
    }
    *response = record;
    return status;
  }
  // A page a record.
  grpc::Status ListGraphs(grpc::ServerContext*,
                          const v1::ListGraphsRequest* request,
                          v1::ListGraphsResponse* response) override {
    const size_t first =
        request->page_token().empty() ? 0 : std::stoul(request->page_token());
    if (first < records.size()) *response->add_graphs() = records[first];
    if (first + 1 < records.size()) {
      response->set_next_page_token(std::to_string(first + 1));
    }
    return status;
  }
  grpc::Status DeleteGraph(grpc::ServerContext*,
                           const v1::DeleteGraphRequest* request,
                           v1::DeleteGraphResponse* response) override {
    if (request->graph() == "absent") {
      return {grpc::StatusCode::NOT_FOUND, "no graph named \"absent\""};
    }
    response->set_deleted_revisions(1);
    response->add_deleted_digests("sha256:00");
    return status;
  }
  // A page a step.
  grpc::Status ExplainGraph(grpc::ServerContext*,
                            const v1::ExplainGraphRequest* request,
                            v1::Plan* response) override {
    explained = *request;
    const int first =
        request->page_token().empty() ? 0 : std::stoi(request->page_token());
    *response = plan;
    response->clear_steps();
    if (first < plan.steps_size()) *response->add_steps() = plan.steps(first);
    if (first + 1 < plan.steps_size()) {
      response->set_next_page_token(std::to_string(first + 1));
    }
    return status;
  }

  grpc::Status status;
  v1::SubmitGraphRequest submitted;
  v1::SubmitGraphResponse submit_response;
  v1::GraphRecord record;
  std::vector<v1::GraphRecord> records;
  v1::ExplainGraphRequest explained;
  v1::Plan plan;
};

class CannedExecution : public v1::ExecutionService::Service {
 public:
  grpc::Status Replay(grpc::ServerContext* context,
                      const v1::ReplayRequest* request,
                      v1::ReplayResponse* response) override {
    replayed = *request;
    ++calls;
    if (never_answers) {
      while (!context->IsCancelled()) {
        std::this_thread::yield();
      }
      return grpc::Status::CANCELLED;
    }
    *response = answer;
    return status;
  }

  grpc::Status status;
  bool never_answers = false;
  std::atomic<int> calls = 0;
  v1::ReplayRequest replayed;
  v1::ReplayResponse answer;
};

class CannedDevices : public v1::DeviceService::Service {
 public:
  grpc::Status ListDevices(grpc::ServerContext*, const v1::ListDevicesRequest*,
                           v1::ListDevicesResponse* response) override {
    *response->add_devices() = device;
    return grpc::Status::OK;
  }
  grpc::Status GetDevice(grpc::ServerContext*,
                         const v1::GetDeviceRequest* request,
                         v1::Device* response) override {
    if (request->name() != device.name()) {
      return {grpc::StatusCode::NOT_FOUND,
              "no device named \"" + request->name() + "\""};
    }
    *response = device;
    return grpc::Status::OK;
  }

  v1::Device device;
};

class CannedHealth : public grpc::health::v1::Health::Service {
 public:
  grpc::Status Check(grpc::ServerContext*,
                     const grpc::health::v1::HealthCheckRequest* request,
                     grpc::health::v1::HealthCheckResponse* response) override {
    response->set_status(
        request->service() == "soft1"
            ? grpc::health::v1::HealthCheckResponse::NOT_SERVING
            : grpc::health::v1::HealthCheckResponse::SERVING);
    return grpc::Status::OK;
  }
};

// All of them on one socket.
class CannedServer {
 public:
  CannedServer() {
    device.device.set_name("soft0");
    device.device.set_kind(v1::Device::KIND_SOFTWARE);
    device.device.set_state(v1::Device::STATE_SERVING);
    device.device.set_compute_capability("7.5");
    device.device.set_memory_bytes(uint64_t{2} << 30);
    device.device.set_product("graphd software GPU");
    grpc::ServerBuilder builder;
    builder.AddListeningPort(endpoint(), grpc::InsecureServerCredentials());
    builder.SetMaxReceiveMessageSize(64 << 20);
    builder.RegisterService(&graphs);
    builder.RegisterService(&execution);
    builder.RegisterService(&device);
    builder.RegisterService(&health);
    server_ = builder.BuildAndStart();
  }
  ~CannedServer() { server_->Shutdown(std::chrono::system_clock::now()); }

  std::string endpoint() const { return "unix:" + (folder / "canned.sock"); }

  TemporaryFolder folder;
  CannedGraphs graphs;
  CannedExecution execution;
  CannedDevices device;
  CannedHealth health;

 private:
  std::unique_ptr<grpc::Server> server_;
};

// An error with one finding, as graphd sends it.
inline grpc::Status FindingStatus(const std::string& message,
                                  const std::string& field,
                                  const std::string& description) {
  google::rpc::BadRequest bad;
  auto* violation = bad.add_field_violations();
  violation->set_field(field);
  violation->set_description(description);
  google::rpc::Status details;
  details.set_code(3);
  details.add_details()->PackFrom(bad);
  return {grpc::StatusCode::INVALID_ARGUMENT, message,
          details.SerializeAsString()};
}

}  // namespace graphd

#endif  // GRAPHD_TESTS_UNIT_CLIENT_CANNED_SERVICES_H_
