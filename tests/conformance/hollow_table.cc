#include "tests/conformance/hollow_table.h"

namespace graphd {
namespace {

template <typename Function>
struct Hollow;

template <typename... Arguments>
struct Hollow<CUresult (*)(Arguments...)> {
  static CUresult Do(Arguments...) { return CUDA_SUCCESS; }
};

}  // namespace

DriverTable HollowTable() {
  DriverTable table;
#define GRAPHD_DRIVER_REQUIRED(name) \
  table.name = Hollow<decltype(table.name)>::Do;
#define GRAPHD_DRIVER_OPTIONAL(name) GRAPHD_DRIVER_REQUIRED(name)
#include "core/driver/functions.def"
#undef GRAPHD_DRIVER_REQUIRED
#undef GRAPHD_DRIVER_OPTIONAL
  // As the software GPU, so that the tests of its own promises run too.
  table.is_software = true;
  table.fault_detail = [](FaultDetail*) { return false; };
  table.stop_kernels = [] {};
  return table;
}

}  // namespace graphd
