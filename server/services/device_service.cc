#include "server/services/device_service.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/services/grpc_status.h"

namespace graphd {
namespace {

v1::Device::State ToMessage(WorkerState state) {
  switch (state) {
    case WorkerState::kStarting:
      return v1::Device::STATE_STARTING;
    case WorkerState::kServing:
      return v1::Device::STATE_SERVING;
    case WorkerState::kNotServing:
    case WorkerState::kStopped:
      break;
  }
  return v1::Device::STATE_NOT_SERVING;
}

void Describe(const DeviceLane& lane, v1::Device& device) {
  device.set_name(lane.name());
  device.set_kind(absl::StartsWith(lane.name(), "soft")
                      ? v1::Device::KIND_SOFTWARE
                      : v1::Device::KIND_CUDA);
  const Supervisor& supervisor = lane.supervisor();
  device.set_state(ToMessage(supervisor.state()));
  device.set_worker_restarts(supervisor.restarts());
  device.set_worker_pid(supervisor.pid());
  const auto known = lane.Known();
  if (!known.ok()) return;
  device.set_product((*known)->name());
  device.set_uuid((*known)->uuid());
  device.set_compute_capability(absl::StrCat((*known)->capability_major(), ".",
                                             (*known)->capability_minor()));
  device.set_memory_bytes((*known)->memory_bytes());
  device.set_sm_count((*known)->sm_count());
  device.set_driver_version((*known)->driver_version());
}

}  // namespace

grpc::Status DeviceService::ListDevices(grpc::ServerContext*,
                                        const v1::ListDevicesRequest*,
                                        v1::ListDevicesResponse* response) {
  for (const auto& lane : dispatcher_.lanes()) {
    Describe(*lane, *response->add_devices());
  }
  return grpc::Status::OK;
}

grpc::Status DeviceService::GetDevice(grpc::ServerContext*,
                                      const v1::GetDeviceRequest* request,
                                      v1::Device* response) {
  if (request->name().empty()) {
    return grpc::Status(grpc::StatusCode::INVALID_ARGUMENT,
                        "name is empty; expected a device's name");
  }
  const auto lane = dispatcher_.Choose(request->name());
  if (!lane.ok()) return ToGrpcStatus(lane.status());
  Describe(**lane, *response);
  return grpc::Status::OK;
}

}  // namespace graphd
