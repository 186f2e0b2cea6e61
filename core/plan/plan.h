// A Plan is how a graph runs on one class of device: ordered steps with streams
// and waits, a memory layout, images.
//
// Immutable and self-contained: an executor needs a Plan and a driver table,
// nothing else. Device memory is one arena; every buffer has a fixed offset in
// it. Steps stand in issue order: a step's waits name earlier steps. Two steps
// are ordered iff a path of (same stream, earlier) and (wait) leads from one to
// the other; these are exactly the edges of the CUDA graph that the executor
// builds.
//
// Thread safety: immutable.
#ifndef GRAPHD_CORE_PLAN_PLAN_H_
#define GRAPHD_CORE_PLAN_PLAN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/base/digest.h"
#include "core/base/ids.h"
#include "core/graph/graph.h"
#include "core/plan/device_description.h"

namespace graphd {

enum class ImageKind : uint8_t { kPtx, kCubin };

// A module as the driver loads it. Fused kernels are in images of their own.
struct PlanImage {
  ImageKind kind = ImageKind::kPtx;
  std::string code;  // PTX text with explicit rounding, or cubin bytes
  bool writes_variables =
      false;  // loaded once per instance, never shared between instances
};

enum class BufferPlace : uint8_t {
  kDeviceArena,     // offset_bytes in the device arena
  kHostArena,       // offset_bytes in the pinned host arena
  kModuleVariable,  // `symbol` of `image`
};

struct PlanBuffer {
  std::string name;  // the graph's buffer; "x (host)" for staging;
                     // "module::symbol" for a variable
  BufferPlace place = BufferPlace::kDeviceArena;
  uint64_t size_bytes = 0;
  uint64_t offset_bytes = 0;
  ImageId image;                // kModuleVariable, and variable_image below
  std::string symbol;           // kModuleVariable, and variable_image below
  bool variable_image = false;  // kHostArena: the executor fills it at load
                                // with the variable's initial bytes
};

// A client's buffer as a run binds it: bytes land in, or come from, a
// kHostArena buffer.
struct PlanBinding {
  std::string name;  // the graph's INPUT or OUTPUT buffer
  BufferId buffer;   // where the client's bytes go, or come from
};

// Which of a run's `count` executions need this step; the others skip it.
enum class RunPhase : uint8_t { kEvery, kFirst, kLast };

// Arguments reuse the graph's variants; BufferId indexes Plan::buffers,
// ParameterId indexes Plan::parameters.
struct KernelStep {
  ImageId image;
  std::string function;  // entry name in the image
  LaunchShape grid;
  LaunchShape block;
  uint32_t shared_bytes = 0;
  std::vector<Argument> args;
};

struct MemcpyStep {
  BufferId src;
  uint64_t src_offset_bytes = 0;
  uint64_t src_pitch_bytes = 0;
  BufferId dst;
  uint64_t dst_offset_bytes = 0;
  uint64_t dst_pitch_bytes = 0;
  uint64_t width_bytes = 0;
  uint64_t height = 1;
};

using MemsetStep = MemsetNode;  // dst indexes Plan::buffers

struct EmptyStep {};

using StepBody = std::variant<KernelStep, MemcpyStep, MemsetStep, EmptyStep>;

struct PlanStep {
  std::string name;                // unique in the plan
  std::vector<std::string> nodes;  // the graph's nodes that this step carries
                                   // out; empty for inserted steps
  StepBody body;
  StreamId stream;
  std::vector<StepId> waits;  // earlier steps of other streams, ascending
  RunPhase phase = RunPhase::kEvery;
  std::vector<Access> accesses;  // what the step touches; BufferId indexes
                                 // Plan::buffers. For verify and explain
};

struct Plan {
  static constexpr uint32_t kFormatVersion = 1;

  Digest graph;              // digest of the graph
  DeviceDescription device;  // what it was compiled for
  std::vector<PlanImage> images;
  std::vector<PlanBuffer> buffers;
  std::vector<Parameter> parameters;
  std::vector<PlanBinding> inputs;
  std::vector<PlanBinding> outputs;
  std::vector<PlanStep> steps;  // issue order
  uint32_t stream_count = 1;
  uint64_t device_arena_bytes = 0;
  uint64_t host_arena_bytes = 0;
};

using PlanPtr = std::shared_ptr<const Plan>;

// Index of the previous step on the same stream for each step; -1 for the first
// of a stream. With PlanStep::waits these are the edges of the plan.
std::vector<int64_t> PreviousOnStream(const Plan& plan);

}  // namespace graphd

#endif  // GRAPHD_CORE_PLAN_PLAN_H_
