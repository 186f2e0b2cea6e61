// Server is the daemon put together: store, compiler, devices, services, and
// the sockets before them.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_SERVER_SERVER_H_
#define GRAPHD_SERVER_SERVER_H_

#include <grpcpp/server.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/config.h"
#include "server/observe/logging.h"
#include "server/runs/compiler_client.h"
#include "server/runs/dispatcher.h"
#include "server/runs/run_registry.h"
#include "server/services/device_service.h"
#include "server/services/execution_service.h"
#include "server/services/graph_catalog.h"
#include "server/services/graph_service.h"
#include "server/services/health_service.h"
#include "server/store/graph_store.h"

namespace graphd {

class Server {
 public:
  // Serves when it returns. `log` outlives the server.
  // Errors: FAILED_PRECONDITION (state folder or socket in use), DATA_LOSS,
  // UNAVAILABLE (an address cannot be listened on).
  static absl::StatusOr<std::unique_ptr<Server>> Start(const Config& config,
                                                       Logger& log);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // NOT_SERVING first, then no new work, then waits for what runs, at most the
  // drain limit, then closes.
  void Drain();

  // As clients reach it, ports filled in.
  const std::vector<std::string>& addresses() const { return addresses_; }

 private:
  Server(const Config& config, Logger& log) : config_(config), log_(log) {}
  void StartCompiler();
  void StartDevices();
  std::unique_ptr<DeviceLane> MakeLane(const std::string& name);
  absl::Status Listen();
  void Stop(absl::Time deadline);

  const Config config_;
  Logger& log_;
  HealthService health_;
  RunRegistry registry_;
  std::unique_ptr<GraphStore> store_;
  std::unique_ptr<CompilerClient> compiler_;
  std::unique_ptr<Dispatcher> dispatcher_;
  std::unique_ptr<GraphCatalog> catalog_;
  std::unique_ptr<GraphService> graph_service_;
  std::unique_ptr<ExecutionService> execution_service_;
  std::unique_ptr<DeviceService> device_service_;
  std::unique_ptr<grpc::Server> server_;
  std::vector<std::string> addresses_;
};

// Writes {"addresses": […], "pid": …} to `path` under a temporary name and
// renames it.
absl::Status WriteReadyFile(const std::string& path,
                            const std::vector<std::string>& addresses);

}  // namespace graphd

#endif  // GRAPHD_SERVER_SERVER_H_
