// A loaded module and a function in it, as handles stand for them.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_SOFTGPU_MODULE_STATE_H_
#define GRAPHD_CORE_SOFTGPU_MODULE_STATE_H_

#include <atomic>
#include <memory>
#include <mutex>

#include "absl/container/flat_hash_map.h"
#include "core/driver/driver_table.h"
#include "core/softgpu/context.h"
#include "core/softgpu/program.h"

namespace graphd::softgpu {

struct Module {
  std::shared_ptr<Context> context;
  std::unique_ptr<Program> program;
  std::atomic<bool> unloaded{false};  // its variables' memory is gone
  std::mutex mutex;                   // of functions
  absl::flat_hash_map<const Kernel*, CUfunction> functions;  // given out so far
};

struct Function {
  std::shared_ptr<Module> module;
  const Kernel* kernel = nullptr;  // of module->program
  std::atomic<uint32_t> max_dynamic_shared_bytes{0};
  std::atomic<int> carveout_percent{-1};
};

}  // namespace graphd::softgpu

#endif  // GRAPHD_CORE_SOFTGPU_MODULE_STATE_H_
