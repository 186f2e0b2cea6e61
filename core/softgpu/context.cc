#include "core/softgpu/context.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace graphd::softgpu {

void Context::SetFault(FaultDetail fault) {
  std::lock_guard lock(mutex_);
  if (fault_code_ != CUDA_SUCCESS) return;
  fault_ = std::move(fault);
  fault_code_ = fault_.code;
}

void Context::Stop() {
  std::lock_guard lock(mutex_);
  // Only what runs now: a later launch does not end because of it.
  if (running_) stop_ = true;
}

CUresult Context::state() const {
  return destroyed_ ? CUDA_ERROR_CONTEXT_IS_DESTROYED : fault_code_.load();
}

std::optional<FaultDetail> Context::fault() const {
  std::lock_guard lock(mutex_);
  if (fault_code_ == CUDA_SUCCESS) return std::nullopt;
  return fault_;
}

Turn::Turn(Contexts contexts) : contexts_(std::move(contexts)) {
  // In one order everywhere, so that two turns cannot wait for each other.
  std::sort(contexts_.begin(), contexts_.end(), std::less<Context*>());
  contexts_.erase(std::unique(contexts_.begin(), contexts_.end()),
                  contexts_.end());
  for (Context* context : contexts_) {
    context->turn_.lock();
    std::lock_guard lock(context->mutex_);
    context->stop_ = false;
    context->running_ = true;
  }
}

Turn::~Turn() {
  for (Context* context : contexts_) {
    {
      std::lock_guard lock(context->mutex_);
      context->running_ = false;
    }
    context->turn_.unlock();
  }
}

}  // namespace graphd::softgpu
