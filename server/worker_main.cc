// graphd-worker: owns one device and runs plans on it for graphd.
#include <fcntl.h>
#include <google/protobuf/util/json_util.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/base/status_macros.h"
#include "core/driver/libcuda_provider.h"
#include "core/exec/device.h"
#include "core/softgpu/software_provider.h"
#include "server/workers/channel.h"
#include "server/workers/worker_loop.h"

namespace graphd {
namespace {

constexpr int kChannelNumber = 3;
constexpr int kUsage = 2;
constexpr int kFailed = 1;
constexpr int kContextLost = 4;

struct CommandLine {
  bool probe = false;
  std::string device = "soft0";
  uint64_t soft_memory_bytes = uint64_t{2} << 30;
  unsigned soft_threads = 0;
};

uint64_t NowNs() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

DriverTable SoftwareTable(const CommandLine& line) {
  softgpu::SoftwareGpuOptions options;
  options.memory_bytes = line.soft_memory_bytes;
  options.threads = line.soft_threads;
  return softgpu::SoftwareDriver(options);
}

// Errors: INVALID_ARGUMENT (no such kind of device), those of LibcudaDriver.
absl::StatusOr<DriverTable> OpenDriver(const CommandLine& line, int& ordinal) {
  absl::string_view number = line.device;
  if (absl::ConsumePrefix(&number, "soft") &&
      absl::SimpleAtoi(number, &ordinal)) {
    ordinal = 0;  // each worker has a software GPU of its own
    return SoftwareTable(line);
  }
  if (absl::ConsumePrefix(&number, "gpu") &&
      absl::SimpleAtoi(number, &ordinal)) {
    return LibcudaDriver();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "\"", line.device, "\" is not a device: expected soft0 or gpu0"));
}

absl::Status AddDevice(const DriverTable& driver, int ordinal,
                       const std::string& name,
                       internal::v1::ProbeReport& report) {
  GRAPHD_ASSIGN_OR_RETURN(const std::unique_ptr<Device> device,
                          Device::Open(driver, ordinal));
  internal::v1::ProbedDevice& probed = *report.add_devices();
  probed.set_name(name);
  *probed.mutable_device() = RecordOf(*device);
  return absl::OkStatus();
}

// GPUs when there are any, else one software device.
absl::StatusOr<internal::v1::ProbeReport> Probe(const CommandLine& line) {
  internal::v1::ProbeReport report;
  const absl::StatusOr<DriverTable> cuda = LibcudaDriver();
  absl::Status trouble = cuda.status();
  if (cuda.ok()) {
    int count = 0;
    cuda->cuDeviceGetCount(&count);
    for (int i = 0; i < count; ++i) {
      trouble.Update(AddDevice(*cuda, i, absl::StrCat("gpu", i), report));
    }
  }
  if (report.devices_size() > 0) return report;
  report.set_no_gpu_because(std::string(trouble.message()));
  const DriverTable software = SoftwareTable(line);
  GRAPHD_RETURN_IF_ERROR(AddDevice(software, 0, "soft0", report));
  return report;
}

int PrintProbe(const CommandLine& line) {
  const auto report = Probe(line);
  std::string json;
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  if (!report.ok()) {
    std::fprintf(stderr, "graphd-worker: %s\n",
                 std::string(report.status().message()).c_str());
    return kFailed;
  }
  if (!google::protobuf::util::MessageToJsonString(*report, &json, options)
           .ok()) {
    return kFailed;
  }
  std::fputs(json.c_str(), stdout);
  return std::fflush(stdout) == 0 ? 0 : kFailed;
}

// Tells the daemon why there will be no hello.
int Refuse(Channel& channel, const absl::Status& status) {
  internal::v1::ChannelReply reply;
  reply.set_code(static_cast<int32_t>(status.code()));
  reply.set_message(std::string(status.message()));
  (void)channel.Send(reply.SerializeAsString());
  return kFailed;
}

int Work(const CommandLine& line) {
  if (::fcntl(kChannelNumber, F_GETFD) < 0) {
    std::fprintf(stderr,
                 "graphd-worker: started by hand; graphd starts it with a "
                 "channel as descriptor 3 (try --probe)\n");
    return kUsage;
  }
  ::fcntl(kChannelNumber, F_SETFD, FD_CLOEXEC);
  std::signal(SIGPIPE, SIG_IGN);
  Channel channel{Descriptor(kChannelNumber)};
  int ordinal = 0;
  const absl::StatusOr<DriverTable> driver = OpenDriver(line, ordinal);
  if (!driver.ok()) return Refuse(channel, driver.status());
  const auto device = Device::Open(*driver, ordinal, NowNs);
  if (!device.ok()) return Refuse(channel, device.status());
  // Not destroyed: what a lost context would do in a destructor is unknown.
  auto* loop = new WorkerLoop(std::move(channel), **device, ordinal);
  const auto end = loop->Run();
  if (!end.ok()) {
    std::fprintf(stderr, "graphd-worker: %s\n",
                 std::string(end.status().message()).c_str());
  }
  std::fflush(nullptr);
  ::_exit(!end.ok()                               ? kFailed
          : *end == WorkerLoop::End::kContextLost ? kContextLost
                                                  : 0);
}

int Main(int argc, char** argv) {
  CommandLine line;
  CLI::App app("graphd-worker: runs plans on one device for graphd",
               "graphd-worker");
  app.set_version_flag("--version",
                       absl::StrCat("graphd-worker ", GRAPHD_VERSION));
  app.add_flag("--probe", line.probe,
               "print the devices that a worker can own, as JSON, and end");
  app.add_option("--device", line.device, "the device to own: soft0 or gpu0");
  app.add_option("--soft-memory-bytes", line.soft_memory_bytes,
                 "memory of a software device");
  app.add_option("--soft-threads", line.soft_threads,
                 "threads of a software device; 0: one per hardware thread");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  return line.probe ? PrintProbe(line) : Work(line);
}

}  // namespace
}  // namespace graphd

int main(int argc, char** argv) { return graphd::Main(argc, argv); }
