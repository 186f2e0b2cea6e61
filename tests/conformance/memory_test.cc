#include <algorithm>
#include <numeric>

#include "tests/conformance/conformance_test.h"

namespace graphd {
namespace {

using testing::ElementsAre;
using Bytes = std::vector<uint8_t>;

class MemoryTest : public ConformanceTest {
 protected:
  CUdeviceptr BufferOfBytes(const Bytes& contents) {
    const CUdeviceptr buffer = Allocate(contents.size());
    Must(cu().cuMemcpyHtoD(buffer, contents.data(), contents.size()));
    return buffer;
  }
};
GRAPHD_CONFORMANCE_SUITE(MemoryTest);

Bytes Counting(size_t count) {
  Bytes bytes(count);
  std::iota(bytes.begin(), bytes.end(), uint8_t{1});
  return bytes;
}

TEST_P(MemoryTest, AllocatesAlignedRangesThatDoNotMeet) {
  std::vector<std::pair<CUdeviceptr, size_t>> ranges;
  for (const size_t bytes : {1, 255, 256, 257, 4096, 1 << 20}) {
    const CUdeviceptr address = Allocate(bytes);
    EXPECT_NE(address, 0u);
    EXPECT_EQ(address % 256, 0u);
    ranges.emplace_back(address, bytes);
  }
  std::sort(ranges.begin(), ranges.end());
  for (size_t i = 1; i < ranges.size(); ++i) {
    EXPECT_GE(ranges[i].first, ranges[i - 1].first + ranges[i - 1].second);
  }
}

TEST_P(MemoryTest, RefusesAnEmptyAllocation) {
  CUdeviceptr address = 0;
  EXPECT_EQ(cu().cuMemAlloc(&address, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().cuMemAlloc(nullptr, 16), CUDA_ERROR_INVALID_VALUE);
}

TEST_P(MemoryTest, RefusesMoreThanThereIsAndGoesOn) {
  size_t total_bytes = 0;
  Must(cu().cuDeviceTotalMem(&total_bytes, device()));
  CUdeviceptr address = 0;
  EXPECT_EQ(cu().cuMemAlloc(&address, total_bytes + (1 << 20)),
            CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(Read(Buffer({9}), 1), Words{9});
}

TEST_P(MemoryTest, CountsWhatIsFree) {
  const size_t before = FreeBytes();
  CUdeviceptr address = 0;
  Must(cu().cuMemAlloc(&address, 64 << 20));
  EXPECT_LE(FreeBytes() + (64 << 20), before);
  EXPECT_GT(FreeBytes(), 0u);
  Must(cu().cuMemFree(address));
  EXPECT_EQ(FreeBytes(), before);
}

TEST_P(MemoryTest, IsFreedOnce) {
  CUdeviceptr address = 0;
  Must(cu().cuMemAlloc(&address, 4096));
  EXPECT_EQ(cu().cuMemFree(address + 256), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().cuMemFree(address), CUDA_SUCCESS);
  EXPECT_EQ(cu().cuMemFree(address), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().cuMemFree(0), CUDA_SUCCESS);
}

TEST_P(MemoryTest, HoldsManyAllocationsAtOnce) {
  std::vector<CUdeviceptr> buffers;
  for (uint32_t i = 0; i < 200; ++i) {
    buffers.push_back(Buffer({i, i * i}));
  }
  for (uint32_t i = 0; i < buffers.size(); ++i) {
    ASSERT_EQ(Read(buffers[i], 2), (Words{i, i * i}));
  }
}

TEST_P(MemoryTest, CopiesBytesAtAnyOffset) {
  // The sizes and places that a fast path might get wrong.
  for (size_t offset = 0; offset < 4; ++offset) {
    for (size_t count = 1; count <= 9; ++count) {
      const CUdeviceptr from = BufferOfBytes(Counting(16));
      const CUdeviceptr to = BufferOfBytes(Bytes(16, 0));
      Must(cu().cuMemcpyDtoDAsync(to + offset, from + 3, count, kNoStream));
      Must(cu().cuStreamSynchronize(kNoStream));
      Bytes expected(16, 0);
      for (size_t i = 0; i < count; ++i) {
        expected[offset + i] = static_cast<uint8_t>(4 + i);
      }
      ASSERT_EQ(ReadBytes(to, 16), expected) << offset << ", " << count;
    }
  }
}

TEST_P(MemoryTest, CopiesFromAndToTheHostInAStream) {
  const CUstream stream = Stream();
  Words from(1000);
  std::iota(from.begin(), from.end(), 17u);
  Words to(1000, kPoison);
  const CUdeviceptr buffer = Allocate(4000);
  Must(cu().cuMemcpyHtoDAsync(buffer, from.data(), 4000, stream));
  Must(cu().cuMemcpyDtoHAsync(to.data(), buffer, 4000, stream));
  Must(cu().cuStreamSynchronize(stream));
  EXPECT_EQ(to, from);
}

TEST_P(MemoryTest, CopiesBetweenAnyTwoPlacesByAddressAlone) {
  const CUstream stream = Stream();
  void* pinned = nullptr;
  Must(cu().cuMemHostAlloc(&pinned, 16, 0));
  const auto pinned_address = reinterpret_cast<CUdeviceptr>(pinned);
  const CUdeviceptr one = Buffer({1, 2, 3, 4});
  const CUdeviceptr two = Buffer({0, 0, 0, 0});
  Words host(4, kPoison);
  Must(cu().cuMemcpyAsync(two, one, 16, stream));
  Must(cu().cuMemcpyAsync(pinned_address, two, 16, stream));
  Must(cu().cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(host.data()),
                          pinned_address, 16, stream));
  Must(cu().cuStreamSynchronize(stream));
  EXPECT_THAT(host, ElementsAre(1, 2, 3, 4));
  Must(cu().cuMemFreeHost(pinned));
}

TEST_P(MemoryTest, CopiesNothingWhenAskedTo) {
  const CUdeviceptr one = Buffer({1});
  const CUdeviceptr two = Buffer({2});
  EXPECT_EQ(cu().cuMemcpyDtoDAsync(two, one, 0, kNoStream), CUDA_SUCCESS);
  EXPECT_EQ(cu().cuMemsetD8Async(two, 0xff, 0, kNoStream), CUDA_SUCCESS);
  EXPECT_EQ(Read(two, 1), Words{2});
}

TEST_P(MemoryTest, RefusesCopiesToWhereNothingIs) {
  const uint32_t word = 1;
  Words host(1, kPoison);
  const CUdeviceptr nowhere = 0x10;
  EXPECT_EQ(cu().cuMemcpyHtoD(nowhere, &word, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().cuMemcpyDtoH(host.data(), nowhere, 4),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().cuMemcpyDtoDAsync(Allocate(4), nowhere, 4, kNoStream),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().cuMemcpyHtoD(Allocate(4), nullptr, 4),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(host, Words{kPoison});
}

TEST_P(MemoryTest, CopiesARectangleOutOfOneIntoAnother) {
  // 4 x 3 bytes at (2, 1) of rows of 8 go to (1, 2) of rows of 6.
  const CUdeviceptr from = BufferOfBytes(Counting(8 * 5));
  const CUdeviceptr to = BufferOfBytes(Bytes(6 * 6, 0));
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = from;
  copy.srcPitch = 8;
  copy.srcXInBytes = 2;
  copy.srcY = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = to;
  copy.dstPitch = 6;
  copy.dstXInBytes = 1;
  copy.dstY = 2;
  copy.WidthInBytes = 4;
  copy.Height = 3;
  Must(cu().cuMemcpy2DAsync(&copy, kNoStream));
  Must(cu().cuStreamSynchronize(kNoStream));
  Bytes expected(36, 0);
  for (size_t y = 0; y < 3; ++y) {
    for (size_t x = 0; x < 4; ++x) {
      expected[(y + 2) * 6 + x + 1] =
          static_cast<uint8_t>(1 + (y + 1) * 8 + x + 2);
    }
  }
  EXPECT_EQ(ReadBytes(to, 36), expected);
}

TEST_P(MemoryTest, CopiesRectanglesFromAndToTheHost) {
  const CUstream stream = Stream();
  const Bytes from = Counting(5 * 4);
  Bytes back(3 * 4, 0);
  const CUdeviceptr middle = BufferOfBytes(Bytes(7 * 4, 0));
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = from.data();
  copy.srcPitch = 5;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = middle;
  copy.dstPitch = 7;
  copy.WidthInBytes = 3;
  copy.Height = 4;
  Must(cu().cuMemcpy2DAsync(&copy, stream));
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = middle;
  copy.srcPitch = 7;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = back.data();
  copy.dstPitch = 3;
  Must(cu().cuMemcpy2DAsync(&copy, stream));
  Must(cu().cuStreamSynchronize(stream));
  EXPECT_EQ(back, (Bytes{1, 2, 3, 6, 7, 8, 11, 12, 13, 16, 17, 18}));
}

TEST_P(MemoryTest, RefusesRowsThatAreWiderThanTheirPitch) {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = Allocate(1024);
  copy.srcPitch = 15;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = Allocate(1024);
  copy.dstPitch = 16;
  copy.WidthInBytes = 16;
  copy.Height = 2;
  EXPECT_EQ(cu().cuMemcpy2DAsync(&copy, kNoStream), CUDA_ERROR_INVALID_VALUE);
  copy.srcPitch = 16;
  copy.dstPitch = 15;
  EXPECT_EQ(cu().cuMemcpy2DAsync(&copy, kNoStream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().cuMemcpy2DAsync(nullptr, kNoStream), CUDA_ERROR_INVALID_VALUE);
}

TEST_P(MemoryTest, FillsExactlyTheBytesAskedFor) {
  for (size_t offset = 0; offset < 4; ++offset) {
    for (size_t count = 1; count <= 7; ++count) {
      const CUdeviceptr buffer = BufferOfBytes(Bytes(16, 0));
      Must(cu().cuMemsetD8Async(buffer + offset, 0x5a, count, kNoStream));
      Must(cu().cuStreamSynchronize(kNoStream));
      Bytes expected(16, 0);
      std::fill_n(expected.begin() + offset, count, uint8_t{0x5a});
      ASSERT_EQ(ReadBytes(buffer, 16), expected) << offset << ", " << count;
    }
  }
}

TEST_P(MemoryTest, FillsElementsOfEveryWidth) {
  const CUstream stream = Stream();
  const CUdeviceptr buffer = Buffer({0, 0, 0, 0, 0, 0});
  Must(cu().cuMemsetD32Async(buffer + 4, 0x01020304, 2, stream));
  Must(cu().cuMemsetD16Async(buffer + 14, 0xabcd, 2, stream));
  Must(cu().cuMemsetD8Async(buffer + 21, 0x77, 1, stream));
  Must(cu().cuStreamSynchronize(stream));
  EXPECT_THAT(Read(buffer, 6), ElementsAre(0, 0x01020304, 0x01020304,
                                           0xabcd0000, 0x0000abcd, 0x7700));
}

TEST_P(MemoryTest, RefusesFillsThatAreNotAligned) {
  const CUdeviceptr buffer = Buffer({1, 1});
  EXPECT_EQ(cu().cuMemsetD16Async(buffer + 1, 0, 1, kNoStream),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().cuMemsetD32Async(buffer + 2, 0, 1, kNoStream),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Read(buffer, 2), (Words{1, 1}));
}

TEST_P(MemoryTest, FillsRectangles) {
  const CUdeviceptr bytes = BufferOfBytes(Bytes(15, 0));
  Must(cu().cuMemsetD2D8Async(bytes + 1, 5, 9, 3, 2, kNoStream));
  const CUdeviceptr halves = BufferOfBytes(Bytes(16, 0));
  Must(cu().cuMemsetD2D16Async(halves + 2, 8, 0x0201, 2, 2, kNoStream));
  const CUdeviceptr words = Buffer({0, 0, 0, 0, 0, 0});
  Must(cu().cuMemsetD2D32Async(words, 12, 7, 2, 2, kNoStream));
  Must(cu().cuStreamSynchronize(kNoStream));
  EXPECT_EQ(ReadBytes(bytes, 15),
            (Bytes{0, 9, 9, 9, 0, 0, 9, 9, 9, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(ReadBytes(halves, 16),
            (Bytes{0, 0, 1, 2, 1, 2, 0, 0, 0, 0, 1, 2, 1, 2, 0, 0}));
  EXPECT_THAT(Read(words, 6), ElementsAre(7, 7, 0, 7, 7, 0));
}

TEST_P(MemoryTest, RefusesFillsOfWhereNothingIs) {
  EXPECT_EQ(cu().cuMemsetD8Async(0x10, 1, 4, kNoStream),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().cuMemsetD32Async(0, 1, 4, kNoStream),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_P(MemoryTest, LetsKernelsUsePinnedMemory) {
  void* pinned = nullptr;
  Must(cu().cuMemHostAlloc(&pinned, 64, CU_MEMHOSTALLOC_PORTABLE));
  ASSERT_NE(pinned, nullptr);
  auto* words = static_cast<uint32_t*>(pinned);
  words[0] = 20;
  const CUstream stream = Stream();
  Must(LaunchAffine(stream, reinterpret_cast<CUdeviceptr>(pinned), 2, 1));
  Must(cu().cuStreamSynchronize(stream));
  EXPECT_EQ(words[0], 41u);
  Must(cu().cuMemFreeHost(pinned));
}

TEST_P(MemoryTest, FreesPinnedMemoryOnce) {
  void* pinned = nullptr;
  Must(cu().cuMemHostAlloc(&pinned, 4096, 0));
  EXPECT_EQ(cu().cuMemFreeHost(pinned), CUDA_SUCCESS);
  EXPECT_EQ(cu().cuMemFreeHost(pinned), CUDA_ERROR_INVALID_VALUE);
  int local = 0;
  EXPECT_EQ(cu().cuMemFreeHost(&local), CUDA_ERROR_INVALID_VALUE);
}

TEST_P(MemoryTest, IsStillThereForWorkIssuedBeforeAFree) {
  // cuMemFree waits for the work that may use the memory.
  const CUstream stream = Stream();
  const CUdeviceptr result = Buffer({0});
  CUdeviceptr passing = 0;
  Must(cu().cuMemAlloc(&passing, 4));
  Write(passing, {6});
  Must(LaunchSlowAffine(stream, passing, 7, 1));
  Must(cu().cuMemcpyDtoDAsync(result, passing, 4, stream));
  Must(cu().cuMemFree(passing));
  Must(cu().cuStreamSynchronize(stream));
  EXPECT_EQ(Read(result, 1), Words{43});
}

}  // namespace
}  // namespace graphd
