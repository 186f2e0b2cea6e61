// Errors that lose the context, each in a process of its own, and errors that
// do not.
#include <array>
#include <atomic>
#include <thread>

#include "tests/conformance/conformance_test.h"
#include "tests/conformance/kernels.h"

namespace graphd {
namespace {

class FaultTest : public ConformanceTest {
 protected:
  static constexpr uint64_t kNowhere = 0x10;

  // A fault shows at the launch or when the work is waited for.
  CUresult StoreTo(uint64_t address) {
    const CUstream stream = Stream();
    const CUresult launched =
        Launch(stream, "store_word", 1, 1, address, uint32_t{1});
    return launched != CUDA_SUCCESS ? launched
                                    : cu().cuStreamSynchronize(stream);
  }
  FaultDetail Detail() {
    FaultDetail detail;
    EXPECT_TRUE(cu().fault_detail(&detail));
    return detail;
  }
};
GRAPHD_CONFORMANCE_SUITE(FaultTest);

TEST_P(FaultTest, IsAStoreToWhereNothingIs) {
  InOwnProcess(
      [this] { EXPECT_EQ(StoreTo(kNowhere), CUDA_ERROR_ILLEGAL_ADDRESS); });
}

TEST_P(FaultTest, IsAStoreThatIsNotAligned) {
  InOwnProcess([this] {
    EXPECT_EQ(StoreTo(Buffer({0, 0}) + 2), CUDA_ERROR_MISALIGNED_ADDRESS);
  });
}

TEST_P(FaultTest, StaysWithItsContext) {
  InOwnProcess([this] {
    const CUdeviceptr word = Buffer({1});
    const CUstream stream = Stream();
    const CUevent event = Event();
    EXPECT_EQ(StoreTo(kNowhere), CUDA_ERROR_ILLEGAL_ADDRESS);
    CUdeviceptr address = 0;
    uint32_t host = kPoison;
    EXPECT_EQ(cu().cuMemAlloc(&address, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(cu().cuMemcpyDtoH(&host, word, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(cu().cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(cu().cuEventRecord(event, stream), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(cu().cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(host, kPoison);
  });
}

TEST_P(FaultTest, ComesOutOfAGraph) {
  InOwnProcess([this] {
    const CUdeviceptr word = Buffer({1});
    const CUstream stream = Stream();
    const CUgraph graph = Graph();
    const CUgraphNode bad =
        AddKernel(graph, {}, "store_word", uint64_t{kNowhere}, uint32_t{1});
    AddAffine(graph, {bad}, word, 1, 1);
    const CUgraphExec exec = Instantiate(graph);
    const CUresult launched = cu().cuGraphLaunch(exec, stream);
    EXPECT_EQ(
        launched != CUDA_SUCCESS ? launched : cu().cuStreamSynchronize(stream),
        CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(cu().cuGraphLaunch(exec, stream), CUDA_ERROR_ILLEGAL_ADDRESS);
  });
}

TEST_P(FaultTest, SaysWhere) {
  if (cu().fault_detail == nullptr) {
    GTEST_SKIP() << "the provider cannot tell";
  }
  FaultDetail none;
  EXPECT_FALSE(cu().fault_detail(&none));
  InOwnProcess([this] {
    EXPECT_EQ(StoreTo(kNowhere), CUDA_ERROR_ILLEGAL_ADDRESS);
    const FaultDetail detail = Detail();
    EXPECT_EQ(detail.code, CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(detail.kernel, "store_word");
    EXPECT_EQ(detail.line, StoreWordLine());
    EXPECT_EQ(detail.address, kNowhere);
    EXPECT_EQ(detail.block, (std::array<uint32_t, 3>{0, 0, 0}));
    EXPECT_EQ(detail.thread, (std::array<uint32_t, 3>{0, 0, 0}));
    EXPECT_THAT(detail.message, testing::HasSubstr("4 bytes"));
  });
}

TEST_P(FaultTest, SaysWhichThread) {
  if (cu().fault_detail == nullptr) {
    GTEST_SKIP() << "the provider cannot tell";
  }
  InOwnProcess([this] {
    // 2 GiB apart from the buffer's end: nothing of the device is there.
    const CUdeviceptr bytes = Buffer({0});
    const CUresult result =
        Launch(Stream(), "affine", 1u << 26, 64, bytes, 0xffffffffu, 1u, 0u);
    EXPECT_EQ(result, CUDA_ERROR_ILLEGAL_ADDRESS);
    const FaultDetail detail = Detail();
    EXPECT_EQ(detail.kernel, "affine");
    EXPECT_EQ(detail.address,
              bytes + 4 * (uint64_t{64} * detail.block[0] + detail.thread[0]));
  });
}

TEST_P(FaultTest, EndsWithTheContext) {
  if (!cu().is_software) {
    GTEST_SKIP() << "on libcuda a fault stays with the process";
  }
  InOwnProcess([this] {
    EXPECT_EQ(StoreTo(kNowhere), CUDA_ERROR_ILLEGAL_ADDRESS);
    Must(cu().cuDevicePrimaryCtxRelease(device()));
    CUcontext fresh = nullptr;
    Must(cu().cuDevicePrimaryCtxRetain(&fresh, device()));
    Must(cu().cuCtxSetCurrent(fresh));
    EXPECT_EQ(Read(Buffer({3}), 1), Words{3});
  });
}

TEST_P(FaultTest, OfOneDeviceIsNotAnothers) {
  int count = 0;
  Must(cu().cuDeviceGetCount(&count));
  if (count == 1) GTEST_SKIP() << "there is one device";
  ASSERT_GE(count, 2);
  if (!cu().is_software) {
    GTEST_SKIP() << "on libcuda a fault stays with the process";
  }
  InOwnProcess([this] {
    CUcontext other = nullptr;
    Must(cu().cuDevicePrimaryCtxRetain(&other, 1));
    EXPECT_EQ(StoreTo(kNowhere), CUDA_ERROR_ILLEGAL_ADDRESS);
    Must(cu().cuCtxSetCurrent(other));
    EXPECT_EQ(Read(Buffer({4}), 1), Words{4});
  });
}

TEST_P(FaultTest, IsWhatStoppingAKernelMakes) {
  if (cu().stop_kernels == nullptr) {
    GTEST_SKIP() << "the provider cannot stop kernels";
  }
  InOwnProcess([this] {
    const CUstream stream = Stream();
    const CUfunction forever = Kernel("forever");
    std::atomic<bool> is_over{false};
    CUresult result = CUDA_SUCCESS;
    std::thread launching([&] {
      Must(cu().cuCtxSetCurrent(context()));
      result = cu().cuLaunchKernel(forever, 1, 1, 1, 1, 1, 1, 0, stream,
                                   nullptr, nullptr);
      if (result == CUDA_SUCCESS) result = cu().cuStreamSynchronize(stream);
      is_over = true;
    });
    // Stopping reaches what runs; until the kernel does, it stops nothing.
    while (!is_over) {
      cu().stop_kernels();
      std::this_thread::yield();
    }
    launching.join();
    EXPECT_EQ(result, CUDA_ERROR_LAUNCH_TIMEOUT);
    EXPECT_EQ(cu().cuCtxSynchronize(), CUDA_ERROR_LAUNCH_TIMEOUT);
  });
}

TEST_P(FaultTest, IsNotWhatWrongArgumentsMake) {
  const CUdeviceptr word = Buffer({1});
  const CUstream stream = Stream();
  CUdeviceptr address = 0;
  EXPECT_EQ(cu().cuMemAlloc(&address, uint64_t{1} << 60),
            CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cu().cuMemcpyHtoD(kNowhere, &word, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Launch(stream, "affine", 0, 1, word, 1u, 1u, 1u),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().cuGraphInstantiateWithFlags(nullptr, Graph(), 0),
            CUDA_ERROR_INVALID_VALUE);
  Must(LaunchAffine(stream, word, 2, 1));
  Must(cu().cuCtxSynchronize());
  EXPECT_EQ(Read(word, 1), Words{3});
}

}  // namespace
}  // namespace graphd
