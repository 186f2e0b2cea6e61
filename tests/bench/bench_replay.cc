// What a Replay costs beyond an empty call: both on the same channel, in turn,
// in one run.
#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "graphd/v1/execution.grpc.pb.h"
#include "graphd/v1/graph.grpc.pb.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "tests/support/daemon_process.h"

namespace graphd {
namespace {

struct Options {
  int clients = 1;
  std::string transport = "unix";
  uint64_t bytes = 64;
  uint64_t count = 1;
  double seconds = 3;
  bool json = false;
};

struct Samples {
  std::vector<double> replay_us;
  std::vector<double> empty_us;
  uint64_t errors = 0;
};

double Percentile(std::vector<double>& values, double fraction) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1,
                         static_cast<size_t>(fraction * values.size()))];
}

constexpr char kPtx[] = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry negate(.param .u64 x, .param .u64 y, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mul.wide.s32 %rd5, %r5, 4;
  add.s64 %rd6, %rd3, %rd5;
  ld.global.u32 %r6, [%rd6];
  neg.s32 %r7, %r6;
  add.s64 %rd7, %rd4, %rd5;
  st.global.u32 [%rd7], %r7;
DONE:
  ret;
}
)";

v1::Graph TinyGraph(uint64_t bytes) {
  v1::Graph graph;
  for (const char* name : {"x", "y"}) {
    v1::Buffer& buffer = *graph.add_buffers();
    buffer.set_name(name);
    buffer.set_role(*name == 'x' ? v1::Buffer::ROLE_INPUT
                                 : v1::Buffer::ROLE_OUTPUT);
    buffer.set_size_bytes(bytes);
  }
  v1::Module& module = *graph.add_modules();
  module.set_name("m");
  module.set_ptx(kPtx);
  v1::Node& node = *graph.add_nodes();
  node.set_name("negate");
  v1::KernelNode& kernel = *node.mutable_kernel();
  kernel.set_module("m");
  kernel.set_function("negate");
  const uint32_t elements = static_cast<uint32_t>(bytes / 4);
  kernel.add_grid()->set_value((elements + 255) / 256);
  kernel.add_block()->set_value(256);
  kernel.add_args()->mutable_buffer()->set_name("x");
  kernel.add_args()->mutable_buffer()->set_name("y");
  v1::Scalar& scalar = *kernel.add_args()->mutable_scalar();
  scalar.set_type(v1::SCALAR_TYPE_U32);
  scalar.set_uint_value(elements);
  return graph;
}

std::shared_ptr<grpc::Channel> Connect(const std::string& endpoint) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(64 << 20);
  arguments.SetMaxSendMessageSize(64 << 20);
  // Each client gets a connection of its own.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(endpoint, grpc::InsecureChannelCredentials(),
                                   arguments);
}

template <typename Call>
double Microseconds(Call call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now() - start)
      .count();
}

void Drive(const std::string& endpoint, const Options& options,
           const std::string& digest, Samples& samples) {
  const auto channel = Connect(endpoint);
  const auto execution = v1::ExecutionService::NewStub(channel);
  const auto health = grpc::health::v1::Health::NewStub(channel);
  v1::ReplayRequest request;
  request.set_graph(digest);
  request.set_count(options.count);
  (*request.mutable_inputs())["x"].set_data(std::string(options.bytes, 'x'));
  const auto replay = [&] {
    grpc::ClientContext context;
    v1::ReplayResponse response;
    const grpc::Status status = execution->Replay(&context, request, &response);
    if (!status.ok() && samples.errors++ == 0) {
      std::fprintf(stderr, "replay failed: %s\n",
                   status.error_message().c_str());
    }
  };
  const auto empty = [&] {
    grpc::ClientContext context;
    grpc::health::v1::HealthCheckResponse response;
    if (!health->Check(&context, {}, &response).ok()) ++samples.errors;
  };
  for (int i = 0; i < 20; ++i) replay(), empty();  // plan, instance, caches
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::duration<double>(options.seconds);
  while (std::chrono::steady_clock::now() < end) {
    samples.replay_us.push_back(Microseconds(replay));
    samples.empty_us.push_back(Microseconds(empty));
  }
}

