// A table whose functions do nothing and report success: what no test of the
// suite may take for a driver.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_TESTS_CONFORMANCE_HOLLOW_TABLE_H_
#define GRAPHD_TESTS_CONFORMANCE_HOLLOW_TABLE_H_

#include "core/driver/driver_table.h"

namespace graphd {

// Every function returns CUDA_SUCCESS and leaves its outputs as they were.
DriverTable HollowTable();

}  // namespace graphd

#endif  // GRAPHD_TESTS_CONFORMANCE_HOLLOW_TABLE_H_
