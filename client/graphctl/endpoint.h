// Where the daemon is: flag, environment, context file, socket, loopback.
//
// The context file is TOML under XDG_CONFIG_HOME/graphd/contexts.toml:
//
//   current = "lab"
//   [contexts.lab]
//   endpoint = "unix:/run/graphd/graphd.sock"
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CLIENT_GRAPHCTL_ENDPOINT_H_
#define GRAPHD_CLIENT_GRAPHCTL_ENDPOINT_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace graphd::graphctl {

struct Endpoint {
  std::string address;  // "unix:/path" or "host:port"
  std::string source;   // "--endpoint", "GRAPHD_ENDPOINT", a file, "default"
};

// What the resolution asks the machine.
struct Surroundings {
  // A variable of the environment; "" when it is not set.
  std::function<std::string(const std::string&)> variable;
  std::function<bool(const std::string&)> is_socket;
  // NOT_FOUND: no such file.
  std::function<absl::StatusOr<std::string>(const std::string&)> read_file;
};

Surroundings ThisMachine();

// "unix:/path", "/path", "host:port", "[::1]:port"; the answer is in gRPC's
// form. Errors: INVALID_ARGUMENT saying what was expected.
absl::StatusOr<std::string> ParseEndpoint(absl::string_view text);

// Errors: INVALID_ARGUMENT naming the source of a wrong address, or file and
// line of a context file.
absl::StatusOr<Endpoint> ResolveEndpoint(const std::string& flag,
                                         const Surroundings& surroundings);

}  // namespace graphd::graphctl

#endif  // GRAPHD_CLIENT_GRAPHCTL_ENDPOINT_H_
