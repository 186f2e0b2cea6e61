// One GPU, real or software: its primary context, the plans instantiated on it.
//
// Device opens the context; Instantiate loads a plan's images, reserves its
// arenas and builds an executor; Instance runs it. An instance never overlaps
// itself.
//
// Thread safety: thread-compatible; one owner thread per Device and its
// instances.
#ifndef GRAPHD_CORE_EXEC_DEVICE_H_
#define GRAPHD_CORE_EXEC_DEVICE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/driver/driver_table.h"
#include "core/graph/scalar.h"
#include "core/plan/device_description.h"
#include "core/plan/plan.h"

namespace graphd {

enum class ExecutorKind : uint8_t { kCudaGraph, kSequential };

struct BoundInput {
  std::string name;
  absl::Span<const char> bytes;  // exactly the buffer's size
};

struct BoundOutput {
  std::string name;
  absl::Span<char>
      bytes;  // exactly the buffer's size; written when the run succeeds
};

struct RunArguments {
  std::vector<BoundInput> inputs;  // every INPUT of the graph, once
  std::vector<std::pair<std::string, Scalar>> parameters;
  std::vector<BoundOutput> outputs;  // those that are wanted
  uint64_t count = 1;                // executions; outputs are the last one's
};

struct RunReport {
  // Filled by a clock that the caller hands to Device::Open; all zero without
  // one.
  uint64_t copy_in_ns = 0;   // client bytes to staging
  uint64_t execute_ns = 0;   // first launch to completion
  uint64_t copy_out_ns = 0;  // staging to client bytes
  ExecutorKind executor = ExecutorKind::kCudaGraph;
  std::optional<FaultDetail> fault;
  bool context_lost = false;  // sticky error: the process must end
};

class Instance {
 public:
  virtual ~Instance() = default;

  // Errors: INVALID_ARGUMENT (missing, unknown or wrong-sized binding;
  // parameter unknown or out of range, each named), ABORTED (a kernel faulted),
  // RESOURCE_EXHAUSTED.
  virtual absl::Status Run(const RunArguments& arguments,
                           RunReport& report) = 0;

  // Fills the arenas with `pattern` so that a read of bytes that nothing wrote
  // shows; for tests and checking.
  virtual absl::Status Poison(uint8_t pattern) = 0;

  virtual const Plan& plan() const = 0;
  virtual ExecutorKind executor() const = 0;
  // The CUDA graph that cuda_graph launches; null for sequential. For tests
  // that read it back.
  virtual CUgraph cuda_graph() const = 0;
};

class Device {
 public:
  using NowNs = uint64_t (*)();

  // Retains the primary context of device `ordinal`. `driver` outlives the
  // device.
  static absl::StatusOr<std::unique_ptr<Device>> Open(const DriverTable& driver,
                                                      int ordinal,
                                                      NowNs now_ns = nullptr);
  ~Device();

  // Errors: INVALID_ARGUMENT (image does not load, function missing),
  // FAILED_PRECONDITION (compiled for another device class or capability),
  // RESOURCE_EXHAUSTED (arena), INTERNAL (instantiation refused: names stage,
  // step and result).
  absl::StatusOr<std::unique_ptr<Instance>> Instantiate(PlanPtr plan,
                                                        ExecutorKind executor);

  const DeviceDescription& description() const { return description_; }
  const DriverTable& driver() const { return driver_; }

 private:
  Device(const DriverTable& driver, CUdevice device, CUcontext context,
         NowNs now_ns);

  const DriverTable& driver_;
  CUdevice device_;
  CUcontext context_;
  NowNs now_ns_;
  DeviceDescription description_;
};

}  // namespace graphd

#endif  // GRAPHD_CORE_EXEC_DEVICE_H_
