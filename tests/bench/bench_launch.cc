// What our executors cost beyond bare driver calls on the same CUDA graph, on
// the software GPU or a real one.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/driver/libcuda_provider.h"
#include "core/exec/device.h"
#include "core/softgpu/software_provider.h"
#include "tests/support/sample_plans.h"

namespace graphd {
namespace {

double MedianMicroseconds(int rounds, const std::function<bool()>& call) {
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    const auto start = std::chrono::steady_clock::now();
    if (!call()) return -1;
    times.push_back(std::chrono::duration<double, std::micro>(
                        std::chrono::steady_clock::now() - start)
                        .count());
  }
  std::nth_element(times.begin(), times.begin() + times.size() / 2,
                   times.end());
  return times[times.size() / 2];
}

// Runs an instance, alternating the parameter when `update`.
std::function<bool()> Runner(Instance& instance, std::string& x, std::string& y,
                             bool update) {
  auto flip = std::make_shared<uint32_t>(0);
  return [&instance, &x, &y, update, flip] {
    RunArguments arguments;
    arguments.inputs = {{"x", absl::MakeConstSpan(x)}};
    arguments.outputs = {{"y", absl::MakeSpan(y)}};
    if (update) {
      *flip ^= 1;
      arguments.parameters = {{"step", Scalar::U32(1 + *flip)}};
    }
    RunReport report;
    return instance.Run(arguments, report).ok();
  };
}

int Measure(const DriverTable& driver, uint32_t nodes, int rounds, bool json) {
  auto device = Device::Open(driver, 0);
  if (!device.ok()) {
    std::fprintf(stderr, "error: %s\n", device.status().ToString().c_str());
    return 1;
  }
  const auto plan = std::make_shared<const Plan>(
      ChainPlan((*device)->description(), 64, nodes));
  std::string x(256, 'x'), y(256, 'y');
  auto sequential = (*device)->Instantiate(plan, ExecutorKind::kSequential);
  const auto start = std::chrono::steady_clock::now();
  auto graph = (*device)->Instantiate(plan, ExecutorKind::kCudaGraph);
  const double instantiate_us = std::chrono::duration<double, std::micro>(
                                    std::chrono::steady_clock::now() - start)
                                    .count();
  if (!sequential.ok() || !graph.ok()) {
    std::fprintf(stderr, "error: %s %s\n",
                 sequential.status().ToString().c_str(),
                 graph.status().ToString().c_str());
    return 1;
  }
  CUDA_GRAPH_INSTANTIATE_PARAMS params{};
  CUgraphExec exec = nullptr;
  CUstream stream = nullptr;
  if (driver.cuGraphInstantiateWithParams(&exec, (*graph)->cuda_graph(),
                                          &params) != CUDA_SUCCESS ||
      driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) {
    std::fprintf(stderr, "error: the bare graph does not instantiate\n");
    return 1;
  }
  const auto bare = [&] {
    return driver.cuGraphLaunch(exec, stream) == CUDA_SUCCESS &&
           driver.cuStreamSynchronize(stream) == CUDA_SUCCESS;
  };
  const auto run = Runner(**graph, x, y, false);
  const auto update = Runner(**graph, x, y, true);
  const auto eager = Runner(**sequential, x, y, false);
  for (int i = 0; i < 50; ++i) bare(), run(), update(), eager();
  const double bare_us = MedianMicroseconds(rounds, bare);
  const double run_us = MedianMicroseconds(rounds, run);
  const double update_us = MedianMicroseconds(rounds, update);
  const double eager_us = MedianMicroseconds(rounds, eager);
  driver.cuGraphExecDestroy(exec);
  driver.cuStreamDestroy(stream);
  if (std::min({bare_us, run_us, update_us, eager_us}) < 0) {
    std::fprintf(stderr, "error: a run failed\n");
    return 1;
  }
  const char* format =
      json ? "{\"device\": \"%s\", \"nodes\": %u, \"bare_us\": %.2f, "
             "\"run_us\": %.2f, \"update_us\": %.2f, \"sequential_us\": %.2f, "
             "\"ratio_to_bare\": %.3f, \"ratio_sequential\": %.3f, "
             "\"instantiate_us\": %.1f}\n"
           : "%s, %u kernels in a chain\n"
             "bare launch + synchronize   %9.2f us\n"
             "cuda_graph executor         %9.2f us\n"
             "  with a parameter changed  %9.2f us\n"
             "sequential executor         %9.2f us\n"
             "ratio to bare %.3f   sequential / cuda_graph %.3f   load and "
             "instantiate %.1f us\n";
  std::printf(format, (*device)->description().name.c_str(), nodes, bare_us,
              run_us, update_us, eager_us, run_us / bare_us, eager_us / run_us,
              instantiate_us);
  return 0;
}

}  // namespace
}  // namespace graphd

int main(int argc, char** argv) {
  uint32_t nodes = 32;
  int rounds = 2000;
  bool json = false;
  std::string provider = "software";
  CLI::App app(
      "Medians of one run of a chain of tiny kernels: bare cuGraphLaunch and "
      "synchronize (bare_us), our cuda_graph "
      "executor with copies of 256 bytes in and out (run_us), the same with a "
      "parameter changed each run (update_us), "
      "our sequential executor (sequential_us).");
  app.add_option("--provider", provider, "software or libcuda")
      ->check(CLI::IsMember({"software", "libcuda"}));
  app.add_option("--nodes", nodes, "kernels")->check(CLI::Range(1u, 100000u));
  app.add_option("--rounds", rounds, "runs of each")
      ->check(CLI::Range(1, 10000000));
  app.add_flag("--json", json, "one JSON object a line");
  CLI11_PARSE(app, argc, argv);
  if (provider == "software") {
    const graphd::DriverTable driver = graphd::softgpu::SoftwareDriver();
    return graphd::Measure(driver, nodes, rounds, json);
  }
  const auto driver = graphd::LibcudaDriver();
  if (!driver.ok()) {
    std::fprintf(stderr, "error: %s\n", driver.status().ToString().c_str());
    return 1;
  }
  return graphd::Measure(*driver, nodes, rounds, json);
}
