#include "core/driver/libcuda_provider.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace graphd {
namespace {

using ::testing::HasSubstr;

TEST(LibcudaProviderTest, ALibraryThatIsNotThereIsNamed) {
  const auto driver = LibcudaDriver("libno_such_driver.so.1");
  EXPECT_EQ(driver.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(driver.status().message()),
              HasSubstr("cannot open libno_such_driver.so.1"));
}

TEST(LibcudaProviderTest, AMissingFunctionIsNamedByItsSymbol) {
  const auto driver = LibcudaDriver("libm.so.6");
  EXPECT_EQ(driver.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(std::string(driver.status().message()),
            "libm.so.6 has no function cuInit");
}

}  // namespace
}  // namespace graphd
