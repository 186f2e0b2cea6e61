// CUDA C++ to PTX, by NVRTC opened at run time.
//
// Options come from an allowed list; what files a source sees is the business
// of file_access.h. What was compiled is remembered by (source, options, name
// expressions, architecture).
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_SERVER_WORKERS_NVRTC_H_
#define GRAPHD_SERVER_WORKERS_NVRTC_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/digest.h"
#include "core/graph/graph.h"

namespace graphd {

// What NVRTC made of a module.
struct CompiledSource {
  std::string ptx;
  // Name expression -> PTX entry name.
  std::vector<std::pair<std::string, std::string>> lowered_names;
};

class Nvrtc {
 public:
  // Opens the newest libnvrtc that it finds.
  // Errors: FAILED_PRECONDITION with the places searched.
  static absl::StatusOr<std::unique_ptr<Nvrtc>> Open();
  ~Nvrtc();
  Nvrtc(const Nvrtc&) = delete;
  Nvrtc& operator=(const Nvrtc&) = delete;

  // PTX of `module` for the newest architecture that NVRTC knows and that is no
  // newer than `capability` (75 for 7.5).
  // Requires: module.kind == kCudaSource.
  // Errors: INVALID_ARGUMENT with the compiler's log, FAILED_PRECONDITION
  // (NVRTC knows no architecture that old).
  absl::StatusOr<CompiledSource> Compile(const Module& module, int capability);

  // "13.0"
  const std::string& version() const { return version_; }

 private:
  struct Functions;
  Nvrtc(void* library, std::unique_ptr<Functions> functions);
  absl::StatusOr<int> ChooseArchitecture(int capability) const;
  absl::StatusOr<CompiledSource> CompileAnew(const Module& module,
                                             int architecture) const;

  void* library_;
  std::unique_ptr<Functions> functions_;
  std::string version_;
  std::string include_dir_;  // empty: none found
  std::vector<int> architectures_;
  std::map<Digest, CompiledSource> compiled_;
  size_t compiled_bytes_ = 0;
};

}  // namespace graphd

#endif  // GRAPHD_SERVER_WORKERS_NVRTC_H_
