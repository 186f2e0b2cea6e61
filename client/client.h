// A thin C++ client of graphd: one channel, one method per call, absl::Status
// back.
//
//   Client client("unix:/run/graphd/graphd.sock");
//   client.Submit(*graph, "relu");                       // a built Graph
//   ReplayCall call("relu");
//   call.Input("x", x).Set("a", Scalar::F32(0.5f)).Output("y", y);
//   absl::StatusOr<v1::ReplayResponse> run = client.Replay(call);
//
// Details that graphd attaches (BadRequest, RetryInfo, ErrorInfo) are payloads
// of the status, by type URL; DetailsOf reads them.
//
// Thread safety: Client is thread-safe, ReplayCall is thread-compatible.
#ifndef GRAPHD_CLIENT_CLIENT_H_
#define GRAPHD_CLIENT_CLIENT_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/graph/graph.h"
#include "core/graph/scalar.h"
#include "google/rpc/error_details.pb.h"
#include "graphd/v1/device.grpc.pb.h"
#include "graphd/v1/execution.grpc.pb.h"
#include "graphd/v1/graph.grpc.pb.h"
#include "grpc/health/v1/health.grpc.pb.h"

namespace graphd {

// The element type of a C++ type; what has none does not compile.
template <typename T>
constexpr ScalarType ScalarTypeOf() {
  using U = std::remove_cv_t<T>;
  static_assert(std::is_arithmetic_v<U> && sizeof(U) <= 8);
  if constexpr (std::is_same_v<U, bool>) return ScalarType::kBool;
  if constexpr (std::is_same_v<U, float>) return ScalarType::kF32;
  if constexpr (std::is_same_v<U, double>) return ScalarType::kF64;
  constexpr bool kSigned = std::is_signed_v<U>;
  switch (sizeof(U)) {
    case 1:
      return kSigned ? ScalarType::kS8 : ScalarType::kU8;
    case 2:
      return kSigned ? ScalarType::kS16 : ScalarType::kU16;
    case 4:
      return kSigned ? ScalarType::kS32 : ScalarType::kU32;
    default:
      return kSigned ? ScalarType::kS64 : ScalarType::kU64;
  }
}

// A replay that is being described: inputs are copied, outputs are filled in
// place when it succeeds.
class ReplayCall {
 public:
  // `graph`: name, name@revision or sha256:….
  explicit ReplayCall(std::string graph);

  // `values`: a contiguous range of an arithmetic type, sent with its type.
  template <typename Range>
  ReplayCall& Input(const std::string& name, const Range& values) {
    std::span view(values);
    using T = std::remove_cv_t<typename decltype(view)::element_type>;
    return AddInput(name, std::as_bytes(view), ScalarTypeOf<T>());
  }
  // For buffers without an element type, such as structs.
  ReplayCall& InputBytes(const std::string& name, absl::string_view bytes);
  // Must stay where it is, and be as large as the buffer, until Replay returns.
  // No output named: the response holds them all.
  template <typename Range>
  ReplayCall& Output(const std::string& name, Range& values) {
    std::span view(values);
    using T = std::remove_cv_t<typename decltype(view)::element_type>;
    return AddOutput(name, std::as_writable_bytes(view), ScalarTypeOf<T>());
  }
  ReplayCall& Set(const std::string& parameter, Scalar value);
  ReplayCall& Count(uint64_t executions);
  ReplayCall& On(std::string device);
  ReplayCall& With(v1::Executor executor);
  ReplayCall& Streams(uint32_t most);
  ReplayCall& SkipPass(std::string pass);

  const v1::ReplayRequest& request() const { return request_; }

 private:
  friend class Client;
  struct Destination {
    std::span<std::byte> bytes;
    ScalarType type;
  };

  ReplayCall& AddInput(const std::string& name,
                       std::span<const std::byte> bytes, ScalarType type);
  ReplayCall& AddOutput(const std::string& name, std::span<std::byte> bytes,
                        ScalarType type);
  // Moves what was asked for from the response to where it belongs.
  absl::Status Deliver(v1::ReplayResponse& response) const;

  v1::ReplayRequest request_;
  std::map<std::string, Destination> destinations_;
};

class Client {
 public:
  static constexpr int kMessageBytes = 64 << 20;

  // `endpoint`: "unix:/path" or "host:port". Connects at the first call.
  explicit Client(const std::string& endpoint);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // How long each later call may take. Requires: no call is in flight.
  void SetTimeout(absl::Duration timeout) { timeout_ = timeout; }

  // Errors of all calls: the daemon's, as graphd/v1 lists them; UNAVAILABLE
  // with a payload kUnreachable when nobody answers at the endpoint;
  // DEADLINE_EXCEEDED past the timeout, with a payload kTimedOut.
  static constexpr absl::string_view kUnreachable = "graphd/unreachable";
  static constexpr absl::string_view kTimedOut = "graphd/timed-out";

  absl::StatusOr<v1::SubmitGraphResponse> Submit(const Graph& graph,
                                                 const std::string& name = "");
  // Outputs that the call has a place for are not in the response.
  absl::StatusOr<v1::ReplayResponse> Replay(const ReplayCall& call);

  absl::StatusOr<v1::SubmitGraphResponse> SubmitGraph(
      const v1::SubmitGraphRequest& request);
  absl::StatusOr<v1::GraphRecord> GetGraph(const v1::GetGraphRequest& request);
  // All pages.
  absl::StatusOr<v1::ListGraphsResponse> ListGraphs();
  absl::StatusOr<v1::DeleteGraphResponse> DeleteGraph(const std::string& graph);
  absl::StatusOr<v1::CompileGraphResponse> CompileGraph(
      const v1::CompileGraphRequest& request);
  // All pages.
  absl::StatusOr<v1::Plan> ExplainGraph(v1::ExplainGraphRequest request);
  absl::StatusOr<v1::ReplayResponse> Replay(const v1::ReplayRequest& request);
  absl::StatusOr<v1::ListDevicesResponse> ListDevices();
  absl::StatusOr<v1::Device> GetDevice(const std::string& name);
  // `service`: "" for the daemon, a service or a device.
  absl::StatusOr<grpc::health::v1::HealthCheckResponse> CheckHealth(
      const std::string& service);

  const std::string& endpoint() const { return endpoint_; }

 private:
  template <typename Stub, typename Request, typename Response>
  absl::StatusOr<Response> Call(
      Stub& stub,
      grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                   Response*),
      const Request& request);
  absl::Status Translate(const grpc::Status& status, absl::Time deadline) const;

  std::string endpoint_;
  absl::Duration timeout_ = absl::InfiniteDuration();
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::GraphService::Stub> graphs_;
  std::unique_ptr<v1::ExecutionService::Stub> execution_;
  std::unique_ptr<v1::DeviceService::Stub> devices_;
  std::unique_ptr<grpc::health::v1::Health::Stub> health_;
};

// The detail of the given type that came with an error, e.g.
// DetailsOf<google::rpc::BadRequest>(status).
template <typename Message>
std::optional<Message> DetailsOf(const absl::Status& status) {
  const auto payload = status.GetPayload("type.googleapis.com/" +
                                         Message::descriptor()->full_name());
  Message message;
  if (!payload.has_value() || !message.ParseFromString(std::string(*payload))) {
    return std::nullopt;
  }
  return message;
}

}  // namespace graphd

#endif  // GRAPHD_CLIENT_CLIENT_H_
