// Streams and events. Work is done when it is issued, so waiting is over before
// it begins; what remains is which handles and orders are legal.
#include <memory>
#include <utility>

#include "core/softgpu/api.h"
#include "core/softgpu/result_macros.h"
#include "core/softgpu/software_gpu.h"

namespace graphd::softgpu::api {
namespace {

constexpr unsigned kEventFlags =
    CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING;

CUresult FindEvent(CUevent handle, std::shared_ptr<Event>* event) {
  SoftwareGpu& gpu = SoftwareGpu::Get();
  std::shared_ptr<Context> current;
  GRAPHD_RETURN_IF_FAILED(gpu.Current(&current));
  *event = gpu.events.Find(handle);
  if (*event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return (*event)->context->state();
}

// Whether everything issued to a stream is done: it is.
CUresult CheckStream(CUstream stream) {
  std::shared_ptr<Context> context;
  return SoftwareGpu::Get().StreamContext(stream, &context);
}

CUresult CheckEvent(CUevent handle) {
  std::shared_ptr<Event> event;
  return FindEvent(handle, &event);
}

}  // namespace

CUresult cuStreamCreate(CUstream* stream, unsigned int flags) {
  SoftwareGpu& gpu = SoftwareGpu::Get();
  auto made = std::make_shared<Stream>();
  GRAPHD_RETURN_IF_FAILED(gpu.Current(&made->context));
  // Blocking streams and others differ in what may overlap, and nothing does.
  if (stream == nullptr || (flags & ~CU_STREAM_NON_BLOCKING) != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *stream = gpu.streams.Add(std::move(made));
  return CUDA_SUCCESS;
}

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned int flags,
                                    int /*priority*/) {
  // Any priority is clamped to those there are, and there is one.
  return api::cuStreamCreate(stream, flags);
}

CUresult cuStreamDestroy(CUstream stream) {
  SoftwareGpu& gpu = SoftwareGpu::Get();
  std::shared_ptr<Context> current;
  GRAPHD_RETURN_IF_FAILED(gpu.Current(&current, /*healthy=*/false));
  const std::shared_ptr<Stream> removed = gpu.streams.Remove(stream);
  return removed == nullptr ? CUDA_ERROR_INVALID_HANDLE
                            : removed->context->state();
}

CUresult cuStreamSynchronize(CUstream stream) { return CheckStream(stream); }

CUresult cuStreamQuery(CUstream stream) { return CheckStream(stream); }

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  GRAPHD_RETURN_IF_FAILED(CheckStream(stream));
  // External waits are legal in a capture only, and there is no capture.
  if (flags != CU_EVENT_WAIT_DEFAULT) return CUDA_ERROR_INVALID_VALUE;
  // An event that was never recorded is waited for by nobody.
  return CheckEvent(event);
}

CUresult cuEventCreate(CUevent* event, unsigned int flags) {
  SoftwareGpu& gpu = SoftwareGpu::Get();
  auto made = std::make_shared<Event>();
  GRAPHD_RETURN_IF_FAILED(gpu.Current(&made->context));
  if (event == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if ((flags & ~kEventFlags) != 0) {
    const bool shareable =
        flags == (CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING) ||
        flags == (CU_EVENT_INTERPROCESS | kEventFlags);
    return shareable ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
  }
  made->timed = (flags & CU_EVENT_DISABLE_TIMING) == 0;
  *event = gpu.events.Add(std::move(made));
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent event) {
  SoftwareGpu& gpu = SoftwareGpu::Get();
  std::shared_ptr<Context> current;
  GRAPHD_RETURN_IF_FAILED(gpu.Current(&current, /*healthy=*/false));
  const std::shared_ptr<Event> removed = gpu.events.Remove(event);
  return removed == nullptr ? CUDA_ERROR_INVALID_HANDLE
                            : removed->context->state();
}

CUresult cuEventRecord(CUevent handle, CUstream stream) {
  SoftwareGpu& gpu = SoftwareGpu::Get();
  std::shared_ptr<Context> context;
  GRAPHD_RETURN_IF_FAILED(gpu.StreamContext(stream, &context));
  std::shared_ptr<Event> event;
  GRAPHD_RETURN_IF_FAILED(FindEvent(handle, &event));
  if (event->context != context) return CUDA_ERROR_INVALID_HANDLE;
  if (event->timed) event->time_ns = gpu.NowNs();
  event->recorded = true;
  return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent event) { return CheckEvent(event); }

CUresult cuEventSynchronize(CUevent event) { return CheckEvent(event); }

CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  if (milliseconds == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Event> from;
  std::shared_ptr<Event> to;
  GRAPHD_RETURN_IF_FAILED(FindEvent(start, &from));
  GRAPHD_RETURN_IF_FAILED(FindEvent(end, &to));
  if (!from->timed || !to->timed || !from->recorded || !to->recorded ||
      from->context != to->context) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  // Negative when they were recorded the other way round, as on a device.
  *milliseconds = static_cast<float>(
      static_cast<double>(static_cast<int64_t>(to->time_ns - from->time_ns)) /
      1e6);
  return CUDA_SUCCESS;
}

}  // namespace graphd::softgpu::api
