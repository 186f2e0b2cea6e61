// Executable graphs: instantiation, updates, launch.
#include <memory>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

#include "core/softgpu/api.h"
#include "core/softgpu/graph_access.h"
#include "core/softgpu/result_macros.h"
#include "core/softgpu/software_gpu.h"

namespace graphd::softgpu::api {
namespace {

constexpr uint64_t kUpload = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
constexpr uint64_t kDeviceLaunch = CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
// Both change nothing here: there are no memory nodes, and one priority.
constexpr uint64_t kHarmless = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH |
                               CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;

struct Outcome {
  CUresult result = CUDA_SUCCESS;
  CUgraphInstantiateResult detail = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  CUgraphNode node = nullptr;
};

Outcome Failed(CUresult result) {
  return {result, CUDA_GRAPH_INSTANTIATE_ERROR, nullptr};
}

Outcome Instantiate(CUgraphExec* exec, CUgraph graph, uint64_t flags) {
  SoftwareGpu& gpu = SoftwareGpu::Get();
  LockedGraph locked;
  if (const CUresult result = locked.Find(graph); result != CUDA_SUCCESS) {
    return Failed(result);
  }
  GraphNode* stuck = nullptr;
  const std::vector<GraphNode*> order = locked.graph->TopologicalOrder(&stuck);
  if (stuck != nullptr) {
    return {CUDA_ERROR_INVALID_VALUE, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE,
            stuck->handle};
  }
  auto made = std::make_shared<GraphExec>();
  made->flags = flags;
  for (const GraphNode* node : order) {
    made->index.emplace(node->handle, made->nodes.size());
    made->nodes.push_back({node->handle, node->type, node->work, true});
    const Context* context = ContextOf(node->work);
    if (context != nullptr && context->state() != CUDA_SUCCESS) {
      return {context->state(), CUDA_GRAPH_INSTANTIATE_ERROR, node->handle};
    }
  }
  *exec = gpu.execs.Add(std::move(made));
  return {};
}

struct LockedExec {
  std::shared_ptr<GraphExec> exec;
  std::unique_lock<std::mutex> lock;

