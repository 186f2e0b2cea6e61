#include "tests/support/drivers.h"

#include <cstdio>

#include "core/driver/libcuda_provider.h"
#include "core/softgpu/software_provider.h"

namespace graphd {

const std::vector<NamedDriver>& TestDrivers() {
  static const std::vector<NamedDriver>& drivers = *[] {
    auto* found = new std::vector<NamedDriver>;
    found->push_back({"Software", softgpu::SoftwareDriver()});
    const auto libcuda = LibcudaDriver();
    if (libcuda.ok()) {
      found->push_back({"Libcuda", *libcuda});
    } else {
      std::fprintf(stderr, "skipped on libcuda: %s\n",
                   libcuda.status().ToString().c_str());
    }
    return found;
  }();
  return drivers;
}

}  // namespace graphd
