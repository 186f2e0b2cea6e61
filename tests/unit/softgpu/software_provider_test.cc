// What the software GPU promises beyond the conformance suite: handles that are
// never followed blindly, faults with their place, and reasons for refusals.
#include "core/softgpu/software_provider.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "core/driver/driver_table.h"

namespace graphd::softgpu {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kPtx[] = R"(
.version 7.0
.target sm_75
.address_size 64
.global .align 4 .u32 total = 5;
.visible .entry add(.param .u64 x, .param .u32 c)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [x];
  ld.param.u32 %r1, [c];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r3, [%rd3];
  add.u32 %r3, %r3, %r1;
  st.global.u32 [%rd3], %r3;
  ret;
}
.visible .entry wild(.param .u64 x)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [x];
  mov.u32 %r1, 1;
  st.global.u32 [%rd1], %r1;
  ret;
}
.visible .entry forever()
{
LOOP:
  bra LOOP;
}
.visible .entry bounded() .maxntid 64, 1, 1
{
  ret;
}
)";

// Reads a texture, which the software GPU does not do.
constexpr char kTexturePtx[] = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry sample(.param .u64 t, .param .u64 out)
{
  .reg .f32 %f<5>;
  .reg .b32 %r<2>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [t];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, 0;
  tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];
  st.global.f32 [%rd2], %f1;
  ret;
}
)";

class SoftwareProviderTest : public testing::Test {
 protected:
  static constexpr CUstream kNoStream = nullptr;

  void SetUp() override {
    ASSERT_EQ(cu_.cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cu_.cuDevicePrimaryCtxRetain(&context_, 0), CUDA_SUCCESS);
    ASSERT_EQ(cu_.cuCtxSetCurrent(context_), CUDA_SUCCESS);
  }
  // Not a leak of one test into the next: the last release clears everything.
  void TearDown() override {
    EXPECT_EQ(cu_.cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
  }

  CUmodule Load(const char* ptx) {
    CUmodule module = nullptr;
    EXPECT_EQ(cu_.cuModuleLoadDataEx(&module, ptx, 0, nullptr, nullptr),
              CUDA_SUCCESS);
    return module;
  }
  CUfunction Function(CUmodule module, const char* name) {
    CUfunction function = nullptr;
    EXPECT_EQ(cu_.cuModuleGetFunction(&function, module, name), CUDA_SUCCESS)
        << name;
    return function;
  }
  CUdeviceptr Buffer(const std::vector<uint32_t>& words) {
    CUdeviceptr address = 0;
    EXPECT_EQ(cu_.cuMemAlloc(&address, words.size() * 4), CUDA_SUCCESS);
    EXPECT_EQ(cu_.cuMemcpyHtoD(address, words.data(), words.size() * 4),
              CUDA_SUCCESS);
    return address;
  }
  std::vector<uint32_t> Read(CUdeviceptr address, size_t count) {
    std::vector<uint32_t> words(count);
    EXPECT_EQ(cu_.cuMemcpyDtoH(words.data(), address, count * 4), CUDA_SUCCESS);
    return words;
  }
  CUresult Launch(CUfunction function, uint32_t threads, void** arguments) {
    return cu_.cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, kNoStream,
                              arguments, nullptr);
  }

  const DriverTable cu_ = SoftwareDriver();
  CUcontext context_ = nullptr;
};

