// What `inspect` found in a file, as text and as JSON.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CLIENT_GRAPHCTL_KERNEL_VIEW_H_
#define GRAPHD_CLIENT_GRAPHCTL_KERNEL_VIEW_H_

#include <optional>
#include <string>
#include <vector>

#include "core/ptx/access_analysis.h"
#include "core/ptx/check.h"

namespace graphd::graphctl {

struct InspectedKernel {
  std::string name;  // as in the PTX
  ptx::KernelFacts facts;
  std::optional<ptx::Unsupported> unsupported;
};

struct InspectedFile {
  std::string path;
  std::string error;  // why it could not be read, compiled or parsed
  std::vector<InspectedKernel> kernels;

  // Whether graphd would run every kernel in it on any device.
  bool Runs() const;
};

std::string InspectionText(const InspectedFile& file);
// One object on one line.
std::string InspectionJson(const InspectedFile& file);

}  // namespace graphd::graphctl

#endif  // GRAPHD_CLIENT_GRAPHCTL_KERNEL_VIEW_H_
