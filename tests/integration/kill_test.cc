// The daemon killed at random instants, and its worker and compiler too: what
// was acknowledged stays, the next call is right.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "graphd/v1/device.grpc.pb.h"
#include "graphd/v1/execution.grpc.pb.h"
#include "graphd/v1/graph.grpc.pb.h"
#include "tests/support/daemon_process.h"

namespace graphd {
namespace {

constexpr char kPtx[] = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry add(.param .u64 x, .param .u64 y)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.u32 %r2, [%rd4];
  add.u32 %r3, %r2, CONSTANT;
  st.global.u32 [%rd5], %r3;
  ret;
}
)";

// y = x + constant over 64 words; each constant is a graph of its own.
v1::Graph AddGraph(uint32_t constant) {
  v1::Graph graph;
  for (const char* name : {"x", "y"}) {
    v1::Buffer& buffer = *graph.add_buffers();
    buffer.set_name(name);
    buffer.set_role(*name == 'x' ? v1::Buffer::ROLE_INPUT
                                 : v1::Buffer::ROLE_OUTPUT);
    buffer.set_size_bytes(256);
  }
  v1::Module& module = *graph.add_modules();
  module.set_name("m");
  module.set_ptx(
      absl::StrReplaceAll(kPtx, {{"CONSTANT", absl::StrCat(constant)}}));
  v1::Node& node = *graph.add_nodes();
  node.set_name("add");
  v1::KernelNode& kernel = *node.mutable_kernel();
  kernel.set_module("m");
  kernel.set_function("add");
  kernel.add_grid()->set_value(1);
  kernel.add_block()->set_value(64);
  kernel.add_args()->mutable_buffer()->set_name("x");
  kernel.add_args()->mutable_buffer()->set_name("y");
  return graph;
}

// Whether the process still executes; a zombie that nobody has reaped does not.
bool Executes(pid_t pid) {
  std::ifstream file(absl::StrCat("/proc/", pid, "/stat"));
  std::string text;
  if (!std::getline(file, text)) return false;
  const size_t name_end = text.rfind(')');
  return name_end != std::string::npos && text[name_end + 2] != 'Z';
}

class KillTest : public testing::Test {
 protected:
  void SetUp() override {
    auto daemon = DaemonProcess::Start(GRAPHD_BINARY_DIR "/bin/graphd",
                                       {"--soft-devices", "1"});
    ASSERT_TRUE(daemon.ok()) << daemon.status();
    daemon_ = *std::move(daemon);
  }

  std::shared_ptr<grpc::Channel> Connect() {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel(daemon_->unix_endpoint(),
                                     grpc::InsecureChannelCredentials(),
                                     arguments);
  }

  grpc::Status Submit(v1::GraphService::Stub& stub, uint32_t constant,
                      const std::string& name, std::string& digest) {
    grpc::ClientContext context;
    Limit(context);
    v1::SubmitGraphRequest request;
    *request.mutable_graph() = AddGraph(constant);
    request.set_name(name);
    v1::SubmitGraphResponse response;
    const grpc::Status status = stub.SubmitGraph(&context, request, &response);
    digest = response.digest();
    return status;
  }

  // Replays on 0, 1, 2…; when OK the answer has been checked.
  grpc::Status Replay(v1::ExecutionService::Stub& stub,
                      const std::string& graph, uint32_t constant,
                      uint64_t count = 1) {
    grpc::ClientContext context;
    Limit(context);
    std::vector<uint32_t> x(64);
    for (uint32_t i = 0; i < 64; ++i) x[i] = i;
    v1::ReplayRequest request;
    request.set_graph(graph);
    request.set_count(count);
    (*request.mutable_inputs())["x"].set_data(x.data(), 256);
    v1::ReplayResponse response;
    const grpc::Status status = stub.Replay(&context, request, &response);
    if (!status.ok()) return status;
    const std::string& y = response.outputs().at("y").data();
    EXPECT_EQ(y.size(), 256u);
    for (uint32_t i = 0; i < 64 && y.size() == 256; ++i) {
      uint32_t value = 0;
      std::memcpy(&value, y.data() + 4 * i, 4);
      EXPECT_EQ(value, i + constant) << "element " << i;
    }
    return status;
  }

  // Replays until the replacement serves; every failure on the way must say
  // that a retry is right.
  void ReplayUntilServed(v1::ExecutionService::Stub& stub,
                         const std::string& graph, uint32_t constant) {
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (true) {
      const grpc::Status status = Replay(stub, graph, constant);
      if (status.ok()) return;
      ASSERT_THAT(status.error_code(),
                  testing::AnyOf(grpc::StatusCode::UNAVAILABLE,
                                 grpc::StatusCode::ABORTED))
          << status.error_message();
      ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    }
  }

  int64_t WorkerPid() {
    const auto stub = v1::DeviceService::NewStub(Connect());
    grpc::ClientContext context;
    v1::ListDevicesResponse response;
    const grpc::Status status = stub->ListDevices(&context, {}, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.devices_size() == 1 ? response.devices(0).worker_pid() : 0;
  }

  static void Limit(grpc::ClientContext& context) {
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::seconds(60));
  }

