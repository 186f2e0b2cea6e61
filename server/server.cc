#include "server/server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/base/descriptor.h"
#include "core/base/status_macros.h"
#include "server/workers/probe.h"

namespace graphd {
namespace {

// A driver may need seconds to initialise.
constexpr absl::Duration kProbeLimit = absl::Seconds(60);
// Measured: 64 KiB windows with BDP probing move 70 MB/s, this 300 MB/s.
constexpr int kLookaheadBytes = 16 << 20;
// How long the last answers may take to leave once nothing is at work.
constexpr absl::Duration kLastAnswers = absl::Milliseconds(300);
// Half-open connections are noticed after this and the next.
constexpr int kKeepaliveMs = 60'000;
constexpr int kKeepaliveTimeoutMs = 20'000;

// Whether a process accepts connections on the socket: gRPC would take it over.
bool SomebodyListens(const std::string& path) {
  const Descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  return probe.valid() &&
         ::connect(probe.number(), reinterpret_cast<sockaddr*>(&address),
                   sizeof(address)) == 0;
}

absl::Status PrepareSocket(absl::string_view address) {
  if (!absl::ConsumePrefix(&address, "unix:")) return absl::OkStatus();
  absl::ConsumePrefix(&address, "//");
  const std::filesystem::path path{std::string(address)};
  std::error_code error;
  if (path.has_parent_path()) {
    std::filesystem::create_directories(path.parent_path(), error);
  }
  if (error) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot listen on \"", path.string(),
                     "\": its folder: ", error.message()));
  }
  if (SomebodyListens(path.string())) {
    return absl::FailedPreconditionError(absl::StrCat(
        "cannot listen on \"", path.string(), "\": another process does"));
  }
  return absl::OkStatus();
}

// "127.0.0.1:0" and 4711 make "127.0.0.1:4711".
std::string WithPort(const std::string& address, int port) {
  if (absl::StartsWith(address, "unix:")) return address;
  return absl::StrCat(address.substr(0, address.rfind(':')), ":", port);
}

absl::string_view Name(WorkerState state) {
  switch (state) {
    case WorkerState::kStarting:
      return "starting";
    case WorkerState::kServing:
      return "serving";
    case WorkerState::kNotServing:
      return "not serving";
    case WorkerState::kStopped:
      break;
  }
  return "stopped";
}

