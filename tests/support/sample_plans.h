// Plans written by hand, for tests of what comes after the compiler.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_TESTS_SUPPORT_SAMPLE_PLANS_H_
#define GRAPHD_TESTS_SUPPORT_SAMPLE_PLANS_H_

#include <cstdint>

#include "core/plan/plan.h"

namespace graphd {

// y = a * x over `elements` floats: upload, one kernel with parameter "a"
// (default 2, at most 100), download. Blocks are 64 threads; parameter "blocks"
// is the grid's x dimension and defaults to what covers all elements.
Plan ScalePlan(const DeviceDescription& device, uint32_t elements);

// y = (x + 1) + (x + 2) over `elements` words of 32 bits: two branches on two
// streams between one upload and one join.
Plan ForkJoinPlan(const DeviceDescription& device, uint32_t elements);

// A kernel that adds 1 to the module variable "counter" (initially 41); the
// variable is reset before and copied to "out" after. One execution returns 42,
// any number of executions too.
Plan CounterPlan(const DeviceDescription& device);

// `length` kernels in a row, each adding 1 to every word of y, which starts as
// a copy of x: `elements` words of 32 bits, a multiple of 64.
Plan ChainPlan(const DeviceDescription& device, uint32_t elements,
               uint32_t length);

// One kernel that stores to address 64 + 4 * tid: a fault on any device.
Plan FaultPlan(const DeviceDescription& device);

}  // namespace graphd

#endif  // GRAPHD_TESTS_SUPPORT_SAMPLE_PLANS_H_
