// Runs one kernel launch: blocks over a thread pool, each block by a
// BlockRunner.
//
// Thread safety: thread-safe; launches from several threads share the pool.
#ifndef GRAPHD_CORE_SOFTGPU_LAUNCHER_H_
#define GRAPHD_CORE_SOFTGPU_LAUNCHER_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/driver/driver_table.h"
#include "core/softgpu/program.h"

namespace graphd::softgpu {

struct Launch {
  const Kernel* kernel = nullptr;  // kernel->code is not null
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint32_t, 3> block{1, 1, 1};
  uint32_t dynamic_shared_bytes = 0;
  const uint8_t* parameters =
      nullptr;  // signature.block_bytes bytes, natural layout
};

// The bytes that kernels may touch: every access is checked against it.
struct DeviceRange {
  uint64_t begin = 0;
  uint64_t end = 0;
};

class Launcher {
 public:
  // `threads` 0: one per hardware thread.
  explicit Launcher(unsigned threads);
  ~Launcher();
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  // Runs the whole launch and returns its fault, if any. A set `stop` ends it
  // with CUDA_ERROR_LAUNCH_TIMEOUT. Results do not depend on the number of
  // threads, except where the program itself is order-dependent.
  std::optional<FaultDetail> Run(const Launch& launch,
                                 const DeviceRange& memory,
                                 const std::atomic<bool>& stop);

 private:
  struct Pool;
  std::unique_ptr<Pool> pool_;
};

}  // namespace graphd::softgpu

#endif  // GRAPHD_CORE_SOFTGPU_LAUNCHER_H_
