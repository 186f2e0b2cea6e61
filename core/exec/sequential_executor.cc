#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/driver/driver_status.h"
#include "core/exec/executor.h"
#include "core/exec/kernel_arguments.h"

namespace graphd {
namespace {

class SequentialExecutor final : public Executor {
 public:
  SequentialExecutor(const LoadedPlan& loaded,
                     absl::Span<const Scalar> parameters)
      : loaded_(loaded),
        driver_(loaded.driver()),
        parameters_(parameters.begin(), parameters.end()) {}

  ~SequentialExecutor() override {
    for (CUevent event : events_) {
      if (event != nullptr) driver_.cuEventDestroy(event);
    }
    for (CUevent event : ends_) driver_.cuEventDestroy(event);
    for (CUstream stream : streams_) driver_.cuStreamDestroy(stream);
  }

  absl::Status Prepare() {
    const Plan& plan = loaded_.plan();
    for (uint32_t i = 0; i < plan.stream_count; ++i) {
      CUstream stream = nullptr;
      GRAPHD_RETURN_IF_ERROR(ToStatus(
          driver_, driver_.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING),
          "creating a stream"));
      streams_.push_back(stream);
      CUevent event = nullptr;
      GRAPHD_RETURN_IF_ERROR(MakeEvent(event));
      ends_.push_back(event);
    }
    events_.assign(plan.steps.size(), nullptr);
    for (const PlanStep& step : plan.steps) {
      for (StepId wait : step.waits) {
        if (events_[wait.index()] != nullptr) continue;
        GRAPHD_RETURN_IF_ERROR(MakeEvent(events_[wait.index()]));
      }
    }
    return absl::OkStatus();
  }

  absl::Status SetParameters(absl::Span<const Scalar> values) override {
    parameters_.assign(values.begin(), values.end());
    return absl::OkStatus();
  }

  absl::Status Issue(bool first, bool last) override {
    const Plan& plan = loaded_.plan();
    if (issued_before_) GRAPHD_RETURN_IF_ERROR(JoinPreviousExecution());
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      const PlanStep& step = plan.steps[i];
      CUstream stream = streams_[step.stream.index()];
      for (StepId wait : step.waits) {
        GRAPHD_RETURN_IF_ERROR(ToStatus(
            driver_,
            driver_.cuStreamWaitEvent(stream, events_[wait.index()], 0),
            absl::StrCat("step \"", step.name, "\": waiting")));
      }
      const bool skipped = (step.phase == RunPhase::kFirst && !first) ||
                           (step.phase == RunPhase::kLast && !last);
      if (!skipped) {
        GRAPHD_RETURN_IF_ERROR(IssueStep(StepId(i), step, stream));
      }
      if (events_[i] != nullptr) {
        GRAPHD_RETURN_IF_ERROR(
            ToStatus(driver_, driver_.cuEventRecord(events_[i], stream),
                     absl::StrCat("step \"", step.name, "\": recording")));
      }
    }
    issued_before_ = true;
    return absl::OkStatus();
  }

