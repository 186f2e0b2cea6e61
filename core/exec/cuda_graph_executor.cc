#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/driver/driver_status.h"
#include "core/exec/executor.h"
#include "core/exec/kernel_arguments.h"

namespace graphd {
namespace {

class CudaGraphExecutor final : public Executor {
 public:
  CudaGraphExecutor(const LoadedPlan& loaded, CUcontext context,
                    absl::Span<const Scalar> parameters)
      : loaded_(loaded),
        driver_(loaded.driver()),
        context_(context),
        parameters_(parameters.begin(), parameters.end()) {}

  ~CudaGraphExecutor() override {
    if (exec_ != nullptr) driver_.cuGraphExecDestroy(exec_);
    if (graph_ != nullptr) driver_.cuGraphDestroy(graph_);
    if (stream_ != nullptr) driver_.cuStreamDestroy(stream_);
  }

  absl::Status Prepare() {
    GRAPHD_RETURN_IF_ERROR(ToStatus(
        driver_, driver_.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING),
        "creating a stream"));
    GRAPHD_RETURN_IF_ERROR(Build());
    return Instantiate();
  }

  absl::Status SetParameters(absl::Span<const Scalar> values) override {
    std::vector<ParameterId> changed;
    for (size_t i = 0; i < values.size(); ++i) {
      if (stale_ || values[i] != parameters_[i]) {
        changed.push_back(ParameterId(i));
      }
    }
    parameters_.assign(values.begin(), values.end());
    if (changed.empty()) return absl::OkStatus();
    // Until every step is updated, the next run must not trust what the exec
    // holds.
    stale_ = true;
    const Plan& plan = loaded_.plan();
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      const auto* kernel = std::get_if<KernelStep>(&plan.steps[i].body);
      if (kernel == nullptr ||
          std::none_of(changed.begin(), changed.end(),
                       [&](ParameterId p) { return Uses(*kernel, p); })) {
        continue;
      }
      KernelArguments arguments(loaded_, *kernel, parameters_);
      const CUDA_KERNEL_NODE_PARAMS params =
          KernelParams(StepId(i), *kernel, arguments);
      GRAPHD_RETURN_IF_ERROR(ToStatus(
          driver_,
          driver_.cuGraphExecKernelNodeSetParams(exec_, nodes_[i], &params),
          absl::StrCat("updating step \"", plan.steps[i].name, "\"")));
    }
    stale_ = false;
    return absl::OkStatus();
  }

  absl::Status Issue(bool first, bool last) override {
    GRAPHD_RETURN_IF_ERROR(Enable(RunPhase::kFirst, first, first_enabled_));
    GRAPHD_RETURN_IF_ERROR(Enable(RunPhase::kLast, last, last_enabled_));
    return ToStatus(driver_, driver_.cuGraphLaunch(exec_, stream_),
                    "launching the graph");
  }

  absl::Status Wait() override {
    return ToStatus(driver_, driver_.cuStreamSynchronize(stream_),
                    "waiting for the run");
  }

  CUgraph cuda_graph() const override { return graph_; }

