#include "tests/conformance/conformance_test.h"

namespace graphd {
namespace {

class EventTest : public ConformanceTest {};
GRAPHD_CONFORMANCE_SUITE(EventTest);

TEST_P(EventTest, IsDistinctFromOthers) {
  const CUevent one = Event();
  const CUevent two = Event(CU_EVENT_DISABLE_TIMING);
  EXPECT_NE(one, nullptr);
  EXPECT_NE(two, nullptr);
  EXPECT_NE(one, two);
}

TEST_P(EventTest, RefusesUnknownFlagsAndNull) {
  CUevent event = nullptr;
  EXPECT_EQ(cu().cuEventCreate(&event, 0x100), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().cuEventCreate(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().cuEventRecord(nullptr, Stream()), CUDA_ERROR_INVALID_HANDLE);
}

TEST_P(EventTest, IsOverWhenTheWorkBeforeItIs) {
  const CUstream stream = Stream();
  const CUevent event = Event();
  void* pinned = nullptr;
  Must(cu().cuMemHostAlloc(&pinned, 4, 0));
  ASSERT_NE(pinned, nullptr);
  auto* seen = static_cast<volatile uint32_t*>(pinned);
  *seen = 0;
  Must(LaunchSlowAffine(stream, Buffer({1}), 1, 1));
  Must(cu().cuMemsetD32Async(reinterpret_cast<CUdeviceptr>(pinned), 77, 1,
                             stream));
  Must(cu().cuEventRecord(event, stream));
  CUresult state = CUDA_ERROR_NOT_READY;
  while (state == CUDA_ERROR_NOT_READY) state = cu().cuEventQuery(event);
  Must(state);
  EXPECT_EQ(*seen, 77u);
  Must(cu().cuMemFreeHost(pinned));
}

TEST_P(EventTest, IsWaitedForByTheHost) {
  const CUstream stream = Stream();
  const CUevent event = Event(CU_EVENT_BLOCKING_SYNC);
  uint32_t seen = kPoison;
  const CUdeviceptr word = Buffer({6});
  Must(LaunchSlowAffine(stream, word, 7, 0));
  Must(cu().cuMemcpyDtoHAsync(&seen, word, 4, stream));
  Must(cu().cuEventRecord(event, stream));
  Must(cu().cuEventSynchronize(event));
  EXPECT_EQ(seen, 42u);
}

TEST_P(EventTest, IsOverBeforeItIsRecorded) {
  const CUevent event = Event();
  const CUstream stream = Stream();
  EXPECT_EQ(cu().cuEventQuery(event), CUDA_SUCCESS);
  EXPECT_EQ(cu().cuEventSynchronize(event), CUDA_SUCCESS);
  Must(cu().cuStreamWaitEvent(stream, event, 0));
  const CUdeviceptr word = Buffer({1});
  Must(LaunchAffine(stream, word, 2, 0));
  Must(cu().cuStreamSynchronize(stream));
  EXPECT_EQ(Read(word, 1), Words{2});
}

TEST_P(EventTest, StandsForItsLastRecord) {
  const CUstream stream = Stream();
  const CUstream waiting = Stream();
  const CUevent event = Event();
  const CUdeviceptr word = Buffer({1});
  Must(cu().cuEventRecord(event, stream));
  Must(LaunchSlowAffine(stream, word, 2, 1));
  Must(cu().cuEventRecord(event, stream));
  Must(cu().cuStreamWaitEvent(waiting, event, 0));
  Must(LaunchAffine(waiting, word, 4, 1));
  Must(cu().cuStreamSynchronize(waiting));
  EXPECT_EQ(Read(word, 1), Words{13});
}

TEST_P(EventTest, KeepsAWaitThatWasMadeBeforeARecord) {
  // A wait stands for the record before it, whatever the event does then.
  const CUstream first = Stream();
  const CUstream second = Stream();
  const CUstream waiting = Stream();
  const CUevent event = Event();
  const CUdeviceptr word = Buffer({1});
  Must(LaunchSlowAffine(first, word, 2, 1));
  Must(cu().cuEventRecord(event, first));
  Must(cu().cuStreamWaitEvent(waiting, event, 0));
  Must(cu().cuEventRecord(event, second));
  Must(LaunchAffine(waiting, word, 4, 1));
  Must(cu().cuStreamSynchronize(waiting));
  EXPECT_EQ(Read(word, 1), Words{13});
}

TEST_P(EventTest, MayBeDestroyedWhileAStreamWaitsForIt) {
  const CUstream first = Stream();
  const CUstream second = Stream();
  const CUdeviceptr word = Buffer({1});
  CUevent event = nullptr;
  Must(cu().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  Must(LaunchSlowAffine(first, word, 2, 1));
  Must(cu().cuEventRecord(event, first));
  Must(cu().cuStreamWaitEvent(second, event, 0));
  Must(cu().cuEventDestroy(event));
  Must(LaunchAffine(second, word, 4, 1));
  Must(cu().cuStreamSynchronize(second));
  EXPECT_EQ(Read(word, 1), Words{13});
}

TEST_P(EventTest, MeasuresTimeThatGrows) {
  const CUstream stream = Stream();
  const CUevent start = Event();
  const CUevent middle = Event();
  const CUevent end = Event();
  const CUdeviceptr word = Buffer({1});
  Must(cu().cuEventRecord(start, stream));
  Must(LaunchSlowAffine(stream, word, 1, 1));
  Must(cu().cuEventRecord(middle, stream));
  Must(LaunchSlowAffine(stream, word, 1, 1));
  Must(cu().cuEventRecord(end, stream));
  Must(cu().cuEventSynchronize(end));
  float half_ms = -1;
  float whole_ms = -1;
  Must(cu().cuEventElapsedTime(&half_ms, start, middle));
  Must(cu().cuEventElapsedTime(&whole_ms, start, end));
  EXPECT_GT(half_ms, 0);
  EXPECT_GT(whole_ms, half_ms);
  EXPECT_LT(whole_ms, 60000);
}

TEST_P(EventTest, MeasuresBackwardsAsNegative) {
  const CUstream stream = Stream();
  const CUevent start = Event();
  const CUevent end = Event();
  Must(cu().cuEventRecord(start, stream));
  Must(LaunchSlowAffine(stream, Buffer({1}), 1, 1));
  Must(cu().cuEventRecord(end, stream));
  Must(cu().cuEventSynchronize(end));
  float forwards_ms = 0;
  float backwards_ms = 0;
  Must(cu().cuEventElapsedTime(&forwards_ms, start, end));
  Must(cu().cuEventElapsedTime(&backwards_ms, end, start));
  EXPECT_GT(forwards_ms, 0);
  EXPECT_FLOAT_EQ(backwards_ms, -forwards_ms);
}

TEST_P(EventTest, DoesNotMeasureWhatWasNotRecorded) {
  const CUevent never = Event();
  const CUevent once = Event();
  Must(cu().cuEventRecord(once, kNoStream));
  Must(cu().cuEventSynchronize(once));
  float ms = 0;
  EXPECT_EQ(cu().cuEventElapsedTime(&ms, never, once),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cu().cuEventElapsedTime(&ms, once, never),
            CUDA_ERROR_INVALID_HANDLE);
}

TEST_P(EventTest, DoesNotMeasureWithoutTiming) {
  const CUevent untimed = Event(CU_EVENT_DISABLE_TIMING);
  const CUevent timed = Event();
  Must(cu().cuEventRecord(untimed, kNoStream));
  Must(cu().cuEventRecord(timed, kNoStream));
  Must(cu().cuCtxSynchronize());
  float ms = 0;
  EXPECT_EQ(cu().cuEventElapsedTime(&ms, untimed, timed),
            CUDA_ERROR_INVALID_HANDLE);
}

TEST_P(EventTest, IsRefusedOnceDestroyed) {
  if (!cu().is_software) GTEST_SKIP() << "libcuda follows what it is given";
  CUevent event = nullptr;
  Must(cu().cuEventCreate(&event, 0));
  Must(cu().cuEventDestroy(event));
  EXPECT_EQ(cu().cuEventRecord(event, Stream()), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cu().cuEventDestroy(event), CUDA_ERROR_INVALID_HANDLE);
}

}  // namespace
}  // namespace graphd
