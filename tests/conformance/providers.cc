#include <chrono>

#include "core/driver/libcuda_provider.h"
#include "core/softgpu/software_provider.h"
#include "tests/conformance/conformance_test.h"

namespace graphd {
namespace {

uint64_t NowNs() {
  return std::chrono::steady_clock::now().time_since_epoch() /
         std::chrono::nanoseconds(1);
}

}  // namespace

const std::vector<Provider>& Providers() {
  static const auto& providers = *[] {
    softgpu::SoftwareGpuOptions options;
    options.devices = 2;
    options.memory_bytes = uint64_t{256} << 20;
    options.now_ns = NowNs;
    return new std::vector<Provider>{
        {"Software", softgpu::SoftwareDriver(options)},
        {"Libcuda", LibcudaDriver()}};
  }();
  return providers;
}

}  // namespace graphd
