// What the tests of the conformance suite stand on: one provider of the driver
// table, its primary context current, and everything made in a test released
// after it.
//
// Must() alone decides whether a call may fail; nothing here looks at what a
// call gave back, so that a test passes only for what it checks itself.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_TESTS_CONFORMANCE_CONFORMANCE_TEST_H_
#define GRAPHD_TESTS_CONFORMANCE_CONFORMANCE_TEST_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <source_location>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/driver/driver_table.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace graphd {

struct Provider {
  std::string name;  // "Software", "Libcuda": the suffix of the tests
  absl::StatusOr<DriverTable> table;  // or why it is not on this machine
};

// The program that links the suite says which.
const std::vector<Provider>& Providers();

using Words = std::vector<uint32_t>;
using Nodes = std::vector<CUgraphNode>;

// What memory and outputs hold before a call that should write them.
inline constexpr uint32_t kPoison = 0xa5a5a5a5;

// A kernel's arguments and the pointers to them. Stays where it is made.
template <typename... Values>
class Arguments {
 public:
  explicit Arguments(Values... values) : values_(values...) {
    std::apply([this](auto&... value) { pointers_ = {&value...}; }, values_);
  }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  void** pointers() { return pointers_.data(); }
  template <size_t i, typename Value>
  void Set(Value value) {
    std::get<i>(values_) = value;
  }

 private:
  std::tuple<Values...> values_;
  std::array<void*, sizeof...(Values)> pointers_{};
};

// A one-dimensional launch of `function`.
CUDA_KERNEL_NODE_PARAMS KernelParams(CUfunction function, uint32_t blocks,
                                     uint32_t threads, void** arguments);
// A copy of bytes that lie in a row, device to device.
CUDA_MEMCPY3D RowCopy(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUDA_MEMCPY3D RowFromHost(CUdeviceptr to, const void* from, size_t bytes);
CUDA_MEMCPY3D RowToHost(void* to, CUdeviceptr from, size_t bytes);
// A row of `count` elements.
CUDA_MEMSET_NODE_PARAMS RowFill(CUdeviceptr to, uint32_t value,
                                uint32_t element_bytes, size_t count);

class ConformanceTest : public testing::TestWithParam<size_t> {
 protected:
  static constexpr CUstream kNoStream = nullptr;
  // What a driver may keep for itself where a test looks for a leak.
  static constexpr size_t kSlackBytes = 4 << 20;

  // Skips when the provider is not here.
  void SetUp() override;
  void TearDown() override;

  const DriverTable& cu() const { return *Providers()[GetParam()].table; }
  CUdevice device() const { return device_; }
  CUcontext context() const { return context_; }

  // Fails the test unless the call succeeded.
  static void Must(CUresult result, std::source_location where =
                                        std::source_location::current());

  // Runs `body` in a process of its own, for what a context does not survive.
  void InOwnProcess(const std::function<void()>& body);

  // Released after the test.
  CUdeviceptr Allocate(size_t bytes);
  CUdeviceptr Buffer(const Words& contents);
  CUstream Stream(unsigned flags = CU_STREAM_NON_BLOCKING);
  CUevent Event(unsigned flags = CU_EVENT_DEFAULT);
  CUgraph Graph();
  CUgraphExec Instantiate(CUgraph graph);
  CUfunction Kernel(const char* name);

  // Poison where nothing was written.
  Words Read(CUdeviceptr from, size_t count);
  std::vector<uint8_t> ReadBytes(CUdeviceptr from, size_t bytes);
  void Write(CUdeviceptr to, const Words& words);
  size_t FreeBytes();

  template <typename... Values>
  CUresult Launch(CUstream stream, const char* kernel, uint32_t blocks,
                  uint32_t threads, Values... values) {
    Arguments<Values...> arguments(values...);
    return cu().cuLaunchKernel(Kernel(kernel), blocks, 1, 1, threads, 1, 1, 0,
                               stream, arguments.pointers(), nullptr);
  }
  // *word = *word * factor + term, in one thread.
  CUresult LaunchAffine(CUstream stream, CUdeviceptr word, uint32_t factor,
                        uint32_t term) {
    return Launch(stream, "affine", 1, 1, word, 1u, factor, term);
  }
  // The same, a while later on a device that works while we wait.
  CUresult LaunchSlowAffine(CUstream stream, CUdeviceptr word, uint32_t factor,
                            uint32_t term) {
    return Launch(stream, "slow_affine", 1, 1, word, factor, term, kSlowRounds);
  }

  template <typename... Values>
  CUgraphNode AddKernel(CUgraph graph, const Nodes& after, const char* kernel,
                        Values... values) {
    Arguments<Values...> arguments(values...);
    const CUDA_KERNEL_NODE_PARAMS params =
        KernelParams(Kernel(kernel), 1, 1, arguments.pointers());
    CUgraphNode node = nullptr;
    Must(cu().cuGraphAddKernelNode(&node, graph, after.data(), after.size(),
                                   &params));
    return node;
  }
  CUgraphNode AddAffine(CUgraph graph, const Nodes& after, CUdeviceptr word,
                        uint32_t factor, uint32_t term) {
    return AddKernel(graph, after, "affine", word, 1u, factor, term);
  }
  CUgraphNode AddSlowAffine(CUgraph graph, const Nodes& after, CUdeviceptr word,
                            uint32_t factor, uint32_t term) {
    return AddKernel(graph, after, "slow_affine", word, factor, term,
                     kSlowRounds);
  }
  CUgraphNode AddCopy(CUgraph graph, const Nodes& after,
                      const CUDA_MEMCPY3D& copy);
  CUgraphNode AddFill(CUgraph graph, const Nodes& after,
                      const CUDA_MEMSET_NODE_PARAMS& fill);
  CUgraphNode AddEmpty(CUgraph graph, const Nodes& after);
  void AddEdge(CUgraph graph, CUgraphNode from, CUgraphNode to);
  // Launches and waits.
  void Run(CUgraphExec exec, CUstream stream);

 private:
  // Some milliseconds on a software GPU, less on a real one.
  static constexpr uint32_t kSlowRounds = 20000;

  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  std::vector<std::function<void()>> releases_;  // run last to first
};

// Names the instances of one fixture by their provider.
#define GRAPHD_CONFORMANCE_SUITE(Fixture)                      \
  INSTANTIATE_TEST_SUITE_P(                                    \
      Conformance, Fixture,                                    \
      testing::Range(size_t{0}, ::graphd::Providers().size()), \
      [](const testing::TestParamInfo<size_t>& instance) {     \
        return ::graphd::Providers()[instance.param].name;     \
      })

}  // namespace graphd

#endif  // GRAPHD_TESTS_CONFORMANCE_CONFORMANCE_TEST_H_
