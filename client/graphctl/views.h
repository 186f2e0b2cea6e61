// Messages of the daemon as tables and pages for people.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CLIENT_GRAPHCTL_VIEWS_H_
#define GRAPHD_CLIENT_GRAPHCTL_VIEWS_H_

#include <string>
#include <vector>

#include "graphd/v1/device.pb.h"
#include "graphd/v1/execution.pb.h"
#include "graphd/v1/graph.pb.h"

namespace graphd::graphctl {

// What `-o name` prints: something that other commands take.
std::string GraphName(const v1::GraphRecord& record);
std::string DeviceName(const v1::Device& device);

std::string GraphTable(const std::vector<v1::GraphRecord>& records, bool wide);
std::string DeviceTable(const std::vector<v1::Device>& devices, bool wide);
std::string KernelTable(const v1::GraphSummary& summary);

// Pages of `describe`.
std::string DescribeGraph(const v1::GraphRecord& record);
std::string DescribeDevice(const v1::Device& device);

// "f32", "" when unspecified.
std::string TypeName(v1::ScalarType type);
// "cuda_graph", "sequential".
std::string ExecutorName(v1::Executor executor);

// A plan as a tree in 80 columns, and for Graphviz.
std::string PlanText(const v1::Plan& plan);
std::string PlanDot(const v1::Plan& plan);

}  // namespace graphd::graphctl

#endif  // GRAPHD_CLIENT_GRAPHCTL_VIEWS_H_