uint64_t ResidentBytes(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  uint64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

absl::StatusOr<std::string> Submit(const std::string& endpoint,
                                   uint64_t bytes) {
  const auto graphs = v1::GraphService::NewStub(Connect(endpoint));
  grpc::ClientContext context;
  v1::SubmitGraphRequest request;
  *request.mutable_graph() = TinyGraph(bytes);
  v1::SubmitGraphResponse response;
  const grpc::Status status = graphs->SubmitGraph(&context, request, &response);
  if (!status.ok()) return absl::InternalError(status.error_message());
  return response.digest();
}

void Print(const Options& options, Samples& all, uint64_t rss_bytes) {
  const double p50 = Percentile(all.replay_us, 0.5);
  const double p99 = Percentile(all.replay_us, 0.99);
  const double empty_p50 = Percentile(all.empty_us, 0.5);
  const double empty_p99 = Percentile(all.empty_us, 0.99);
  const double ratio = empty_p50 == 0 ? 0 : p50 / empty_p50;
  // Replays of a closed loop that does nothing else: the empty calls in between
  // are taken out.
  double busy_us = 0;
  for (double us : all.replay_us) busy_us += us;
  const double per_second = busy_us == 0
                                ? 0
                                : all.replay_us.size() * options.clients *
                                      options.count * 1e6 / busy_us;
  const char* format =
      options.json
          ? "{\"clients\": %d, \"transport\": \"%s\", \"bytes\": %llu, "
            "\"count\": %llu, \"p50_us\": %.1f, \"p99_us\": %.1f, "
            "\"empty_p50_us\": %.1f, \"empty_p99_us\": %.1f, \"ratio_p50\": "
            "%.3f, \"replays_per_s\": %.0f, \"errors\": %llu, \"rss_bytes\": "
            "%llu}\n"
          : "clients %d  transport %s  bytes %llu  count %llu\n"
            "replay  p50 %.1f us  p99 %.1f us\n"
            "empty   p50 %.1f us  p99 %.1f us\n"
            "ratio at p50 %.3f   replays/s %.0f   errors %llu   daemon rss "
            "%llu bytes\n";
  std::printf(format, options.clients, options.transport.c_str(),
              static_cast<unsigned long long>(options.bytes),
              static_cast<unsigned long long>(options.count), p50, p99,
              empty_p50, empty_p99, ratio, per_second,
              static_cast<unsigned long long>(all.errors),
              static_cast<unsigned long long>(rss_bytes));
}

int Run(const Options& options) {
  const std::string program =
      (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "graphd")
          .string();
  const auto daemon = DaemonProcess::Start(program, {"--soft-devices", "1"});
  if (!daemon.ok()) {
    std::fprintf(stderr, "error: %s\n", daemon.status().ToString().c_str());
    return 1;
  }
  const std::string endpoint = options.transport == "tcp"
                                   ? (*daemon)->tcp_endpoint()
                                   : (*daemon)->unix_endpoint();
  const auto digest = Submit(endpoint, options.bytes);
  if (!digest.ok()) {
    std::fprintf(stderr, "error: %s\n", digest.status().ToString().c_str());
    return 1;
  }
  std::vector<Samples> samples(options.clients);
  std::vector<std::thread> threads;
  for (Samples& mine : samples) {
    threads.emplace_back([&] { Drive(endpoint, options, *digest, mine); });
  }
  for (std::thread& thread : threads) thread.join();
  Samples all;
  for (const Samples& mine : samples) {
    all.replay_us.insert(all.replay_us.end(), mine.replay_us.begin(),
                         mine.replay_us.end());
    all.empty_us.insert(all.empty_us.end(), mine.empty_us.begin(),
                        mine.empty_us.end());
    all.errors += mine.errors;
  }
  Print(options, all, ResidentBytes((*daemon)->pid()));
  return all.errors == 0 ? 0 : 1;
}

}  // namespace
}  // namespace graphd

int main(int argc, char** argv) {
  graphd::Options options;
  CLI::App app(
      "Measures Replay of a tiny graph against an empty call (Health/Check) on "
      "the same channel, in turn, against a "
      "daemon of its own on a software device. Figures: p50_us, p99_us of "
      "Replay; empty_p50_us, empty_p99_us of the "
      "empty call; ratio_p50 of the two; replays_per_s of a closed loop; "
      "errors; rss_bytes of the daemon.");
  app.add_option("--clients", options.clients, "concurrent clients")
      ->check(CLI::Range(1, 64));
  app.add_option("--transport", options.transport, "unix or tcp")
      ->check(CLI::IsMember({"unix", "tcp"}));
  app.add_option("--bytes", options.bytes, "bytes in and out, a multiple of 4")
      ->check(CLI::Range(uint64_t{4}, uint64_t{32} << 20));
  app.add_option("--count", options.count, "executions in one message")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1000000}));
  app.add_option("--seconds", options.seconds, "duration")
      ->check(CLI::Range(0.1, 3600.0));
  app.add_flag("--json", options.json, "one JSON object a line");
  CLI11_PARSE(app, argc, argv);
  options.bytes = options.bytes / 4 * 4;
  return graphd::Run(options);
}
