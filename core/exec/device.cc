#include "core/exec/device.h"

#include <array>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/driver/driver_status.h"
#include "core/exec/binding.h"
#include "core/exec/executor.h"
#include "core/exec/loaded_plan.h"

namespace graphd {
namespace {

class PlanInstance final : public Instance {
 public:
  PlanInstance(std::unique_ptr<LoadedPlan> loaded,
               std::unique_ptr<Executor> executor, ExecutorKind kind,
               CUcontext context, Device::NowNs now_ns)
      : loaded_(std::move(loaded)),
        executor_(std::move(executor)),
        kind_(kind),
        context_(context),
        now_ns_(now_ns) {}

  ~PlanInstance() override {
    loaded_->driver().cuCtxSetCurrent(context_);
    executor_.reset();
  }

  absl::Status Run(const RunArguments& arguments, RunReport& report) override {
    report.executor = kind_;
    GRAPHD_RETURN_IF_ERROR(CheckBindings(plan(), arguments));
    GRAPHD_ASSIGN_OR_RETURN(const std::vector<Scalar> values,
                            ParameterValues(plan(), arguments));
    GRAPHD_RETURN_IF_ERROR(MakeCurrent());
    const uint64_t start = Now();
    CopyIn(*loaded_, arguments);
    const uint64_t copied = Now();
    const absl::Status status = Execute(values, arguments.count);
    const uint64_t executed = Now();
    report.copy_in_ns = copied - start;
    report.execute_ns = executed - copied;
    if (!status.ok()) {
      Explain(report);
      return status;
    }
    CopyOut(*loaded_, arguments);
    report.copy_out_ns = Now() - executed;
    return absl::OkStatus();
  }

  absl::Status Poison(uint8_t pattern) override {
    GRAPHD_RETURN_IF_ERROR(MakeCurrent());
    return loaded_->Poison(pattern);
  }

  const Plan& plan() const override { return loaded_->plan(); }
  ExecutorKind executor() const override { return kind_; }
  CUgraph cuda_graph() const override { return executor_->cuda_graph(); }

 private:
  uint64_t Now() const { return now_ns_ == nullptr ? 0 : now_ns_(); }

  absl::Status MakeCurrent() {
    const DriverTable& driver = loaded_->driver();
    return ToStatus(driver, driver.cuCtxSetCurrent(context_),
                    "making the context current");
  }

  absl::Status Execute(const std::vector<Scalar>& values, uint64_t count) {
    GRAPHD_RETURN_IF_ERROR(executor_->SetParameters(values));
    for (uint64_t i = 0; i < count; ++i) {
      const absl::Status issued = executor_->Issue(i == 0, i + 1 == count);
      if (!issued.ok()) {
        // What was issued still runs on this instance's memory.
        (void)executor_->Wait();
        return issued;
      }
      // Bounds what is queued, and notices a fault before issuing more.
      if ((i + 1) % kExecutionsInFlight == 0) {
        GRAPHD_RETURN_IF_ERROR(executor_->Wait());
      }
    }
    return executor_->Wait();
  }

  // After a failure: is the context lost, and what does the driver know?
  void Explain(RunReport& report) {
    const DriverTable& driver = loaded_->driver();
    report.context_lost = IsSticky(driver.cuCtxSynchronize());
    FaultDetail detail;
    if (driver.fault_detail != nullptr && driver.fault_detail(&detail)) {
      report.fault = std::move(detail);
    }
  }

  static constexpr uint64_t kExecutionsInFlight = 64;

