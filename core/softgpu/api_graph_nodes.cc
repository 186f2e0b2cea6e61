// Nodes that do work: adding them, reading and changing their parameters.
#include <memory>
#include <utility>
#include <variant>

#include "core/softgpu/api.h"
#include "core/softgpu/graph_access.h"
#include "core/softgpu/result_macros.h"
#include "core/softgpu/software_gpu.h"

namespace graphd::softgpu::api {
namespace {

CUresult FindContext(CUcontext handle, std::shared_ptr<Context>* context) {
  SoftwareGpu& gpu = SoftwareGpu::Get();
  GRAPHD_RETURN_IF_FAILED(gpu.CheckInitialised());
  *context = gpu.contexts.Find(handle);
  return *context == nullptr ? CUDA_ERROR_INVALID_CONTEXT : (*context)->state();
}

}  // namespace

CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph,
                              const CUgraphNode* dependencies,
                              size_t dependency_count,
                              const CUDA_KERNEL_NODE_PARAMS* params) {
  GRAPHD_RETURN_IF_FAILED(SoftwareGpu::Get().CheckInitialised());
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  KernelWork work;
  GRAPHD_RETURN_IF_FAILED(MakeKernelWork(*params, &work));
  return AddNode(node, graph, dependencies, dependency_count,
                 CU_GRAPH_NODE_TYPE_KERNEL, std::move(work));
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph,
                              const CUgraphNode* dependencies,
                              size_t dependency_count,
                              const CUDA_MEMCPY3D* params, CUcontext handle) {
  std::shared_ptr<Context> context;
  GRAPHD_RETURN_IF_FAILED(FindContext(handle, &context));
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CopyWork work;
  GRAPHD_RETURN_IF_FAILED(MakeCopyWork(*params, std::move(context), &work));
  return AddNode(node, graph, dependencies, dependency_count,
                 CU_GRAPH_NODE_TYPE_MEMCPY, std::move(work));
}

CUresult cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph,
                              const CUgraphNode* dependencies,
                              size_t dependency_count,
                              const CUDA_MEMSET_NODE_PARAMS* params,
                              CUcontext handle) {
  std::shared_ptr<Context> context;
  GRAPHD_RETURN_IF_FAILED(FindContext(handle, &context));
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  FillWork work;
  GRAPHD_RETURN_IF_FAILED(MakeFillWork(*params, std::move(context), &work));
  return AddNode(node, graph, dependencies, dependency_count,
                 CU_GRAPH_NODE_TYPE_MEMSET, std::move(work));
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node,
                                    CUDA_KERNEL_NODE_PARAMS* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  LockedNode locked;
  GRAPHD_RETURN_IF_FAILED(locked.Find(node, CU_GRAPH_NODE_TYPE_KERNEL));
  auto& work = std::get<KernelWork>(locked.node->work);
  // The node owns the array and the values, until its parameters change.
  auto& pointers = locked.node->argument_pointers;
  pointers.clear();
  for (const auto& param : work.function->kernel->signature.params) {
    pointers.push_back(work.parameters.data() + param.offset_bytes);
  }
  *params = {};
  params->func = work.handle;
  params->gridDimX = work.grid[0];
  params->gridDimY = work.grid[1];
  params->gridDimZ = work.grid[2];
  params->blockDimX = work.block[0];
  params->blockDimY = work.block[1];
  params->blockDimZ = work.block[2];
  params->sharedMemBytes = work.dynamic_shared_bytes;
  params->kernelParams = pointers.empty() ? nullptr : pointers.data();
  return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode node,
                                    const CUDA_KERNEL_NODE_PARAMS* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  LockedNode locked;
  GRAPHD_RETURN_IF_FAILED(locked.Find(node, CU_GRAPH_NODE_TYPE_KERNEL));
  KernelWork work;
  GRAPHD_RETURN_IF_FAILED(MakeKernelWork(*params, &work));
  locked.node->work = std::move(work);
  return CUDA_SUCCESS;
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  LockedNode locked;
  GRAPHD_RETURN_IF_FAILED(locked.Find(node, CU_GRAPH_NODE_TYPE_MEMCPY));
  *params = std::get<CopyWork>(locked.node->work).form;
  return CUDA_SUCCESS;
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node,
                                    const CUDA_MEMCPY3D* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  LockedNode locked;
  GRAPHD_RETURN_IF_FAILED(locked.Find(node, CU_GRAPH_NODE_TYPE_MEMCPY));
  auto& work = std::get<CopyWork>(locked.node->work);
  return MakeCopyWork(*params, work.context, &work);
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode node,
                                    CUDA_MEMSET_NODE_PARAMS* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  LockedNode locked;
  GRAPHD_RETURN_IF_FAILED(locked.Find(node, CU_GRAPH_NODE_TYPE_MEMSET));
  *params = std::get<FillWork>(locked.node->work).form;
  return CUDA_SUCCESS;
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode node,
                                    const CUDA_MEMSET_NODE_PARAMS* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  LockedNode locked;
  GRAPHD_RETURN_IF_FAILED(locked.Find(node, CU_GRAPH_NODE_TYPE_MEMSET));
  auto& work = std::get<FillWork>(locked.node->work);
  return MakeFillWork(*params, work.context, &work);
}

}  // namespace graphd::softgpu::api
