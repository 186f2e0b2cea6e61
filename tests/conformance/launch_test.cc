#include <cmath>
#include <cstring>
#include <numeric>

#include "tests/conformance/conformance_test.h"
#include "tests/conformance/kernels.h"

namespace graphd {
namespace {

struct Dim {
  uint32_t x, y, z;
};
struct Triple {
  uint32_t words[3];
};

class LaunchTest : public ConformanceTest {
 protected:
  CUresult LaunchShape(Dim grid, Dim block, uint32_t shared_bytes = 0) {
    Arguments<CUdeviceptr, uint32_t, uint32_t, uint32_t> arguments(word_, 1, 2,
                                                                   1);
    return cu().cuLaunchKernel(Kernel("affine"), grid.x, grid.y, grid.z,
                               block.x, block.y, block.z, shared_bytes,
                               kNoStream, arguments.pointers(), nullptr);
  }
  void UseWord() { word_ = Buffer({3}); }
  void ExpectUntouched() { EXPECT_EQ(Read(word_, 1), Words{3}); }

  CUdeviceptr word_ = 0;
};
GRAPHD_CONFORMANCE_SUITE(LaunchTest);

TEST_P(LaunchTest, RunsEveryThreadOnce) {
  constexpr uint32_t kThreads = 37 * 96;
  const CUdeviceptr data = Buffer(Words(kThreads, 5));
  Must(Launch(kNoStream, "affine", 37, 96, data, kThreads, 1u, 1u));
  Must(cu().cuStreamSynchronize(kNoStream));
  EXPECT_EQ(Read(data, kThreads), Words(kThreads, 6));
}

TEST_P(LaunchTest, GivesEveryThreadItsCoordinates) {
  const Dim grid{3, 2, 2};
  const Dim block{5, 3, 2};
  const size_t threads = 12 * 30;
  const CUdeviceptr out = Buffer(Words(2 * threads, 0));
  Arguments<CUdeviceptr> arguments(out);
  Must(cu().cuLaunchKernel(Kernel("store_coordinates"), grid.x, grid.y, grid.z,
                           block.x, block.y, block.z, 0, kNoStream,
                           arguments.pointers(), nullptr));
  Must(cu().cuStreamSynchronize(kNoStream));
  Words expected;
  for (uint32_t b = 0; b < 12; ++b) {
    for (uint32_t t = 0; t < 30; ++t) {
      expected.push_back(t % 5 | (t / 5 % 3) << 8 | (t / 15) << 16);
      expected.push_back(b % 3 | (b / 3 % 2) << 8 | (b / 6) << 16);
    }
  }
  EXPECT_EQ(Read(out, 2 * threads), expected);
}

TEST_P(LaunchTest, PassesArgumentsOfEveryWidth) {
  const CUdeviceptr out = Buffer(Words(10, 0));
  Must(Launch(kNoStream, "store_arguments", 1, 1, out, uint8_t{0xfe},
              uint16_t{0xfedc}, uint32_t{0x12345678}, -0.1,
              Triple{{71, 72, 73}}, uint64_t{0x1122334455667788}));
  Must(cu().cuStreamSynchronize(kNoStream));
  uint64_t real = 0;
  const double value = -0.1;
  std::memcpy(&real, &value, sizeof(real));
  EXPECT_EQ(Read(out, 10),
            (Words{0xfe, 0xfedc, 0x12345678, 71, static_cast<uint32_t>(real),
                   static_cast<uint32_t>(real >> 32), 72, 73, 0x55667788,
                   0x11223344}));
}

TEST_P(LaunchTest, TakesArgumentsAsOneBlock) {
  UseWord();
  struct {
    CUdeviceptr data;
    uint32_t count, factor, term;
  } block{word_, 1, 4, 5};
  size_t bytes = 20;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block,
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  Must(cu().cuLaunchKernel(Kernel("affine"), 1, 1, 1, 1, 1, 1, 0, kNoStream,
                           nullptr, extra));
  Must(cu().cuStreamSynchronize(kNoStream));
  EXPECT_EQ(Read(word_, 1), Words{17});
}

TEST_P(LaunchTest, RefusesArgumentsInTwoForms) {
  UseWord();
  Arguments<CUdeviceptr, uint32_t, uint32_t, uint32_t> arguments(word_, 1, 4,
                                                                 5);
  struct {
    CUdeviceptr data;
    uint32_t count, factor, term;
  } block{word_, 1, 4, 5};
  size_t bytes = 20;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block,
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  EXPECT_EQ(cu().cuLaunchKernel(Kernel("affine"), 1, 1, 1, 1, 1, 1, 0,
                                kNoStream, arguments.pointers(), extra),
            CUDA_ERROR_INVALID_VALUE);
  ExpectUntouched();
}

TEST_P(LaunchTest, CopiesArgumentsBeforeItReturns) {
  const CUdeviceptr word = Buffer({1});
  const CUstream stream = Stream();
  Must(LaunchSlowAffine(stream, word, 2, 1));
  Arguments<CUdeviceptr, uint32_t, uint32_t, uint32_t> arguments(word, 1, 10,
                                                                 7);
  Must(cu().cuLaunchKernel(Kernel("affine"), 1, 1, 1, 1, 1, 1, 0, stream,
                           arguments.pointers(), nullptr));
  arguments.Set<0>(CUdeviceptr{0});
  arguments.Set<2>(uint32_t{0});
  arguments.Set<3>(uint32_t{0});
  Must(cu().cuStreamSynchronize(stream));
  EXPECT_EQ(Read(word, 1), Words{37});
}

TEST_P(LaunchTest, RefusesEmptyShapes) {
  UseWord();
  EXPECT_EQ(LaunchShape({0, 1, 1}, {1, 1, 1}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(LaunchShape({1, 0, 1}, {1, 1, 1}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(LaunchShape({1, 1, 0}, {1, 1, 1}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(LaunchShape({1, 1, 1}, {0, 1, 1}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(LaunchShape({1, 1, 1}, {1, 1, 0}), CUDA_ERROR_INVALID_VALUE);
  ExpectUntouched();
}

TEST_P(LaunchTest, RefusesShapesBeyondTheDevice) {
  UseWord();
  EXPECT_EQ(LaunchShape({1, 65536, 1}, {1, 1, 1}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(LaunchShape({1, 1, 65536}, {1, 1, 1}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(LaunchShape({1, 1, 1}, {1025, 1, 1}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(LaunchShape({1, 1, 1}, {1, 1, 65}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(LaunchShape({1, 1, 1}, {512, 3, 1}), CUDA_ERROR_INVALID_VALUE);
  ExpectUntouched();
}

TEST_P(LaunchTest, RefusesMoreThreadsThanTheKernelDeclares) {
  const CUdeviceptr out = Buffer(Words(65, 1000));
  Must(Launch(kNoStream, "rotate_block", 1, kRotateThreads, out));
  EXPECT_NE(Launch(kNoStream, "rotate_block", 1, kRotateThreads + 1, out),
            CUDA_SUCCESS);
  Must(cu().cuStreamSynchronize(kNoStream));
  Words expected(65, 1000);
  for (uint32_t i = 0; i < 64; ++i) expected[i] = (i + 1) % 64;
  EXPECT_EQ(Read(out, 65), expected);
}

TEST_P(LaunchTest, RefusesMoreSharedMemoryThanIsAllowed) {
  UseWord();
  EXPECT_EQ(LaunchShape({1, 1, 1}, {1, 1, 1}, 49 * 1024),
            CUDA_ERROR_INVALID_VALUE);
  ExpectUntouched();
}

TEST_P(LaunchTest, AllowsMoreSharedMemoryOnceTheFunctionWasTold) {
  UseWord();
  Must(cu().cuFuncSetAttribute(Kernel("affine"),
                               CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               60 * 1024));
  Must(LaunchShape({1, 1, 1}, {1, 1, 1}, 60 * 1024));
  Must(cu().cuStreamSynchronize(kNoStream));
  EXPECT_EQ(Read(word_, 1), Words{7});
}

TEST_P(LaunchTest, RefusesNullFunctions) {
  EXPECT_EQ(cu().cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, kNoStream,
                                nullptr, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
}

TEST_P(LaunchTest, GivesEveryBlockDynamicSharedMemoryOfItsOwn) {
  const uint32_t blocks = 9;
  const uint32_t threads = 100;
  Words words(blocks * threads);
  std::iota(words.begin(), words.end(), 0u);
  const CUdeviceptr data = Buffer(words);
  Arguments<CUdeviceptr> arguments(data);
  Must(cu().cuLaunchKernel(Kernel("reverse_block"), blocks, 1, 1, threads, 1, 1,
                           threads * 4, kNoStream, arguments.pointers(),
                           nullptr));
  Must(cu().cuStreamSynchronize(kNoStream));
  Words expected;
  for (uint32_t b = 0; b < blocks; ++b) {
    for (uint32_t t = 0; t < threads; ++t) {
      expected.push_back(b * threads + threads - 1 - t);
    }
  }
  EXPECT_EQ(Read(data, words.size()), expected);
}

TEST_P(LaunchTest, ComputesFusedMultiplyAddsAsTheHostDoes) {
  const size_t count = 1000;
  std::vector<float> x(count), y(count), expected(count);
  for (size_t i = 0; i < count; ++i) {
    x[i] = 1.0f / static_cast<float>(i + 3);
    y[i] = std::sqrt(static_cast<float>(i));
    expected[i] = std::fma(1.7f, x[i], y[i]);
  }
  const CUdeviceptr device_x = Allocate(count * 4);
  const CUdeviceptr device_y = Allocate(count * 4);
  Must(cu().cuMemcpyHtoD(device_x, x.data(), count * 4));
  Must(cu().cuMemcpyHtoD(device_y, y.data(), count * 4));
  Must(Launch(kNoStream, "saxpy", 8, 128, device_y, device_x,
              static_cast<uint32_t>(count), 1.7f));
  Must(cu().cuMemcpyDtoH(y.data(), device_y, count * 4));
  EXPECT_EQ(y, expected);
}

TEST_P(LaunchTest, LeavesWhatItsThreadsDoNotReach) {
  const CUdeviceptr data = Buffer(Words(300, 2));
  Must(Launch(kNoStream, "affine", 4, 64, data, 200u, 3u, 1u));
  Must(cu().cuStreamSynchronize(kNoStream));
  Words expected(300, 2);
  for (size_t i = 0; i < 200; ++i) expected[i] = 7;
  EXPECT_EQ(Read(data, 300), expected);
}

}  // namespace
}  // namespace graphd
