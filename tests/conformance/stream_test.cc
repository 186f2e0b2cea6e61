#include <thread>

#include "tests/conformance/conformance_test.h"

namespace graphd {
namespace {

class StreamTest : public ConformanceTest {};
GRAPHD_CONFORMANCE_SUITE(StreamTest);

TEST_P(StreamTest, RunsItsWorkInOrder) {
  const CUstream stream = Stream();
  const CUdeviceptr word = Buffer({1});
  Must(LaunchSlowAffine(stream, word, 2, 1));
  Must(LaunchAffine(stream, word, 3, 0));
  Must(cu().cuMemsetD8Async(word + 1, 1, 1, stream));
  Must(LaunchAffine(stream, word, 10, 4));
  Must(cu().cuStreamSynchronize(stream));
  EXPECT_EQ(Read(word, 1), Words{(256 + 9) * 10 + 4});
}

TEST_P(StreamTest, OrdersCopiesAmongKernels) {
  const CUstream stream = Stream();
  const CUdeviceptr word = Buffer({0});
  uint32_t seen[2] = {kPoison, kPoison};
  const uint32_t fresh = 50;
  Must(LaunchSlowAffine(stream, word, 1, 5));
  Must(cu().cuMemcpyDtoHAsync(&seen[0], word, 4, stream));
  Must(cu().cuMemcpyHtoDAsync(word, &fresh, 4, stream));
  Must(LaunchSlowAffine(stream, word, 2, 1));
  Must(cu().cuMemcpyDtoHAsync(&seen[1], word, 4, stream));
  Must(cu().cuStreamSynchronize(stream));
  EXPECT_EQ(seen[0], 5u);
  EXPECT_EQ(seen[1], 101u);
}

TEST_P(StreamTest, IsDistinctFromOthers) {
  CUstream one = nullptr;
  CUstream two = nullptr;
  Must(cu().cuStreamCreate(&one, CU_STREAM_NON_BLOCKING));
  Must(cu().cuStreamCreate(&two, CU_STREAM_DEFAULT));
  EXPECT_NE(one, nullptr);
  EXPECT_NE(two, nullptr);
  EXPECT_NE(one, two);
  Must(cu().cuStreamDestroy(one));
  Must(cu().cuStreamDestroy(two));
}

TEST_P(StreamTest, RefusesUnknownFlagsAndNull) {
  CUstream stream = nullptr;
  EXPECT_EQ(cu().cuStreamCreate(&stream, 0x100), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().cuStreamCreate(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_P(StreamTest, TakesAnyPriorityAndWorksAlike) {
  // Priorities are clamped to what the device has.
  for (const int priority : {-100, 0, 100}) {
    CUstream stream = nullptr;
    Must(cu().cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING,
                                         priority));
    const CUdeviceptr word = Buffer({4});
    Must(LaunchAffine(stream, word, 2, 0));
    Must(cu().cuStreamSynchronize(stream));
    EXPECT_EQ(Read(word, 1), Words{8});
    Must(cu().cuStreamDestroy(stream));
  }
}

TEST_P(StreamTest, IsIdleOnlyWhenItsWorkIsDone) {
  const CUstream stream = Stream();
  void* pinned = nullptr;
  Must(cu().cuMemHostAlloc(&pinned, 4, 0));
  ASSERT_NE(pinned, nullptr);
  auto* seen = static_cast<volatile uint32_t*>(pinned);
  *seen = 0;
  Must(LaunchSlowAffine(stream, Buffer({1}), 1, 1));
  Must(cu().cuMemsetD32Async(reinterpret_cast<CUdeviceptr>(pinned), 77, 1,
                             stream));
  CUresult state = CUDA_ERROR_NOT_READY;
  while (state == CUDA_ERROR_NOT_READY) state = cu().cuStreamQuery(stream);
  Must(state);
  EXPECT_EQ(*seen, 77u);
  Must(cu().cuMemFreeHost(pinned));
}

TEST_P(StreamTest, FinishesItsWorkAfterItIsDestroyed) {
  const CUdeviceptr word = Buffer({1});
  CUstream stream = nullptr;
  Must(cu().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  Must(LaunchSlowAffine(stream, word, 5, 5));
  Must(cu().cuStreamDestroy(stream));
  Must(cu().cuCtxSynchronize());
  EXPECT_EQ(Read(word, 1), Words{10});
}

TEST_P(StreamTest, IsRefusedOnceDestroyed) {
  if (!cu().is_software) GTEST_SKIP() << "libcuda follows what it is given";
  CUstream stream = nullptr;
  Must(cu().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  Must(cu().cuStreamDestroy(stream));
  EXPECT_EQ(cu().cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cu().cuStreamDestroy(stream), CUDA_ERROR_INVALID_HANDLE);
}

TEST_P(StreamTest, RefusesToDestroyTheDefaultStream) {
  EXPECT_EQ(cu().cuStreamDestroy(nullptr), CUDA_ERROR_INVALID_HANDLE);
}

TEST_P(StreamTest, WaitsForTheDefaultStreamWhenItIsBlocking) {
  const CUstream blocking = Stream(CU_STREAM_DEFAULT);
  const CUdeviceptr word = Buffer({1});
  Must(LaunchSlowAffine(kNoStream, word, 2, 1));
  Must(LaunchSlowAffine(blocking, word, 3, 1));
  Must(LaunchSlowAffine(kNoStream, word, 4, 1));
  Must(LaunchAffine(blocking, word, 5, 1));
  Must(cu().cuStreamSynchronize(blocking));
  EXPECT_EQ(Read(word, 1), Words{(((1 * 2 + 1) * 3 + 1) * 4 + 1) * 5 + 1});
}

TEST_P(StreamTest, WaitsForAnotherStreamsEvent) {
  const CUstream first = Stream();
  const CUstream second = Stream();
  const CUevent event = Event();
  const CUdeviceptr word = Buffer({1});
  Must(LaunchSlowAffine(first, word, 2, 3));
  Must(cu().cuEventRecord(event, first));
  Must(cu().cuStreamWaitEvent(second, event, 0));
  Must(LaunchAffine(second, word, 10, 1));
  Must(cu().cuStreamSynchronize(second));
  EXPECT_EQ(Read(word, 1), Words{51});
}

TEST_P(StreamTest, ForksAndJoins) {
  const CUstream main_stream = Stream();
  const CUstream side = Stream();
  const CUevent forked = Event(CU_EVENT_DISABLE_TIMING);
  const CUevent joined = Event(CU_EVENT_DISABLE_TIMING);
  const CUdeviceptr word = Buffer({1});
  for (int i = 0; i < 20; ++i) {
    Must(LaunchSlowAffine(main_stream, word, 3, 1));
    Must(cu().cuEventRecord(forked, main_stream));
    Must(cu().cuStreamWaitEvent(side, forked, 0));
    Must(LaunchSlowAffine(side, word, 5, 2));
    Must(cu().cuEventRecord(joined, side));
    Must(cu().cuStreamWaitEvent(main_stream, joined, 0));
  }
  Must(cu().cuStreamSynchronize(main_stream));
  uint32_t expected = 1;
  for (int i = 0; i < 20; ++i) expected = (expected * 3 + 1) * 5 + 2;
  EXPECT_EQ(Read(word, 1), Words{expected});
}

TEST_P(StreamTest, IsUsedBesideOthersFromManyThreads) {
  constexpr uint32_t kThreads = 4;
  const CUdeviceptr words = Buffer(Words(kThreads, 0));
  std::vector<CUstream> streams;
  for (uint32_t i = 0; i < kThreads; ++i) streams.push_back(Stream());
  const CUfunction affine = Kernel("affine");
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      Must(cu().cuCtxSetCurrent(context()));
      for (uint32_t round = 0; round < 50; ++round) {
        Arguments<CUdeviceptr, uint32_t, uint32_t, uint32_t> arguments(
            words + 4 * i, 1, 3, i);
        Must(cu().cuLaunchKernel(affine, 1, 1, 1, 1, 1, 1, 0, streams[i],
                                 arguments.pointers(), nullptr));
      }
      Must(cu().cuStreamSynchronize(streams[i]));
    });
  }
  for (std::thread& thread : threads) thread.join();
  Words expected(kThreads, 0);
  for (uint32_t i = 0; i < kThreads; ++i) {
    for (int round = 0; round < 50; ++round) expected[i] = expected[i] * 3 + i;
  }
  EXPECT_EQ(Read(words, kThreads), expected);
}

TEST_P(StreamTest, CostsNoMemoryOnceDestroyed) {
  const auto create_and_destroy = [this] {
    CUstream stream = nullptr;
    Must(cu().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    Must(cu().cuStreamDestroy(stream));
  };
  create_and_destroy();
  const size_t before = FreeBytes();
  EXPECT_GT(before, 0u);
  for (int i = 0; i < 500; ++i) create_and_destroy();
  EXPECT_GE(FreeBytes() + kSlackBytes, before);
}

}  // namespace
}  // namespace graphd