  CUresult Find(CUgraphExec handle) {
    SoftwareGpu& gpu = SoftwareGpu::Get();
    GRAPHD_RETURN_IF_FAILED(gpu.CheckInitialised());
    exec = gpu.execs.Find(handle);
    if (exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
    lock = std::unique_lock(exec->mutex);
    return CUDA_SUCCESS;
  }

  // The exec's own node. An error when the node is not, or no longer, in the
  // graph that was instantiated.
  CUresult Node(CUgraphNode handle, ExecNode** node) {
    const auto it = exec->index.find(handle);
    if (it == exec->index.end() ||
        SoftwareGpu::Get().nodes.Find(handle) == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *node = &exec->nodes[it->second];
    return CUDA_SUCCESS;
  }

  CUresult Node(CUgraphNode handle, CUgraphNodeType type, ExecNode** node) {
    GRAPHD_RETURN_IF_FAILED(Node(handle, node));
    return (*node)->type == type ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  }
};

bool CanBeDisabled(CUgraphNodeType type) {
  return type == CU_GRAPH_NODE_TYPE_KERNEL ||
         type == CU_GRAPH_NODE_TYPE_MEMCPY || type == CU_GRAPH_NODE_TYPE_MEMSET;
}

bool IsOneRow(const CUDA_MEMCPY3D& form) {
  return form.Height == 1 && form.Depth == 1;
}

// A context for an update: the node's own.
CUresult CheckContext(CUcontext handle, const Context* own) {
  const auto context = SoftwareGpu::Get().contexts.Find(handle);
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  return context.get() == own ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph,
                                     unsigned long long flags) {
  GRAPHD_RETURN_IF_FAILED(SoftwareGpu::Get().CheckInitialised());
  if (exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if ((flags & kDeviceLaunch) != 0) return CUDA_ERROR_NOT_SUPPORTED;
  if ((flags & ~kHarmless) != 0) return CUDA_ERROR_INVALID_VALUE;
  return Instantiate(exec, graph, flags).result;
}

CUresult cuGraphInstantiateWithParams(CUgraphExec* exec, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
  GRAPHD_RETURN_IF_FAILED(SoftwareGpu::Get().CheckInitialised());
  if (exec == nullptr || params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Outcome outcome;
  if ((params->flags & kDeviceLaunch) != 0) {
    outcome = {CUDA_ERROR_NOT_SUPPORTED,
               CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED, nullptr};
  } else if ((params->flags & ~(kHarmless | kUpload)) != 0) {
    outcome = Failed(CUDA_ERROR_INVALID_VALUE);
  } else {
    std::shared_ptr<Context> context;
    const CUresult stream =
        (params->flags & kUpload) == 0
            ? CUDA_SUCCESS
            : SoftwareGpu::Get().StreamContext(params->hUploadStream, &context);
    outcome = stream == CUDA_SUCCESS ? Instantiate(exec, graph, params->flags)
                                     : Failed(stream);
  }
  params->result_out = outcome.detail;
  params->hErrNode_out = outcome.node;
  return outcome.result;
}

CUresult cuGraphExecGetFlags(CUgraphExec handle, cuuint64_t* flags) {
  if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
  LockedExec locked;
  GRAPHD_RETURN_IF_FAILED(locked.Find(handle));
  *flags = locked.exec->flags;
  return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec handle) {
  SoftwareGpu& gpu = SoftwareGpu::Get();
  GRAPHD_RETURN_IF_FAILED(gpu.CheckInitialised());
  // A launch of another thread that still runs keeps it alive.
  return gpu.execs.Remove(handle) == nullptr ? CUDA_ERROR_INVALID_VALUE
                                             : CUDA_SUCCESS;
}

CUresult cuGraphUpload(CUgraphExec handle, CUstream stream) {
  std::shared_ptr<Context> context;
  GRAPHD_RETURN_IF_FAILED(SoftwareGpu::Get().StreamContext(stream, &context));
  LockedExec locked;
  return locked.Find(handle);  // nothing is left to prepare
}

CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream) {
  SoftwareGpu& gpu = SoftwareGpu::Get();
  gpu.ClearRefusal();  // its kernels were accepted as nodes
  std::shared_ptr<Context> context;
  GRAPHD_RETURN_IF_FAILED(gpu.StreamContext(stream, &context));
  LockedExec locked;
  GRAPHD_RETURN_IF_FAILED(locked.Find(handle));
  Turn::Contexts contexts = {context.get()};
  for (const ExecNode& node : locked.exec->nodes) {
    Context* own = ContextOf(node.work);
    if (own != nullptr && own != contexts.back()) contexts.push_back(own);
  }
  Turn turn(std::move(contexts));
  GRAPHD_RETURN_IF_FAILED(context->state());
  for (const ExecNode& node : locked.exec->nodes) {
    if (node.enabled) GRAPHD_RETURN_IF_FAILED(Run(node.work));
  }
  return CUDA_SUCCESS;
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec handle, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  LockedExec locked;
  ExecNode* own = nullptr;
  GRAPHD_RETURN_IF_FAILED(locked.Find(handle));
  GRAPHD_RETURN_IF_FAILED(locked.Node(node, CU_GRAPH_NODE_TYPE_KERNEL, &own));
  KernelWork work;
  GRAPHD_RETURN_IF_FAILED(MakeKernelWork(*params, &work));
  // The function may change, its context may not.
  if (work.function->module->context.get() != ContextOf(own->work)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  own->work = std::move(work);
  return CUDA_SUCCESS;
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec handle, CUgraphNode node,
                                        const CUDA_MEMCPY3D* params,
                                        CUcontext context) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  LockedExec locked;
  ExecNode* own = nullptr;
  GRAPHD_RETURN_IF_FAILED(locked.Find(handle));
  GRAPHD_RETURN_IF_FAILED(locked.Node(node, CU_GRAPH_NODE_TYPE_MEMCPY, &own));
  auto& now = std::get<CopyWork>(own->work);
  GRAPHD_RETURN_IF_FAILED(CheckContext(context, now.context.get()));
  // Addresses and the length of a row may change; shape and mapping may not.
  if (!IsOneRow(now.form) || !IsOneRow(*params)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  CopyWork work;
  GRAPHD_RETURN_IF_FAILED(MakeCopyWork(*params, now.context, &work));
  if (params->srcMemoryType != now.form.srcMemoryType ||
      params->dstMemoryType != now.form.dstMemoryType ||
      work.source_place != now.source_place ||
      work.target_place != now.target_place) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  now = std::move(work);
  return CUDA_SUCCESS;
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec handle, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS* params,
                                        CUcontext context) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  LockedExec locked;
  ExecNode* own = nullptr;
  GRAPHD_RETURN_IF_FAILED(locked.Find(handle));
  GRAPHD_RETURN_IF_FAILED(locked.Node(node, CU_GRAPH_NODE_TYPE_MEMSET, &own));
  auto& now = std::get<FillWork>(own->work);
  GRAPHD_RETURN_IF_FAILED(CheckContext(context, now.context.get()));
  FillWork work;
  GRAPHD_RETURN_IF_FAILED(MakeFillWork(*params, now.context, &work));
  // Rows keep their shape; one row may become longer, shorter or of other
  // elements.
  const CUDA_MEMSET_NODE_PARAMS& old = now.form;
  const bool same_rows =
      params->height == old.height &&
      (old.height == 1 ||
       (params->width == old.width && params->pitch == old.pitch &&
        params->elementSize == old.elementSize));
  if (!same_rows || work.place != now.place) return CUDA_ERROR_INVALID_VALUE;
  now = std::move(work);
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeSetEnabled(CUgraphExec handle, CUgraphNode node,
                               unsigned int is_enabled) {
  LockedExec locked;
  ExecNode* own = nullptr;
  GRAPHD_RETURN_IF_FAILED(locked.Find(handle));
  GRAPHD_RETURN_IF_FAILED(locked.Node(node, &own));
  if (!CanBeDisabled(own->type)) return CUDA_ERROR_INVALID_VALUE;
  own->enabled = is_enabled != 0;
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetEnabled(CUgraphExec handle, CUgraphNode node,
                               unsigned int* is_enabled) {
  if (is_enabled == nullptr) return CUDA_ERROR_INVALID_VALUE;
  LockedExec locked;
  ExecNode* own = nullptr;
  GRAPHD_RETURN_IF_FAILED(locked.Find(handle));
  GRAPHD_RETURN_IF_FAILED(locked.Node(node, &own));
  if (!CanBeDisabled(own->type)) return CUDA_ERROR_INVALID_VALUE;
  *is_enabled = own->enabled ? 1 : 0;
  return CUDA_SUCCESS;
}

}  // namespace graphd::softgpu::api
