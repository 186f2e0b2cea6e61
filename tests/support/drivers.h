// The providers of the driver table that this machine has: the software GPU
// always, libcuda where it opens.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_TESTS_SUPPORT_DRIVERS_H_
#define GRAPHD_TESTS_SUPPORT_DRIVERS_H_

#include <string>
#include <vector>

#include "core/driver/driver_table.h"

namespace graphd {

struct NamedDriver {
  std::string name;  // "Software", "Libcuda": the suffix of parameterised tests
  DriverTable table;
};

// Opened once; says on stderr why a provider is left out.
const std::vector<NamedDriver>& TestDrivers();

}  // namespace graphd

#endif  // GRAPHD_TESTS_SUPPORT_DRIVERS_H_
