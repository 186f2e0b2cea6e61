#include "tests/conformance/conformance_test.h"

#include <cstdio>
#include <cstdlib>
#include <map>

#include "tests/conformance/kernels.h"

namespace graphd {

CUDA_KERNEL_NODE_PARAMS KernelParams(CUfunction function, uint32_t blocks,
                                     uint32_t threads, void** arguments) {
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = function;
  params.gridDimX = blocks;
  params.gridDimY = 1;
  params.gridDimZ = 1;
  params.blockDimX = threads;
  params.blockDimY = 1;
  params.blockDimZ = 1;
  params.kernelParams = arguments;
  return params;
}

CUDA_MEMCPY3D RowCopy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = from;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = to;
  copy.WidthInBytes = bytes;
  copy.Height = 1;
  copy.Depth = 1;
  return copy;
}

CUDA_MEMCPY3D RowFromHost(CUdeviceptr to, const void* from, size_t bytes) {
  CUDA_MEMCPY3D copy = RowCopy(to, 0, bytes);
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = from;
  return copy;
}

CUDA_MEMCPY3D RowToHost(void* to, CUdeviceptr from, size_t bytes) {
  CUDA_MEMCPY3D copy = RowCopy(0, from, bytes);
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = to;
  return copy;
}

CUDA_MEMSET_NODE_PARAMS RowFill(CUdeviceptr to, uint32_t value,
                                uint32_t element_bytes, size_t count) {
  CUDA_MEMSET_NODE_PARAMS fill{};
  fill.dst = to;
  fill.value = value;
  fill.elementSize = element_bytes;
  fill.width = count;
  fill.height = 1;
  return fill;
}

void ConformanceTest::SetUp() {
  const Provider& provider = Providers()[GetParam()];
  if (!provider.table.ok()) {
    GTEST_SKIP() << provider.name << ": " << provider.table.status();
  }
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Must(cu().cuInit(0));
  Must(cu().cuDeviceGet(&device_, 0));
  // Held for the life of the process: making a context takes long on a GPU.
  static auto& contexts = *new std::map<size_t, CUcontext>;
  const auto [entry, is_new] = contexts.try_emplace(GetParam(), nullptr);
  if (is_new) {
    Must(cu().cuDevicePrimaryCtxRetain(&entry->second, device_));
  }
  context_ = entry->second;
  Must(cu().cuCtxSetCurrent(context_));
}

void ConformanceTest::TearDown() {
  if (!Providers()[GetParam()].table.ok()) return;
  Must(cu().cuCtxSetCurrent(context_));
  Must(cu().cuCtxSynchronize());
  while (!releases_.empty()) {
    releases_.back()();
    releases_.pop_back();
  }
}

void ConformanceTest::Must(CUresult result, std::source_location where) {
  if (result == CUDA_SUCCESS) return;
  ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line()))
      << "the call returned CUresult " << result;
}

void ConformanceTest::InOwnProcess(const std::function<void()>& body) {
  // _Exit: what the process would still do with a lost context is not at stake.
  EXPECT_EXIT(
      {
        body();
        std::fflush(nullptr);
        std::_Exit(HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

CUdeviceptr ConformanceTest::Allocate(size_t bytes) {
  CUdeviceptr address = 0;
  Must(cu().cuMemAlloc(&address, bytes));
  releases_.push_back([this, address] { Must(cu().cuMemFree(address)); });
  return address;
}

CUdeviceptr ConformanceTest::Buffer(const Words& contents) {
  const CUdeviceptr address = Allocate(contents.size() * sizeof(uint32_t));
  Write(address, contents);
  return address;
}

CUstream ConformanceTest::Stream(unsigned flags) {
  CUstream stream = nullptr;
  Must(cu().cuStreamCreate(&stream, flags));
  releases_.push_back([this, stream] { Must(cu().cuStreamDestroy(stream)); });
  return stream;
}

CUevent ConformanceTest::Event(unsigned flags) {
  CUevent event = nullptr;
  Must(cu().cuEventCreate(&event, flags));
  releases_.push_back([this, event] { Must(cu().cuEventDestroy(event)); });
  return event;
}

CUgraph ConformanceTest::Graph() {
  CUgraph graph = nullptr;
  Must(cu().cuGraphCreate(&graph, 0));
  releases_.push_back([this, graph] { Must(cu().cuGraphDestroy(graph)); });
  return graph;
}

CUgraphExec ConformanceTest::Instantiate(CUgraph graph) {
  CUgraphExec exec = nullptr;
  Must(cu().cuGraphInstantiateWithFlags(&exec, graph, 0));
  releases_.push_back([this, exec] { Must(cu().cuGraphExecDestroy(exec)); });
  return exec;
}

CUfunction ConformanceTest::Kernel(const char* name) {
  if (module_ == nullptr) {
    Must(cu().cuModuleLoadDataEx(&module_, kConformanceKernels, 0, nullptr,
                                 nullptr));
    releases_.insert(releases_.begin(),
                     [this] { Must(cu().cuModuleUnload(module_)); });
  }
  CUfunction function = nullptr;
  Must(cu().cuModuleGetFunction(&function, module_, name));
  return function;
}

Words ConformanceTest::Read(CUdeviceptr from, size_t count) {
  Words words(count, kPoison);
  Must(cu().cuMemcpyDtoH(words.data(), from, count * sizeof(uint32_t)));
  return words;
}

std::vector<uint8_t> ConformanceTest::ReadBytes(CUdeviceptr from,
                                                size_t bytes) {
  std::vector<uint8_t> read(bytes, static_cast<uint8_t>(kPoison));
  Must(cu().cuMemcpyDtoH(read.data(), from, bytes));
  return read;
}

void ConformanceTest::Write(CUdeviceptr to, const Words& words) {
  Must(cu().cuMemcpyHtoD(to, words.data(), words.size() * sizeof(uint32_t)));
}

size_t ConformanceTest::FreeBytes() {
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  Must(cu().cuMemGetInfo(&free_bytes, &total_bytes));
  return free_bytes;
}

CUgraphNode ConformanceTest::AddCopy(CUgraph graph, const Nodes& after,
                                     const CUDA_MEMCPY3D& copy) {
  CUgraphNode node = nullptr;
  Must(cu().cuGraphAddMemcpyNode(&node, graph, after.data(), after.size(),
                                 &copy, context_));
  return node;
}

CUgraphNode ConformanceTest::AddFill(CUgraph graph, const Nodes& after,
                                     const CUDA_MEMSET_NODE_PARAMS& fill) {
  CUgraphNode node = nullptr;
  Must(cu().cuGraphAddMemsetNode(&node, graph, after.data(), after.size(),
                                 &fill, context_));
  return node;
}

CUgraphNode ConformanceTest::AddEmpty(CUgraph graph, const Nodes& after) {
  CUgraphNode node = nullptr;
  Must(cu().cuGraphAddEmptyNode(&node, graph, after.data(), after.size()));
  return node;
}

void ConformanceTest::AddEdge(CUgraph graph, CUgraphNode from, CUgraphNode to) {
  Must(cu().cuGraphAddDependencies(graph, &from, &to, nullptr, 1));
}

void ConformanceTest::Run(CUgraphExec exec, CUstream stream) {
  Must(cu().cuGraphLaunch(exec, stream));
  Must(cu().cuStreamSynchronize(stream));
}

}  // namespace graphd
