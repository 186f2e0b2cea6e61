// graphd.v1.DeviceService: what the daemon knows of its devices.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_SERVER_SERVICES_DEVICE_SERVICE_H_
#define GRAPHD_SERVER_SERVICES_DEVICE_SERVICE_H_

#include "graphd/v1/device.grpc.pb.h"
#include "server/runs/dispatcher.h"

namespace graphd {

class DeviceService final : public v1::DeviceService::Service {
 public:
  // `dispatcher` outlives the service.
  explicit DeviceService(Dispatcher& dispatcher) : dispatcher_(dispatcher) {}

  grpc::Status ListDevices(grpc::ServerContext* context,
                           const v1::ListDevicesRequest* request,
                           v1::ListDevicesResponse* response) override;
  grpc::Status GetDevice(grpc::ServerContext* context,
                         const v1::GetDeviceRequest* request,
                         v1::Device* response) override;

 private:
  Dispatcher& dispatcher_;
};

}  // namespace graphd

#endif  // GRAPHD_SERVER_SERVICES_DEVICE_SERVICE_H_
