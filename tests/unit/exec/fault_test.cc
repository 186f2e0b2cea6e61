// A fault loses the device for the rest of the process, so this test has a
// program of its own.
#include <gtest/gtest.h>

#include <memory>

#include "core/exec/device.h"
#include "core/softgpu/software_provider.h"
#include "tests/support/sample_plans.h"

namespace graphd {
namespace {

TEST(ExecutorFaultTest,
     AKernelThatFaultsIsReportedWithPlaceAndLosesTheContext) {
  const DriverTable driver = softgpu::SoftwareDriver();
  const auto device = Device::Open(driver, 0);
  ASSERT_TRUE(device.ok());
  const auto instance = (*device)->Instantiate(
      std::make_shared<const Plan>(FaultPlan((*device)->description())),
      ExecutorKind::kCudaGraph);
  ASSERT_TRUE(instance.ok()) << instance.status();
  RunReport report;
  const absl::Status status = (*instance)->Run(RunArguments{}, report);
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(report.context_lost);
  ASSERT_TRUE(report.fault.has_value());
  EXPECT_EQ(report.fault->code, CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(report.fault->kernel, "wild");
  EXPECT_EQ(report.fault->address, 64u);
  EXPECT_EQ(report.fault->line, 67);
}

}  // namespace
}  // namespace graphd