void LogChange(Logger& log, absl::string_view process,
               const Supervisor::Change& change) {
  const std::string pid = absl::StrCat(change.pid);
  const std::string state(Name(change.state));
  if (change.state == WorkerState::kNotServing) {
    log.Warning("process is not serving",
                {{"process", std::string(process)}, {"cause", change.cause}});
  } else {
    log.Info(
        "process changed state",
        {{"process", std::string(process)}, {"state", state}, {"pid", pid}});
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const Config& config,
                                                      Logger& log) {
  std::unique_ptr<Server> server(new Server(config, log));
  for (const std::string& address : config.listen) {
    GRAPHD_RETURN_IF_ERROR(PrepareSocket(address));
  }
  GRAPHD_ASSIGN_OR_RETURN(server->store_, GraphStore::Open(config.state_dir));
  server->StartCompiler();
  server->StartDevices();
  server->catalog_ = std::make_unique<GraphCatalog>(
      *server->store_, *server->compiler_, config.plan_cache_bytes);
  server->graph_service_ = std::make_unique<GraphService>(
      *server->catalog_, *server->dispatcher_, server->registry_, log);
  server->execution_service_ = std::make_unique<ExecutionService>(
      *server->catalog_, *server->dispatcher_, server->registry_, log,
      config.max_message_bytes);
  server->device_service_ =
      std::make_unique<DeviceService>(*server->dispatcher_);
  GRAPHD_RETURN_IF_ERROR(server->Listen());
  return server;
}

void Server::StartCompiler() {
  CompilerClient::Options options;
  options.command = {
      config_.compiler_program,
      {absl::StrCat("--memory-bytes=", config_.compiler_memory_bytes),
       absl::StrCat("--cpu-seconds=",
                    std::max<int64_t>(
                        1, absl::ToInt64Seconds(config_.compile_cpu_limit)))}};
  options.queue_capacity = config_.queue_capacity;
  options.limit = config_.compile_limit;
  options.cpu_limit = config_.compile_cpu_limit;
  compiler_ = std::make_unique<CompilerClient>(
      std::move(options), [this](const Supervisor::Change& change) {
        LogChange(log_, "compiler", change);
      });
}

void Server::StartDevices() {
  std::vector<std::string> names = config_.devices;
  for (uint64_t i = 0; i < config_.soft_devices; ++i) {
    const std::string name = absl::StrCat("soft", i);
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
  if (names.empty()) {
    const auto report =
        ProbeDevices(config_.worker_program, absl::Now() + kProbeLimit);
    if (report.ok()) {
      for (const auto& device : report->devices()) {
        names.push_back(device.name());
      }
      log_.Info("devices found",
                {{"devices", absl::StrJoin(names, ", ")},
                 {"no_gpu_because", report->no_gpu_because()}});
    } else {
      log_.Warning("looking for devices failed; a software device is used",
                   {{"error", std::string(report.status().message())}});
    }
  }
  if (names.empty()) names.push_back("soft0");
  std::vector<std::unique_ptr<DeviceLane>> lanes;
  for (const std::string& name : names) lanes.push_back(MakeLane(name));
  dispatcher_ = std::make_unique<Dispatcher>(std::move(lanes));
}

std::unique_ptr<DeviceLane> Server::MakeLane(const std::string& name) {
  DeviceLane::Options options;
  options.name = name;
  options.command = {
      config_.worker_program,
      {absl::StrCat("--device=", name),
       absl::StrCat("--soft-memory-bytes=", config_.soft_memory_bytes),
       absl::StrCat("--soft-threads=", config_.soft_threads)}};
  options.queue_capacity = config_.queue_capacity;
  options.run_limit = config_.run_limit;
  health_.Set(name, false);
  return std::make_unique<DeviceLane>(
      std::move(options), [this, name](const Supervisor::Change& change) {
        health_.Set(name, change.state == WorkerState::kServing);
        LogChange(log_, name, change);
      });
}

absl::Status Server::Listen() {
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::EnableDefaultHealthCheckService(false);
  grpc::ServerBuilder builder;
  std::vector<int> ports(config_.listen.size(), 0);
  for (size_t i = 0; i < config_.listen.size(); ++i) {
    builder.AddListeningPort(config_.listen[i],
                             grpc::InsecureServerCredentials(), &ports[i]);
  }
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES,
                             kLookaheadBytes);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
                             kKeepaliveTimeoutMs);
  const int message_bytes = static_cast<int>(
      std::min<uint64_t>(config_.max_message_bytes, INT32_MAX));
  builder.SetMaxReceiveMessageSize(message_bytes);
  builder.SetMaxSendMessageSize(message_bytes);
  grpc::ResourceQuota quota("graphd");
  quota.SetMaxThreads(static_cast<int>(config_.max_threads));
  builder.SetResourceQuota(quota);
  builder.RegisterService(&health_);
  builder.RegisterService(graph_service_.get());
  builder.RegisterService(execution_service_.get());
  builder.RegisterService(device_service_.get());
  for (absl::string_view service :
       {"", "graphd.v1.GraphService", "graphd.v1.ExecutionService",
        "graphd.v1.DeviceService", "grpc.health.v1.Health"}) {
    health_.Set(service, true);
  }
  server_ = builder.BuildAndStart();
  for (size_t i = 0; i < config_.listen.size(); ++i) {
    if (server_ == nullptr || ports[i] == 0) {
      return absl::UnavailableError(
          absl::StrCat("cannot listen on ", absl::StrJoin(config_.listen, ", "),
                       ": an address is in use or not permitted"));
    }
    addresses_.push_back(WithPort(config_.listen[i], ports[i]));
  }
  return absl::OkStatus();
}

void Server::Drain() {
  log_.Info("draining");
  health_.Shutdown();
  registry_.Drain();
  const absl::Time deadline = absl::Now() + config_.drain_limit;
  if (!registry_.WaitIdle(deadline)) {
    log_.Warning("the drain limit passed; what still runs is ended");
  }
  Stop(absl::Now() + kLastAnswers);
}

void Server::Stop(absl::Time deadline) {
  health_.EndWatches();
  // Runs that are left fail now, so that their threads come back.
  if (dispatcher_ != nullptr) dispatcher_->Stop();
  if (compiler_ != nullptr) compiler_->Stop();
  if (server_ != nullptr) {
    server_->Shutdown(absl::ToChronoTime(deadline));
    server_->Wait();
    server_.reset();
  }
}

Server::~Server() {
  health_.Shutdown();
  registry_.Drain();
  Stop(absl::Now());
}

absl::Status WriteReadyFile(const std::string& path,
                            const std::vector<std::string>& addresses) {
  const std::string temporary = absl::StrCat(path, ".tmp", ::getpid());
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file << "{\"addresses\":["
       << absl::StrJoin(addresses, ",",
                        [](std::string* out, const std::string& address) {
                          absl::StrAppend(out, "\"", address, "\"");
                        })
       << "],\"pid\":" << ::getpid() << "}\n";
  file.close();
  if (!file || std::rename(temporary.c_str(), path.c_str()) != 0) {
    ::unlink(temporary.c_str());
    return absl::FailedPreconditionError(
        absl::StrCat("cannot write ready file \"", path, "\""));
  }
  return absl::OkStatus();
}

}  // namespace graphd
