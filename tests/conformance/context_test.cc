#include <thread>

#include "tests/conformance/conformance_test.h"

namespace graphd {
namespace {

class ContextTest : public ConformanceTest {
 protected:
  CUcontext Current() {
    CUcontext current = reinterpret_cast<CUcontext>(uintptr_t{kPoison});
    Must(cu().cuCtxGetCurrent(&current));
    return current;
  }
};
GRAPHD_CONFORMANCE_SUITE(ContextTest);

TEST_P(ContextTest, IsTheSameForEveryRetain) {
  CUcontext again = nullptr;
  Must(cu().cuDevicePrimaryCtxRetain(&again, device()));
  EXPECT_NE(again, nullptr);
  EXPECT_EQ(again, context());
  Must(cu().cuDevicePrimaryCtxRelease(device()));
}

TEST_P(ContextTest, SurvivesAReleaseThatIsNotTheLast) {
  const CUdeviceptr buffer = Buffer({1, 2});
  CUcontext again = nullptr;
  Must(cu().cuDevicePrimaryCtxRetain(&again, device()));
  Must(cu().cuDevicePrimaryCtxRelease(device()));
  EXPECT_EQ(Read(buffer, 2), (Words{1, 2}));
}

TEST_P(ContextTest, BecomesCurrentWhenSet) {
  EXPECT_EQ(Current(), context());
  Must(cu().cuCtxSetCurrent(nullptr));
  EXPECT_EQ(Current(), nullptr);
  Must(cu().cuCtxSetCurrent(context()));
  EXPECT_EQ(Current(), context());
}

TEST_P(ContextTest, IsCurrentForOneThreadOnly) {
  CUcontext before = context();
  CUcontext after = nullptr;
  std::thread([&] {
    before = Current();
    Must(cu().cuCtxSetCurrent(context()));
    after = Current();
  }).join();
  EXPECT_EQ(before, nullptr);
  EXPECT_EQ(after, context());
  EXPECT_NE(after, nullptr);
}

TEST_P(ContextTest, MustBeCurrentForCallsThatNeedOne) {
  const uint32_t word = 0;
  Must(cu().cuCtxSetCurrent(nullptr));
  CUdeviceptr address = 0;
  EXPECT_EQ(cu().cuMemAlloc(&address, 16), CUDA_ERROR_INVALID_CONTEXT);
  CUstream stream = nullptr;
  EXPECT_EQ(cu().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING),
            CUDA_ERROR_INVALID_CONTEXT);
  CUevent event = nullptr;
  EXPECT_EQ(cu().cuEventCreate(&event, CU_EVENT_DEFAULT),
            CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cu().cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cu().cuMemcpyHtoD(16, &word, 4), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_P(ContextTest, RefusesAContextThatDoesNotExist) {
  if (!cu().is_software) GTEST_SKIP() << "libcuda follows what it is given";
  EXPECT_EQ(cu().cuCtxSetCurrent(reinterpret_cast<CUcontext>(uintptr_t{16})),
            CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(Current(), context());
}

TEST_P(ContextTest, WaitsForAllItsStreams) {
  const CUdeviceptr one = Buffer({1});
  const CUdeviceptr two = Buffer({2});
  void* host = nullptr;
  Must(cu().cuMemHostAlloc(&host, 8, 0));
  ASSERT_NE(host, nullptr);
  auto* words = static_cast<volatile uint32_t*>(host);
  words[0] = 0;
  words[1] = 0;
  const CUstream first = Stream();
  const CUstream second = Stream();
  Must(LaunchSlowAffine(first, one, 3, 1));
  Must(cu().cuMemcpyDtoHAsync(host, one, 4, first));
  Must(LaunchSlowAffine(second, two, 5, 1));
  Must(
      cu().cuMemcpyDtoHAsync(static_cast<uint32_t*>(host) + 1, two, 4, second));
  Must(cu().cuCtxSynchronize());
  EXPECT_EQ(words[0], 4u);
  EXPECT_EQ(words[1], 11u);
  Must(cu().cuMemFreeHost(host));
}

TEST_P(ContextTest, IsSharedByThreads) {
  const CUdeviceptr buffer = Buffer({5});
  std::thread([&] {
    Must(cu().cuCtxSetCurrent(context()));
    const CUstream stream = Stream();
    Must(LaunchAffine(stream, buffer, 10, 1));
    Must(cu().cuStreamSynchronize(stream));
  }).join();
  EXPECT_EQ(Read(buffer, 1), Words{51});
}

TEST_P(ContextTest, BelongsToItsDevice) {
  int count = 0;
  Must(cu().cuDeviceGetCount(&count));
  if (count == 1) GTEST_SKIP() << "there is one device";
  ASSERT_GE(count, 2);
  CUcontext other = nullptr;
  Must(cu().cuDevicePrimaryCtxRetain(&other, 1));
  EXPECT_NE(other, context());
  const size_t free_here = FreeBytes();
  Must(cu().cuCtxSetCurrent(other));
  CUdeviceptr there = 0;
  Must(cu().cuMemAlloc(&there, 32 << 20));
  Must(cu().cuCtxSetCurrent(context()));
  EXPECT_EQ(FreeBytes(), free_here);
  Must(cu().cuCtxSetCurrent(other));
  Must(cu().cuMemFree(there));
  Must(cu().cuDevicePrimaryCtxRelease(1));
}

TEST_P(ContextTest, EndsWithItsLastReleaseAndItsMemoryWithIt) {
  InOwnProcess([this] {
    const size_t free_at_first = FreeBytes();
    CUdeviceptr lost = 0;
    Must(cu().cuMemAlloc(&lost, 64 << 20));
    EXPECT_LE(FreeBytes(), free_at_first - (64 << 20));
    Must(cu().cuCtxSetCurrent(nullptr));
    Must(cu().cuDevicePrimaryCtxRelease(device()));
    EXPECT_EQ(cu().cuDevicePrimaryCtxRelease(device()),
              CUDA_ERROR_INVALID_CONTEXT);
    CUcontext fresh = nullptr;
    Must(cu().cuDevicePrimaryCtxRetain(&fresh, device()));
    Must(cu().cuCtxSetCurrent(fresh));
    EXPECT_GE(FreeBytes(), free_at_first);
  });
}

}  // namespace
}  // namespace graphd
