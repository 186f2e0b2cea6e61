#include "core/codec/device_codec.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace graphd {
namespace {

template <typename Field>
absl::Status ReadLimits(const Field& field, absl::string_view name,
                        std::array<uint32_t, 3>& limits) {
  if (field.size() != 3) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a device's ", name, " has ", field.size(), " entries; expected 3"));
  }
  for (int i = 0; i < 3; ++i) limits[i] = field.Get(i);
  return absl::OkStatus();
}

}  // namespace

internal::v1::DeviceRecord DeviceToRecord(const DeviceDescription& device) {
  internal::v1::DeviceRecord record;
  record.set_device_class(static_cast<uint32_t>(device.device_class));
  record.set_name(device.name);
  record.set_uuid(device.uuid);
  record.set_capability_major(device.capability_major);
  record.set_capability_minor(device.capability_minor);
  record.set_driver_version(device.driver_version);
  record.set_sm_count(device.sm_count);
  record.set_warp_size(device.warp_size);
  record.set_memory_bytes(device.memory_bytes);
  record.set_max_threads_per_block(device.max_threads_per_block);
  for (const uint32_t limit : device.max_block) record.add_max_block(limit);
  for (const uint32_t limit : device.max_grid) record.add_max_grid(limit);
  record.set_shared_bytes_per_block(device.shared_bytes_per_block);
  record.set_shared_bytes_per_block_optin(device.shared_bytes_per_block_optin);
  record.set_max_parameter_bytes(device.max_parameter_bytes);
  return record;
}

absl::StatusOr<DeviceDescription> DeviceFromRecord(
    const internal::v1::DeviceRecord& record) {
  DeviceDescription device;
  if (record.device_class() > static_cast<uint32_t>(DeviceClass::kCuda)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a device's class is ", record.device_class(), "; expected 0 or 1"));
  }
  device.device_class = static_cast<DeviceClass>(record.device_class());
  device.name = record.name();
  device.uuid = record.uuid();
  device.capability_major = record.capability_major();
  device.capability_minor = record.capability_minor();
  device.driver_version = record.driver_version();
  device.sm_count = record.sm_count();
  device.warp_size = record.warp_size();
  device.memory_bytes = record.memory_bytes();
  device.max_threads_per_block = record.max_threads_per_block();
  for (const absl::Status& status :
       {ReadLimits(record.max_block(), "max_block", device.max_block),
        ReadLimits(record.max_grid(), "max_grid", device.max_grid)}) {
    if (!status.ok()) return status;
  }
  device.shared_bytes_per_block = record.shared_bytes_per_block();
  device.shared_bytes_per_block_optin = record.shared_bytes_per_block_optin();
  device.max_parameter_bytes = record.max_parameter_bytes();
  return device;
}

}  // namespace graphd
