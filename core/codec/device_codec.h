// graphd.internal.v1.DeviceRecord to and from
// core/plan/device_description.h.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_CODEC_DEVICE_CODEC_H_
#define GRAPHD_CORE_CODEC_DEVICE_CODEC_H_

#include "absl/status/statusor.h"
#include "core/plan/device_description.h"
#include "graphd/internal/v1/record.pb.h"

namespace graphd {

internal::v1::DeviceRecord DeviceToRecord(const DeviceDescription& device);

// Errors: INVALID_ARGUMENT: an unknown class, or not three launch limits.
absl::StatusOr<DeviceDescription> DeviceFromRecord(
    const internal::v1::DeviceRecord& record);

}  // namespace graphd

#endif  // GRAPHD_CORE_CODEC_DEVICE_CODEC_H_