  absl::Status Wait() override {
    for (CUstream stream : streams_) {
      GRAPHD_RETURN_IF_ERROR(ToStatus(
          driver_, driver_.cuStreamSynchronize(stream), "waiting for the run"));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status MakeEvent(CUevent& event) {
    return ToStatus(driver_,
                    driver_.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING),
                    "creating an event");
  }

  // An execution's roots wait for all streams of the previous one.
  absl::Status JoinPreviousExecution() {
    if (streams_.size() < 2) return absl::OkStatus();
    for (size_t i = 0; i < streams_.size(); ++i) {
      GRAPHD_RETURN_IF_ERROR(
          ToStatus(driver_, driver_.cuEventRecord(ends_[i], streams_[i]),
                   "recording the end of an execution"));
    }
    for (size_t i = 0; i < streams_.size(); ++i) {
      for (size_t j = 0; j < streams_.size(); ++j) {
        if (i == j) continue;
        GRAPHD_RETURN_IF_ERROR(ToStatus(
            driver_, driver_.cuStreamWaitEvent(streams_[i], ends_[j], 0),
            "waiting for the end of an execution"));
      }
    }
    return absl::OkStatus();
  }

  absl::Status IssueStep(StepId id, const PlanStep& step, CUstream stream) {
    const auto failed = [&](CUresult result) {
      return ToStatus(driver_, result,
                      absl::StrCat("step \"", step.name, "\""));
    };
    if (const auto* kernel = std::get_if<KernelStep>(&step.body)) {
      KernelArguments arguments(loaded_, *kernel, parameters_);
      const auto& grid = arguments.grid();
      const auto& block = arguments.block();
      return failed(driver_.cuLaunchKernel(
          loaded_.function(id), grid[0], grid[1], grid[2], block[0], block[1],
          block[2], kernel->shared_bytes, stream, arguments.pointers(),
          nullptr));
    }
    if (const auto* copy = std::get_if<MemcpyStep>(&step.body)) {
      return failed(Copy(*copy, stream));
    }
    if (const auto* fill = std::get_if<MemsetStep>(&step.body)) {
      return failed(Fill(*fill, stream));
    }
    return absl::OkStatus();  // EmptyStep: its waits and its event are all
  }

  CUresult Copy(const MemcpyStep& copy, CUstream stream) const {
    const CUdeviceptr src = loaded_.address(copy.src) + copy.src_offset_bytes;
    const CUdeviceptr dst = loaded_.address(copy.dst) + copy.dst_offset_bytes;
    if (copy.height == 1) {
      return driver_.cuMemcpyAsync(dst, src, copy.width_bytes, stream);
    }
    CUDA_MEMCPY2D form{};
    form.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
    form.srcDevice = src;
    form.srcPitch = copy.src_pitch_bytes;
    form.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    form.dstDevice = dst;
    form.dstPitch = copy.dst_pitch_bytes;
    form.WidthInBytes = copy.width_bytes;
    form.Height = copy.height;
    return driver_.cuMemcpy2DAsync(&form, stream);
  }

  CUresult Fill(const MemsetStep& fill, CUstream stream) const {
    const CUdeviceptr dst = loaded_.address(fill.dst) + fill.offset_bytes;
    if (fill.height == 1) {
      switch (fill.pattern_bytes) {
        case 1:
          return driver_.cuMemsetD8Async(
              dst, static_cast<unsigned char>(fill.pattern), fill.width,
              stream);
        case 2:
          return driver_.cuMemsetD16Async(
              dst, static_cast<uint16_t>(fill.pattern), fill.width, stream);
        default:
          return driver_.cuMemsetD32Async(dst, fill.pattern, fill.width,
                                          stream);
      }
    }
    switch (fill.pattern_bytes) {
      case 1:
        return driver_.cuMemsetD2D8Async(
            dst, fill.pitch_bytes, static_cast<unsigned char>(fill.pattern),
            fill.width, fill.height, stream);
      case 2:
        return driver_.cuMemsetD2D16Async(dst, fill.pitch_bytes,
                                          static_cast<uint16_t>(fill.pattern),
                                          fill.width, fill.height, stream);
      default:
        return driver_.cuMemsetD2D32Async(dst, fill.pitch_bytes, fill.pattern,
                                          fill.width, fill.height, stream);
    }
  }

  const LoadedPlan& loaded_;
  const DriverTable& driver_;
  std::vector<Scalar> parameters_;
  std::vector<CUstream> streams_;
  std::vector<CUevent> events_;  // by step; null when nothing waits for it
  std::vector<CUevent> ends_;    // by stream
  bool issued_before_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Executor>> MakeSequentialExecutor(
    const LoadedPlan& loaded, absl::Span<const Scalar> parameters) {
  auto executor = std::make_unique<SequentialExecutor>(loaded, parameters);
  GRAPHD_RETURN_IF_ERROR(executor->Prepare());
  return executor;
}

}  // namespace graphd
