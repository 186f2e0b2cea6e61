#include <cstring>
#include <set>
#include <string>

#include "tests/conformance/conformance_test.h"

namespace graphd {
namespace {

class DeviceTest : public ConformanceTest {
 protected:
  int Count() {
    int count = -1;
    Must(cu().cuDeviceGetCount(&count));
    return count;
  }
  int Attribute(CUdevice_attribute attribute, CUdevice device) {
    int value = -1;
    Must(cu().cuDeviceGetAttribute(&value, attribute, device));
    return value;
  }
};
GRAPHD_CONFORMANCE_SUITE(DeviceTest);

TEST_P(DeviceTest, GivesAHandleForEveryOrdinal) {
  const int count = Count();
  ASSERT_GE(count, 1);
  std::set<CUdevice> devices;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    CUdevice device = -1;
    Must(cu().cuDeviceGet(&device, ordinal));
    devices.insert(device);
  }
  EXPECT_EQ(devices.size(), static_cast<size_t>(count));
  EXPECT_EQ(devices.count(-1), 0u);
}

TEST_P(DeviceTest, RefusesOrdinalsThatDoNotExist) {
  CUdevice device = -1;
  EXPECT_EQ(cu().cuDeviceGet(&device, -1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cu().cuDeviceGet(&device, Count()), CUDA_ERROR_INVALID_DEVICE);
}

TEST_P(DeviceTest, RefusesDevicesThatDoNotExist) {
  const CUdevice wrong = 12345;
  int value = 0;
  size_t bytes = 0;
  CUcontext context = nullptr;
  EXPECT_EQ(
      cu().cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, wrong),
      CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cu().cuDeviceTotalMem(&bytes, wrong), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cu().cuDevicePrimaryCtxRetain(&context, wrong),
            CUDA_ERROR_INVALID_DEVICE);
}

TEST_P(DeviceTest, RefusesNullOutputs) {
  EXPECT_EQ(cu().cuDeviceGetCount(nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().cuDeviceGet(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().cuDriverGetVersion(nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().cuDeviceTotalMem(nullptr, device()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().cuDeviceGetAttribute(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE,
                                      device()),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_P(DeviceTest, HasAName) {
  char name[256];
  std::memset(name, '#', sizeof(name));
  Must(cu().cuDeviceGetName(name, sizeof(name), device()));
  const char* end = static_cast<char*>(std::memchr(name, '\0', sizeof(name)));
  ASSERT_NE(end, nullptr);
  EXPECT_GT(end - name, 3);
}

TEST_P(DeviceTest, CutsItsNameToTheBuffer) {
  char whole[256] = "";
  char cut[5] = "####";
  Must(cu().cuDeviceGetName(whole, sizeof(whole), device()));
  Must(cu().cuDeviceGetName(cut, 4, device()));
  EXPECT_EQ(std::string(cut), std::string(whole).substr(0, 3));
  EXPECT_EQ(std::string(cut).size(), 3u);
}

TEST_P(DeviceTest, HasAUuidThatStaysAndIsItsOwn) {
  std::set<std::string> uuids;
  const int count = Count();
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    CUuuid first{};
    CUuuid second{};
    Must(cu().cuDeviceGetUuid(&first, ordinal));
    Must(cu().cuDeviceGetUuid(&second, ordinal));
    const std::string bytes(first.bytes, sizeof(first.bytes));
    EXPECT_EQ(bytes, std::string(second.bytes, sizeof(second.bytes)));
    EXPECT_NE(bytes, std::string(sizeof(first.bytes), '\0'));
    uuids.insert(bytes);
  }
  EXPECT_EQ(uuids.size(), static_cast<size_t>(count));
}

TEST_P(DeviceTest, CanRunWhatTheDesignNeeds) {
  const int capability =
      10 * Attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device()) +
      Attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device());
  EXPECT_GE(capability, 75);
  EXPECT_EQ(Attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE, device()), 32);
  EXPECT_EQ(Attribute(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, device()), 1);
}

TEST_P(DeviceTest, StatesItsLimits) {
  EXPECT_EQ(Attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, device()),
            1024);
  EXPECT_EQ(Attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, device()), 1024);
  EXPECT_EQ(Attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, device()), 1024);
  EXPECT_EQ(Attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, device()), 64);
  EXPECT_EQ(Attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, device()),
            2147483647);
  EXPECT_EQ(Attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, device()), 65535);
  EXPECT_EQ(Attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, device()), 65535);
  EXPECT_GE(Attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device()), 1);
  const int shared =
      Attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, device());
  EXPECT_GE(shared, 48 * 1024);
  EXPECT_GE(Attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
                      device()),
            shared);
}

TEST_P(DeviceTest, RefusesAttributesThatDoNotExist) {
  int value = 0;
  EXPECT_EQ(cu().cuDeviceGetAttribute(
                &value, static_cast<CUdevice_attribute>(1000000), device()),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_P(DeviceTest, HasMoreMemoryThanIsFree) {
  size_t device_bytes = 0;
  Must(cu().cuDeviceTotalMem(&device_bytes, device()));
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  Must(cu().cuMemGetInfo(&free_bytes, &total_bytes));
  EXPECT_GT(free_bytes, 0u);
  EXPECT_LE(free_bytes, total_bytes);
  EXPECT_LE(total_bytes, device_bytes);
}

TEST_P(DeviceTest, HasADriverOfCuda12OrLater) {
  int version = 0;
  Must(cu().cuDriverGetVersion(&version));
  EXPECT_GE(version, 12000);
}

TEST_P(DeviceTest, NamesAndExplainsErrors) {
  const char* name = nullptr;
  const char* text = nullptr;
  Must(cu().cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &name));
  Must(cu().cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
  ASSERT_NE(name, nullptr);
  ASSERT_NE(text, nullptr);
  EXPECT_STREQ(name, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_GT(std::strlen(text), 10u);
  Must(cu().cuGetErrorName(CUDA_SUCCESS, &name));
  EXPECT_STREQ(name, "CUDA_SUCCESS");
}

TEST_P(DeviceTest, HasNoNameForAnErrorThatDoesNotExist) {
  const char* name = "untouched";
  EXPECT_EQ(cu().cuGetErrorName(static_cast<CUresult>(123456), &name),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(name, nullptr);
}

}  // namespace
}  // namespace graphd
