#include "core/softgpu/software_provider.h"

#include "core/softgpu/api.h"
#include "core/softgpu/software_gpu.h"

namespace graphd::softgpu {

DriverTable SoftwareDriver(const SoftwareGpuOptions& options) {
  SoftwareGpu::Start(options);
  DriverTable driver;
#define GRAPHD_DRIVER_REQUIRED(name) driver.name = api::name;
#define GRAPHD_DRIVER_OPTIONAL(name) driver.name = api::name;
#include "core/driver/functions.def"
#undef GRAPHD_DRIVER_REQUIRED
#undef GRAPHD_DRIVER_OPTIONAL
  driver.is_software = true;
  driver.fault_detail = api::FaultDetailOfCurrent;
  driver.stop_kernels = api::StopKernelsOfCurrent;
  return driver;
}

}  // namespace graphd::softgpu
