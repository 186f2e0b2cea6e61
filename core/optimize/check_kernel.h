// Compares a kernel node with the kernel that it launches: arguments with
// parameters, the launch with the kernel's own limits, declared accesses with
// what the code does.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_OPTIMIZE_CHECK_KERNEL_H_
#define GRAPHD_CORE_OPTIMIZE_CHECK_KERNEL_H_

#include <string>

#include "core/graph/graph.h"
#include "core/graph/violation.h"
#include "core/optimize/kernel_table.h"

namespace graphd {

// Adds what is wrong with `node`, whose path is `path`.
// Requires: kernel.code is not null.
void CheckKernelNode(const Graph& graph, const KernelNode& node,
                     const TableKernel& kernel, const std::string& path,
                     Violations& violations);

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_CHECK_KERNEL_H_
