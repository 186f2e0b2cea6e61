#include "core/driver/driver_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace graphd {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The two functions that messages are made of, and a fault to report.
DriverTable Table() {
  DriverTable driver;
  driver.cuGetErrorName = [](CUresult, const char** name) {
    *name = "CUDA_ERROR_NAME";
    return CUDA_SUCCESS;
  };
  driver.cuGetErrorString = [](CUresult, const char** text) {
    *text = "what it means";
    return CUDA_SUCCESS;
  };
  driver.fault_detail = [](FaultDetail* detail) {
    detail->kernel = "k";
    detail->block = {1, 2, 3};
    detail->line = 17;
    detail->message = "store outside";
    return true;
  };
  return driver;
}

TEST(DriverStatusTest, SuccessIsOk) {
  EXPECT_TRUE(ToStatus(Table(), CUDA_SUCCESS, "launching").ok());
}

TEST(DriverStatusTest, TheMessageSaysWhatFailedAndHow) {
  const absl::Status status =
      ToStatus(Table(), CUDA_ERROR_INVALID_VALUE, "adding step \"a\"");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()),
            "adding step \"a\": CUDA_ERROR_NAME (1): what it means");
}

TEST(DriverStatusTest, AStickyErrorSaysWhere) {
  const absl::Status status =
      ToStatus(Table(), CUDA_ERROR_ILLEGAL_ADDRESS, "waiting");
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("kernel \"k\", block (1, 2, 3), thread (0, 0, 0), PTX "
                        "line 17: store outside"));
}

TEST(DriverStatusTest, NotSupportedSaysWhyWhenTheTableKnows) {
  DriverTable driver = Table();
  EXPECT_THAT(
      std::string(
          ToStatus(driver, CUDA_ERROR_NOT_SUPPORTED, "adding").message()),
      Not(HasSubstr("kernel")));
  driver.fault_detail = [](FaultDetail* detail) {
    detail->code = CUDA_ERROR_NOT_SUPPORTED;
    detail->kernel = "k";
    detail->message = "no textures";
    return true;
  };
  const absl::Status status =
      ToStatus(driver, CUDA_ERROR_NOT_SUPPORTED, "adding");
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(std::string(status.message()),
            "adding: CUDA_ERROR_NAME (801): what it means; kernel \"k\": no "
            "textures");
}

TEST(DriverStatusTest, OutOfMemoryIsExhaustedAndNotSticky) {
  EXPECT_FALSE(IsSticky(CUDA_ERROR_OUT_OF_MEMORY));
  EXPECT_EQ(ToStatus(Table(), CUDA_ERROR_OUT_OF_MEMORY, "reserving").code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(DriverStatusTest, TheStickyOnesAreThoseThatLoseTheContext) {
  int sticky = 0;
  for (int code = 0; code < 1000; ++code) {
    sticky += IsSticky(static_cast<CUresult>(code));
  }
  EXPECT_EQ(sticky, 13);
  EXPECT_TRUE(IsSticky(CUDA_ERROR_ILLEGAL_ADDRESS));
  EXPECT_TRUE(IsSticky(CUDA_ERROR_LAUNCH_FAILED));
  EXPECT_FALSE(IsSticky(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));
  EXPECT_FALSE(IsSticky(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE));
}

}  // namespace
}  // namespace graphd