 private:
  absl::Status Build() {
    const Plan& plan = loaded_.plan();
    GRAPHD_RETURN_IF_ERROR(ToStatus(driver_, driver_.cuGraphCreate(&graph_, 0),
                                    "creating the graph"));
    const std::vector<int64_t> previous = PreviousOnStream(plan);
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      const PlanStep& step = plan.steps[i];
      std::vector<CUgraphNode> dependencies;
      if (previous[i] >= 0) dependencies.push_back(nodes_[previous[i]]);
      for (StepId wait : step.waits) {
        dependencies.push_back(nodes_[wait.index()]);
      }
      CUgraphNode node = nullptr;
      GRAPHD_RETURN_IF_ERROR(
          ToStatus(driver_, AddNode(StepId(i), step, dependencies, node),
                   absl::StrCat("adding step \"", step.name, "\"")));
      nodes_.push_back(node);
    }
    return absl::OkStatus();
  }

  CUresult AddNode(StepId id, const PlanStep& step,
                   const std::vector<CUgraphNode>& dependencies,
                   CUgraphNode& node) {
    const CUgraphNode* list =
        dependencies.empty() ? nullptr : dependencies.data();
    if (const auto* kernel = std::get_if<KernelStep>(&step.body)) {
      KernelArguments arguments(loaded_, *kernel, parameters_);
      const CUDA_KERNEL_NODE_PARAMS params =
          KernelParams(id, *kernel, arguments);
      return driver_.cuGraphAddKernelNode(&node, graph_, list,
                                          dependencies.size(), &params);
    }
    if (const auto* copy = std::get_if<MemcpyStep>(&step.body)) {
      const CUDA_MEMCPY3D form = CopyParams(*copy);
      return driver_.cuGraphAddMemcpyNode(&node, graph_, list,
                                          dependencies.size(), &form, context_);
    }
    if (const auto* fill = std::get_if<MemsetStep>(&step.body)) {
      CUDA_MEMSET_NODE_PARAMS params{};
      params.dst = loaded_.address(fill->dst) + fill->offset_bytes;
      params.pitch = fill->height == 1 ? 0 : fill->pitch_bytes;
      params.value = fill->pattern;
      params.elementSize = fill->pattern_bytes;
      params.width = fill->width;
      params.height = fill->height;
      return driver_.cuGraphAddMemsetNode(
          &node, graph_, list, dependencies.size(), &params, context_);
    }
    return driver_.cuGraphAddEmptyNode(&node, graph_, list,
                                       dependencies.size());
  }

  CUDA_KERNEL_NODE_PARAMS KernelParams(StepId id, const KernelStep& step,
                                       KernelArguments& arguments) const {
    CUDA_KERNEL_NODE_PARAMS params{};
    params.func = loaded_.function(id);
    params.gridDimX = arguments.grid()[0];
    params.gridDimY = arguments.grid()[1];
    params.gridDimZ = arguments.grid()[2];
    params.blockDimX = arguments.block()[0];
    params.blockDimY = arguments.block()[1];
    params.blockDimZ = arguments.block()[2];
    params.sharedMemBytes = step.shared_bytes;
    params.kernelParams = arguments.pointers();
    return params;
  }

  CUDA_MEMCPY3D CopyParams(const MemcpyStep& copy) const {
    CUDA_MEMCPY3D form{};
    const CUdeviceptr src = loaded_.address(copy.src) + copy.src_offset_bytes;
    const CUdeviceptr dst = loaded_.address(copy.dst) + copy.dst_offset_bytes;
    const bool rows = copy.height > 1;
    if (loaded_.on_host(copy.src)) {
      form.srcMemoryType = CU_MEMORYTYPE_HOST;
      form.srcHost = reinterpret_cast<const void*>(src);
    } else {
      form.srcMemoryType = CU_MEMORYTYPE_DEVICE;
      form.srcDevice = src;
    }
    form.srcPitch = rows ? copy.src_pitch_bytes : copy.width_bytes;
    form.srcHeight = copy.height;
    if (loaded_.on_host(copy.dst)) {
      form.dstMemoryType = CU_MEMORYTYPE_HOST;
      form.dstHost = reinterpret_cast<void*>(dst);
    } else {
      form.dstMemoryType = CU_MEMORYTYPE_DEVICE;
      form.dstDevice = dst;
    }
    form.dstPitch = rows ? copy.dst_pitch_bytes : copy.width_bytes;
    form.dstHeight = copy.height;
    form.WidthInBytes = copy.width_bytes;
    form.Height = copy.height;
    form.Depth = 1;
    return form;
  }

  // WithParams alone can name the node that was refused.
  absl::Status Instantiate() {
    CUDA_GRAPH_INSTANTIATE_PARAMS params{};
    const CUresult result =
        driver_.cuGraphInstantiateWithParams(&exec_, graph_, &params);
    if (result == CUDA_SUCCESS) return absl::OkStatus();
    exec_ = nullptr;
    const auto at =
        std::find(nodes_.begin(), nodes_.end(), params.hErrNode_out);
    const std::string step =
        at == nodes_.end()
            ? std::string("no step is named")
            : absl::StrCat("step \"",
                           loaded_.plan().steps[at - nodes_.begin()].name,
                           "\"");
    return ToStatus(driver_, result,
                    absl::StrCat("instantiating the graph: ", step,
                                 ", instantiate result ", params.result_out));
  }

  // A disabled node is an empty one: its edges still order.
  absl::Status Enable(RunPhase phase, bool enabled, bool& state) {
    if (enabled == state) return absl::OkStatus();
    const Plan& plan = loaded_.plan();
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      if (plan.steps[i].phase != phase) continue;
      GRAPHD_RETURN_IF_ERROR(ToStatus(
          driver_,
          driver_.cuGraphNodeSetEnabled(exec_, nodes_[i], enabled ? 1 : 0),
          absl::StrCat("enabling step \"", plan.steps[i].name, "\"")));
    }
    state = enabled;
    return absl::OkStatus();
  }

  const LoadedPlan& loaded_;
  const DriverTable& driver_;
  CUcontext context_;
  std::vector<Scalar> parameters_;
  CUstream stream_ = nullptr;
  CUgraph graph_ = nullptr;  // kept: updates name its nodes
  CUgraphExec exec_ = nullptr;
  std::vector<CUgraphNode> nodes_;  // by step
  bool stale_ = false;              // an update of the exec failed half way
  bool first_enabled_ = true;
  bool last_enabled_ = true;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Executor>> MakeCudaGraphExecutor(
    const LoadedPlan& loaded, CUcontext context,
    absl::Span<const Scalar> parameters) {
  auto executor =
      std::make_unique<CudaGraphExecutor>(loaded, context, parameters);
  GRAPHD_RETURN_IF_ERROR(executor->Prepare());
  return executor;
}

}  // namespace graphd