TEST(SoftwareProviderBeforeInitTest, AnswersNothingButVersionAndErrorNames) {
  // Only the first test of a process sees the driver before cuInit.
  const DriverTable cu = SoftwareDriver();
  int count = 0;
  if (cu.cuDeviceGetCount(&count) == CUDA_SUCCESS) {
    GTEST_SKIP() << "another test has initialised the driver";
  }
  CUcontext context = nullptr;
  CUgraph graph = nullptr;
  CUdeviceptr address = 0;
  EXPECT_EQ(cu.cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(cu.cuDevicePrimaryCtxRetain(&context, 0),
            CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(cu.cuMemAlloc(&address, 4), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(cu.cuGraphCreate(&graph, 0), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(cu.cuStreamSynchronize(nullptr), CUDA_ERROR_NOT_INITIALIZED);
  int version = 0;
  EXPECT_EQ(cu.cuDriverGetVersion(&version), CUDA_SUCCESS);
  EXPECT_EQ(version, CUDA_VERSION);
  const char* name = nullptr;
  EXPECT_EQ(cu.cuGetErrorName(CUDA_ERROR_NOT_INITIALIZED, &name), CUDA_SUCCESS);
  EXPECT_STREQ(name, "CUDA_ERROR_NOT_INITIALIZED");
}

TEST_F(SoftwareProviderTest, FillsEveryFunctionOfTheTable) {
#define GRAPHD_DRIVER_REQUIRED(name) EXPECT_NE(cu_.name, nullptr) << #name;
#define GRAPHD_DRIVER_OPTIONAL(name) GRAPHD_DRIVER_REQUIRED(name)
#include "core/driver/functions.def"
#undef GRAPHD_DRIVER_REQUIRED
#undef GRAPHD_DRIVER_OPTIONAL
  EXPECT_TRUE(cu_.is_software);
}

TEST_F(SoftwareProviderTest, NamesEveryErrorThatItCanReturn) {
  for (const CUresult error :
       {CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_ILLEGAL_ADDRESS,
        CUDA_ERROR_LAUNCH_TIMEOUT, CUDA_ERROR_UNKNOWN}) {
    const char* text = nullptr;
    EXPECT_EQ(cu_.cuGetErrorString(error, &text), CUDA_SUCCESS);
    EXPECT_THAT(std::string(text), Not(IsEmpty()));
  }
  const char* name = "left";
  EXPECT_EQ(cu_.cuGetErrorName(static_cast<CUresult>(12345), &name),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(name, nullptr);
}

TEST_F(SoftwareProviderTest, RunsAKernelDirectlyAndThroughAGraph) {
  const CUmodule module = Load(kPtx);
  const CUfunction add = Function(module, "add");
  CUdeviceptr x = Buffer({1, 2, 3});
  uint32_t c = 10;
  void* arguments[] = {&x, &c};
  ASSERT_EQ(Launch(add, 3, arguments), CUDA_SUCCESS);
  EXPECT_EQ(Read(x, 3), (std::vector<uint32_t>{11, 12, 13}));

  CUgraph graph = nullptr;
  ASSERT_EQ(cu_.cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = add;
  params.gridDimX = params.gridDimY = params.gridDimZ = 1;
  params.blockDimX = 3;
  params.blockDimY = params.blockDimZ = 1;
  params.kernelParams = arguments;
  CUgraphNode node = nullptr;
  ASSERT_EQ(cu_.cuGraphAddKernelNode(&node, graph, nullptr, 0, &params),
            CUDA_SUCCESS);
  c = 1000;  // copied when the node was added
  CUgraphExec exec = nullptr;
  ASSERT_EQ(cu_.cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
  ASSERT_EQ(cu_.cuGraphLaunch(exec, kNoStream), CUDA_SUCCESS);
  EXPECT_EQ(Read(x, 3), (std::vector<uint32_t>{21, 22, 23}));
  ASSERT_EQ(cu_.cuGraphExecKernelNodeSetParams(exec, node, &params),
            CUDA_SUCCESS);
  ASSERT_EQ(cu_.cuGraphLaunch(exec, kNoStream), CUDA_SUCCESS);
  EXPECT_EQ(Read(x, 3), (std::vector<uint32_t>{1021, 1022, 1023}));

  CUDA_KERNEL_NODE_PARAMS kept{};
  ASSERT_EQ(cu_.cuGraphKernelNodeGetParams(node, &kept), CUDA_SUCCESS);
  EXPECT_EQ(kept.func, add);
  EXPECT_EQ(*static_cast<uint32_t*>(kept.kernelParams[1]), 10u);
  EXPECT_EQ(cu_.cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(cu_.cuGraphDestroy(graph), CUDA_SUCCESS);
}

TEST_F(SoftwareProviderTest, TakesAParameterBlockInsteadOfPointers) {
  const CUfunction add = Function(Load(kPtx), "add");
  struct {
    CUdeviceptr x;
    uint32_t c;
  } block{Buffer({7}), 1};
  size_t size = sizeof(block);
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block,
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  const auto launch = [&](void** arguments) {
    return cu_.cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, kNoStream, arguments,
                              extra);
  };
  EXPECT_EQ(launch(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(Read(block.x, 1)[0], 8u);
  void* arguments[] = {&block.x, &block.c};
  EXPECT_EQ(launch(arguments), CUDA_ERROR_INVALID_VALUE);
  size = 8;
  EXPECT_EQ(launch(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(SoftwareProviderTest, RefusesHandlesThatAreStaleOrInvented) {
  const CUmodule module = Load(kPtx);
  const CUfunction add = Function(module, "add");
  CUdeviceptr x = Buffer({1});
  uint32_t c = 1;
  void* arguments[] = {&x, &c};
  ASSERT_EQ(cu_.cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(cu_.cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(Launch(add, 1, arguments), CUDA_ERROR_INVALID_HANDLE);
  int value = 0;
  EXPECT_EQ(cu_.cuFuncGetAttribute(
                &value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, add),
            CUDA_ERROR_INVALID_HANDLE);

  CUstream stream = nullptr;
  CUevent event = nullptr;
  ASSERT_EQ(cu_.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(cu_.cuEventCreate(&event, 0), CUDA_SUCCESS);
  // A handle of another kind is no handle of this kind.
  EXPECT_EQ(cu_.cuEventQuery(reinterpret_cast<CUevent>(stream)),
            CUDA_ERROR_INVALID_HANDLE);
  ASSERT_EQ(cu_.cuStreamDestroy(stream), CUDA_SUCCESS);
  ASSERT_EQ(cu_.cuEventDestroy(event), CUDA_SUCCESS);
  EXPECT_EQ(cu_.cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cu_.cuStreamDestroy(nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cu_.cuEventRecord(event, kNoStream), CUDA_ERROR_INVALID_HANDLE);

  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  ASSERT_EQ(cu_.cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  ASSERT_EQ(cu_.cuGraphAddEmptyNode(&node, graph, nullptr, 0), CUDA_SUCCESS);
  ASSERT_EQ(cu_.cuGraphDestroy(graph), CUDA_SUCCESS);
  CUgraphNodeType type{};
  EXPECT_EQ(cu_.cuGraphNodeGetType(node, &type), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu_.cuGraphAddEmptyNode(&node, graph, nullptr, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu_.cuGraphLaunch(reinterpret_cast<CUgraphExec>(x), kNoStream),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(SoftwareProviderTest, ForgetsEverythingAtTheLastRelease) {
  CUstream stream = nullptr;
  ASSERT_EQ(cu_.cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  const CUmodule module = Load(kPtx);
  ASSERT_EQ(cu_.cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
  EXPECT_EQ(cu_.cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(cu_.cuCtxSetCurrent(context_), CUDA_ERROR_INVALID_CONTEXT);
  ASSERT_EQ(cu_.cuDevicePrimaryCtxRetain(&context_, 0), CUDA_SUCCESS);
  ASSERT_EQ(cu_.cuCtxSetCurrent(context_), CUDA_SUCCESS);
  EXPECT_EQ(cu_.cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cu_.cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  ASSERT_EQ(cu_.cuMemGetInfo(&free_bytes, &total_bytes), CUDA_SUCCESS);
  EXPECT_EQ(free_bytes, total_bytes);
}

TEST_F(SoftwareProviderTest, KeepsAFaultUntilTheContextIsReleased) {
  const CUfunction wild = Function(Load(kPtx), "wild");
  CUdeviceptr nowhere = 64;
  void* arguments[] = {&nowhere};
  FaultDetail detail;
  EXPECT_FALSE(cu_.fault_detail(&detail));
  EXPECT_EQ(Launch(wild, 1, arguments), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cu_.cuStreamSynchronize(kNoStream), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cu_.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  CUdeviceptr more = 0;
  EXPECT_EQ(cu_.cuMemAlloc(&more, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
  ASSERT_TRUE(cu_.fault_detail(&detail));
  EXPECT_EQ(detail.code, CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(detail.kernel, "wild");
  EXPECT_EQ(detail.address, 64u);
  EXPECT_GT(detail.line, 0);

  ASSERT_EQ(cu_.cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
  SetUp();
  EXPECT_EQ(cu_.cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_FALSE(cu_.fault_detail(&detail));
  CUdeviceptr x = Buffer({1});
  uint32_t c = 1;
  void* healthy[] = {&x, &c};
  EXPECT_EQ(Launch(Function(Load(kPtx), "add"), 1, healthy), CUDA_SUCCESS);
  EXPECT_EQ(Read(x, 1)[0], 2u);
}

TEST_F(SoftwareProviderTest, AGraphEndsAtTheNodeThatFaults) {
  const CUmodule module = Load(kPtx);
  CUdeviceptr nowhere = 64;
  void* arguments[] = {&nowhere};
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = Function(module, "wild");
  params.gridDimX = params.gridDimY = params.gridDimZ = 1;
  params.blockDimX = params.blockDimY = params.blockDimZ = 1;
  params.kernelParams = arguments;
  CUgraph graph = nullptr;
  CUgraphNode fault = nullptr;
  CUgraphNode after = nullptr;
  ASSERT_EQ(cu_.cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  ASSERT_EQ(cu_.cuGraphAddKernelNode(&fault, graph, nullptr, 0, &params),
            CUDA_SUCCESS);
  void* pinned = nullptr;
  ASSERT_EQ(cu_.cuMemHostAlloc(&pinned, 4, 0), CUDA_SUCCESS);
  std::memset(pinned, 1, 4);
  CUDA_MEMSET_NODE_PARAMS fill{};
  fill.dst = reinterpret_cast<CUdeviceptr>(pinned);
  fill.value = 9;
  fill.elementSize = 1;
  fill.width = 4;
  fill.height = 1;
  ASSERT_EQ(cu_.cuGraphAddMemsetNode(&after, graph, &fault, 1, &fill, context_),
            CUDA_SUCCESS);
  CUgraphExec exec = nullptr;
  ASSERT_EQ(cu_.cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu_.cuGraphLaunch(exec, kNoStream), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(static_cast<char*>(pinned)[0], 1);
  EXPECT_EQ(cu_.cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(cu_.cuGraphDestroy(graph), CUDA_SUCCESS);
}

TEST_F(SoftwareProviderTest, AGraphFaultsOnMemoryThatWasFreed) {
  const CUdeviceptr x = Buffer({1});
  CUDA_MEMSET_NODE_PARAMS fill{};
  fill.dst = x;
  fill.elementSize = 4;
  fill.width = 1;
  fill.height = 1;
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  CUgraphExec exec = nullptr;
  ASSERT_EQ(cu_.cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  ASSERT_EQ(cu_.cuGraphAddMemsetNode(&node, graph, nullptr, 0, &fill, context_),
            CUDA_SUCCESS);
  ASSERT_EQ(cu_.cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
  ASSERT_EQ(cu_.cuMemFree(x), CUDA_SUCCESS);
  EXPECT_EQ(cu_.cuGraphLaunch(exec, kNoStream), CUDA_ERROR_ILLEGAL_ADDRESS);
  FaultDetail detail;
  ASSERT_TRUE(cu_.fault_detail(&detail));
  EXPECT_EQ(detail.address, x);
  EXPECT_EQ(detail.message, "fill of 4 bytes outside allocated memory");
  EXPECT_EQ(cu_.cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(cu_.cuGraphDestroy(graph), CUDA_SUCCESS);
}

TEST_F(SoftwareProviderTest, StopsAKernelThatDoesNotEnd) {
  const CUfunction forever = Function(Load(kPtx), "forever");
  std::atomic<bool> done{false};
  std::thread watchdog([&] {
    ASSERT_EQ(cu_.cuCtxSetCurrent(context_), CUDA_SUCCESS);
    // Repeated: a stop before the launch has begun concerns nobody.
    while (!done) {
      cu_.stop_kernels();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  EXPECT_EQ(Launch(forever, 32, nullptr), CUDA_ERROR_LAUNCH_TIMEOUT);
  done = true;
  watchdog.join();
  EXPECT_EQ(cu_.cuCtxSynchronize(), CUDA_ERROR_LAUNCH_TIMEOUT);
}

TEST_F(SoftwareProviderTest, AStopWhileNothingRunsStopsNothing) {
  CUdeviceptr x = Buffer({1});
  uint32_t c = 1;
  void* arguments[] = {&x, &c};
  const CUfunction add = Function(Load(kPtx), "add");
  cu_.stop_kernels();
  EXPECT_EQ(Launch(add, 1, arguments), CUDA_SUCCESS);
  EXPECT_EQ(Read(x, 1)[0], 2u);
}

TEST_F(SoftwareProviderTest, SaysWhyAKernelIsNotSupported) {
  const CUmodule module = Load(kTexturePtx);
  const CUfunction sample = Function(module, "sample");
  CUdeviceptr texture = 0;
  CUdeviceptr out = Buffer({0});
  void* arguments[] = {&texture, &out};
  EXPECT_EQ(Launch(sample, 1, arguments), CUDA_ERROR_NOT_SUPPORTED);
  FaultDetail detail;
  ASSERT_TRUE(cu_.fault_detail(&detail));
  EXPECT_EQ(detail.code, CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(detail.kernel, "sample");
  EXPECT_THAT(detail.message, HasSubstr("tex"));
  EXPECT_EQ(cu_.cuCtxSynchronize(), CUDA_SUCCESS);
}

TEST_F(SoftwareProviderTest, WritesWhatIsWrongWithAModuleIntoTheLog) {
  std::array<char, 256> log{};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  CUmodule module = nullptr;
  EXPECT_EQ(cu_.cuModuleLoadDataEx(&module, ".version 7.0\n.target sm_75\nnot",
                                   2, options, values),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(std::string(log.data()), Not(IsEmpty()));
  EXPECT_EQ(reinterpret_cast<size_t>(values[1]), std::strlen(log.data()));

  std::array<char, 4> small{'x', 'x', 'x', 'x'};
  values[0] = small.data();
  values[1] = reinterpret_cast<void*>(size_t{3});
  EXPECT_EQ(cu_.cuModuleLoadDataEx(&module,
                                   "\x7f"
                                   "ELF\x02\x01",
                                   2, options, values),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(std::strlen(small.data()), 2u);
  EXPECT_EQ(small[3], 'x');
}

TEST_F(SoftwareProviderTest, RefusesModulesForOtherMachines) {
  CUmodule module = nullptr;
  const auto load = [&](const char* image) {
    return cu_.cuModuleLoadDataEx(&module, image, 0, nullptr, nullptr);
  };
  EXPECT_EQ(load("\x50\xed\x55\xba\x01"), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(load(".version 8.0\n.target sm_90\n.address_size 64\n"),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(load(""), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(load(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(SoftwareProviderTest, ReadsAndFreesModuleVariables) {
  size_t free_before = 0;
  size_t free_after = 0;
  size_t total = 0;
  ASSERT_EQ(cu_.cuMemGetInfo(&free_before, &total), CUDA_SUCCESS);
  const CUmodule module = Load(kPtx);
  CUdeviceptr address = 0;
  size_t size = 0;
  ASSERT_EQ(cu_.cuModuleGetGlobal(&address, &size, module, "total"),
            CUDA_SUCCESS);
  EXPECT_EQ(size, 4u);
  EXPECT_EQ(Read(address, 1)[0], 5u);
  EXPECT_EQ(cu_.cuModuleGetGlobal(&address, &size, module, "nothing"),
            CUDA_ERROR_NOT_FOUND);
  ASSERT_EQ(cu_.cuModuleUnload(module), CUDA_SUCCESS);
  ASSERT_EQ(cu_.cuMemGetInfo(&free_after, &total), CUDA_SUCCESS);
  EXPECT_EQ(free_after, free_before);
}

TEST_F(SoftwareProviderTest, RefusesMoreThreadsThanTheKernelAllows) {
  const CUfunction bounded = Function(Load(kPtx), "bounded");
  EXPECT_EQ(Launch(bounded, 64, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(Launch(bounded, 65, nullptr), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  EXPECT_EQ(Launch(bounded, 1025, nullptr), CUDA_ERROR_INVALID_VALUE);
  int most = 0;
  EXPECT_EQ(cu_.cuFuncGetAttribute(
                &most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, bounded),
            CUDA_SUCCESS);
  EXPECT_EQ(most, 64);
}

TEST_F(SoftwareProviderTest, ThreadsMayShareTheContextAndOneExec) {
  const CUmodule module = Load(kPtx);
  CUdeviceptr x = Buffer({0});
  uint32_t c = 1;
  void* arguments[] = {&x, &c};
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = Function(module, "add");
  params.gridDimX = params.gridDimY = params.gridDimZ = 1;
  params.blockDimX = params.blockDimY = params.blockDimZ = 1;
  params.kernelParams = arguments;
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  CUgraphExec exec = nullptr;
  ASSERT_EQ(cu_.cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  ASSERT_EQ(cu_.cuGraphAddKernelNode(&node, graph, nullptr, 0, &params),
            CUDA_SUCCESS);
  ASSERT_EQ(cu_.cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
  constexpr uint32_t kThreads = 4;
  constexpr uint32_t kRounds = 50;
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      ASSERT_EQ(cu_.cuCtxSetCurrent(context_), CUDA_SUCCESS);
      for (uint32_t round = 0; round < kRounds; ++round) {
        CUdeviceptr passing = 0;
        ASSERT_EQ(cu_.cuMemAlloc(&passing, 1000), CUDA_SUCCESS);
        ASSERT_EQ(cu_.cuGraphLaunch(exec, kNoStream), CUDA_SUCCESS);
        ASSERT_EQ(cu_.cuGraphExecKernelNodeSetParams(exec, node, &params),
                  CUDA_SUCCESS);
        ASSERT_EQ(cu_.cuMemFree(passing), CUDA_SUCCESS);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  // No atomics in the kernel: it is the exec that never overlaps itself.
  EXPECT_EQ(Read(x, 1)[0], kThreads * kRounds);
}

}  // namespace
}  // namespace graphd::softgpu
