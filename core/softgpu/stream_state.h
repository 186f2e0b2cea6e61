// A stream and an event, as handles stand for them.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_SOFTGPU_STREAM_STATE_H_
#define GRAPHD_CORE_SOFTGPU_STREAM_STATE_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "core/softgpu/context.h"

namespace graphd::softgpu {

struct Stream {
  std::shared_ptr<Context> context;
};

struct Event {
  std::shared_ptr<Context> context;
  bool timed = true;
  std::atomic<bool> recorded{false};
  std::atomic<uint64_t> time_ns{0};  // of the last record
};

}  // namespace graphd::softgpu

#endif  // GRAPHD_CORE_SOFTGPU_STREAM_STATE_H_