  std::unique_ptr<DaemonProcess> daemon_;
  std::mt19937 random_{20261201};
};

TEST_F(KillTest, EveryAcknowledgedSubmitSurvivesAKillOfTheDaemon) {
  constexpr int kKills = 25;
  std::map<std::string, std::string> acknowledged;  // name -> digest
  uint32_t constant = 0;
  for (int round = 0; round < kKills; ++round) {
    std::atomic<bool> stop = false;
    std::mutex mutex;
    std::thread submitter([&] {
      const auto stub = v1::GraphService::NewStub(Connect());
      while (!stop) {
        const uint32_t mine = ++constant;
        std::string digest;
        const std::string name = absl::StrCat("graph-", mine);
        if (Submit(*stub, mine, name, digest).ok()) {
          std::lock_guard lock(mutex);
          acknowledged[name] = digest;
        }
      }
    });
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % 120000));
    daemon_->Kill();
    stop = true;
    submitter.join();
    const absl::Status restarted = daemon_->Restart();
    ASSERT_TRUE(restarted.ok()) << restarted;
  }
  ASSERT_GT(acknowledged.size(), 10u);
  const auto graphs = v1::GraphService::NewStub(Connect());
  for (const auto& [name, digest] : acknowledged) {
    grpc::ClientContext context;
    v1::GetGraphRequest request;
    request.set_graph(name);
    request.set_include_definition(true);
    v1::GraphRecord record;
    const grpc::Status status = graphs->GetGraph(&context, request, &record);
    ASSERT_TRUE(status.ok()) << name << ": " << status.error_message();
    EXPECT_EQ(record.digest(), digest) << name;
  }
  const auto execution = v1::ExecutionService::NewStub(Connect());
  const std::string last = acknowledged.rbegin()->first;
  ReplayUntilServed(*execution, last,
                    static_cast<uint32_t>(std::stoul(last.substr(6))));
}

TEST_F(KillTest, TheReplayAfterAKilledWorkerIsRight) {
  const auto graphs = v1::GraphService::NewStub(Connect());
  const auto execution = v1::ExecutionService::NewStub(Connect());
  std::string digest;
  ASSERT_TRUE(Submit(*graphs, 7, "seven", digest).ok());
  for (int round = 0; round < 15; ++round) {
    ReplayUntilServed(*execution, "seven", 7);
    const int64_t pid = WorkerPid();
    ASSERT_GT(pid, 1);
    std::thread killer([&, delay = random_() % 20000] {
      std::this_thread::sleep_for(std::chrono::microseconds(delay));
      kill(static_cast<pid_t>(pid), SIGKILL);
    });
    // Long enough to be hit in the middle.
    const grpc::Status hit = Replay(*execution, "seven", 7, 5000);
    EXPECT_THAT(hit.error_code(),
                testing::AnyOf(grpc::StatusCode::OK, grpc::StatusCode::ABORTED,
                               grpc::StatusCode::UNAVAILABLE))
        << hit.error_message();
    killer.join();
    ReplayUntilServed(*execution, "seven", 7);
  }
  EXPECT_EQ(daemon_->Stop(), 0);
}

TEST_F(KillTest, WorkersOfAKilledDaemonEndByThemselves) {
  const auto graphs = v1::GraphService::NewStub(Connect());
  const auto execution = v1::ExecutionService::NewStub(Connect());
  std::string digest;
  ASSERT_TRUE(Submit(*graphs, 1, "one", digest).ok());
  ReplayUntilServed(*execution, "one", 1);
  const pid_t worker = static_cast<pid_t>(WorkerPid());
  ASSERT_GT(worker, 1);
  daemon_->Kill();
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (kill(worker, 0) == 0 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_FALSE(Executes(worker)) << "the worker outlived its daemon";
  ASSERT_TRUE(daemon_->Restart().ok());
}

TEST_F(KillTest, SigtermLetsARunFinishAndEndsWithCodeZero) {
  const auto graphs = v1::GraphService::NewStub(Connect());
  const auto execution = v1::ExecutionService::NewStub(Connect());
  std::string digest;
  ASSERT_TRUE(Submit(*graphs, 3, "three", digest).ok());
  ReplayUntilServed(*execution, "three", 3);
  std::atomic<bool> started = false;
  std::thread runner([&] {
    started = true;
    const grpc::Status status = Replay(*execution, "three", 3, 20000);
    // Begun before the signal: it finishes. Not yet begun: refused, to be
    // retried elsewhere.
    EXPECT_THAT(
        status.error_code(),
        testing::AnyOf(grpc::StatusCode::OK, grpc::StatusCode::UNAVAILABLE))
        << status.error_message();
  });
  while (!started) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(daemon_->Stop(), 0);
  runner.join();
}

}  // namespace
}  // namespace graphd