  std::unique_ptr<LoadedPlan> loaded_;
  std::unique_ptr<Executor> executor_;
  ExecutorKind kind_;
  CUcontext context_;
  Device::NowNs now_ns_;
};

std::string FormatUuid(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (size_t i = 0; i < sizeof(uuid.bytes); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x",
                  static_cast<unsigned char>(uuid.bytes[i]));
    text += digits;
  }
  return text;
}

absl::StatusOr<DeviceDescription> Describe(const DriverTable& driver,
                                           CUdevice device) {
  DeviceDescription description;
  description.device_class =
      driver.is_software ? DeviceClass::kSoftware : DeviceClass::kCuda;
  std::array<char, 256> name{};
  GRAPHD_RETURN_IF_ERROR(ToStatus(
      driver, driver.cuDeviceGetName(name.data(), name.size() - 1, device),
      "device name"));
  description.name = name.data();
  CUuuid uuid{};
  GRAPHD_RETURN_IF_ERROR(
      ToStatus(driver, driver.cuDeviceGetUuid(&uuid, device), "device UUID"));
  description.uuid = FormatUuid(uuid);
  GRAPHD_RETURN_IF_ERROR(
      ToStatus(driver, driver.cuDriverGetVersion(&description.driver_version),
               "driver version"));
  size_t memory_bytes = 0;
  GRAPHD_RETURN_IF_ERROR(ToStatus(
      driver, driver.cuDeviceTotalMem(&memory_bytes, device), "memory size"));
  description.memory_bytes = memory_bytes;

  absl::Status status;
  const auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    status.Update(
        ToStatus(driver, driver.cuDeviceGetAttribute(&value, which, device),
                 absl::StrCat("device attribute ", static_cast<int>(which))));
    return value;
  };
  description.capability_major =
      attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  description.capability_minor =
      attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  description.sm_count = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  description.warp_size = attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  description.max_threads_per_block =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  description.shared_bytes_per_block =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  description.shared_bytes_per_block_optin =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  description.max_block = {
      static_cast<uint32_t>(attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)),
      static_cast<uint32_t>(attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)),
      static_cast<uint32_t>(attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z))};
  description.max_grid = {
      static_cast<uint32_t>(attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)),
      static_cast<uint32_t>(attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)),
      static_cast<uint32_t>(attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z))};
  GRAPHD_RETURN_IF_ERROR(status);
  return description;
}

std::string Capability(const DeviceDescription& device) {
  return absl::StrCat(
      device.device_class == DeviceClass::kSoftware ? "the software GPU"
                                                    : "a GPU",
      " of capability ", device.capability_major, ".", device.capability_minor);
}

}  // namespace

Device::Device(const DriverTable& driver, CUdevice device, CUcontext context,
               NowNs now_ns)
    : driver_(driver), device_(device), context_(context), now_ns_(now_ns) {}

Device::~Device() { driver_.cuDevicePrimaryCtxRelease(device_); }

absl::StatusOr<std::unique_ptr<Device>> Device::Open(const DriverTable& driver,
                                                     int ordinal,
                                                     NowNs now_ns) {
  GRAPHD_RETURN_IF_ERROR(
      ToStatus(driver, driver.cuInit(0), "initialising the driver"));
  CUdevice handle = 0;
  GRAPHD_RETURN_IF_ERROR(ToStatus(driver, driver.cuDeviceGet(&handle, ordinal),
                                  absl::StrCat("device ", ordinal)));
  CUcontext context = nullptr;
  GRAPHD_RETURN_IF_ERROR(ToStatus(
      driver, driver.cuDevicePrimaryCtxRetain(&context, handle),
      absl::StrCat("retaining the primary context of device ", ordinal)));
  std::unique_ptr<Device> device(new Device(driver, handle, context, now_ns));
  GRAPHD_RETURN_IF_ERROR(ToStatus(driver, driver.cuCtxSetCurrent(context),
                                  "making the context current"));
  GRAPHD_ASSIGN_OR_RETURN(device->description_, Describe(driver, handle));
  return device;
}

absl::StatusOr<std::unique_ptr<Instance>> Device::Instantiate(
    PlanPtr plan, ExecutorKind executor) {
  const DeviceDescription& wanted = plan->device;
  if (wanted.device_class != description_.device_class ||
      wanted.capability_major != description_.capability_major ||
      wanted.capability_minor != description_.capability_minor) {
    return absl::FailedPreconditionError(
        absl::StrCat("the plan was compiled for ", Capability(wanted),
                     ", the device is ", Capability(description_)));
  }
  GRAPHD_RETURN_IF_ERROR(ToStatus(driver_, driver_.cuCtxSetCurrent(context_),
                                  "making the context current"));
  GRAPHD_ASSIGN_OR_RETURN(std::unique_ptr<LoadedPlan> loaded,
                          LoadedPlan::Load(driver_, std::move(plan)));
  const std::vector<Scalar> parameters = InitialParameterValues(loaded->plan());
  absl::StatusOr<std::unique_ptr<Executor>> made =
      executor == ExecutorKind::kSequential
          ? MakeSequentialExecutor(*loaded, parameters)
          : MakeCudaGraphExecutor(*loaded, context_, parameters);
  GRAPHD_RETURN_IF_ERROR(made.status());
  return std::make_unique<PlanInstance>(std::move(loaded), *std::move(made),
                                        executor, context_, now_ns_);
}

}  // namespace graphd
