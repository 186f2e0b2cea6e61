#include "client/graphctl/endpoint.h"

#include <sys/stat.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/base/status_macros.h"
#define TOML_EXCEPTIONS 0
#include "toml++/toml.h"

namespace graphd::graphctl {
namespace {

constexpr char kVariable[] = "GRAPHD_ENDPOINT";
constexpr char kSystemSocket[] = "/run/graphd/graphd.sock";
constexpr char kLoopback[] = "127.0.0.1:7600";
// sockaddr_un::sun_path with its terminator.
constexpr size_t kLongestSocketPath = 107;

absl::Status Wrong(absl::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("\"", absl::CEscape(text),
                   "\" is not an endpoint: expected unix:/path or host:port"));
}

absl::StatusOr<Endpoint> From(absl::string_view text,
                              const std::string& source) {
  auto address = ParseEndpoint(text);
  if (!address.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(source, ": ", address.status().message()));
  }
  return Endpoint{*std::move(address), source};
}

std::string ContextFile(const Surroundings& surroundings) {
  const std::string folder = surroundings.variable("XDG_CONFIG_HOME");
  if (!folder.empty()) return folder + "/graphd/contexts.toml";
  const std::string home = surroundings.variable("HOME");
  return home.empty() ? "" : home + "/.config/graphd/contexts.toml";
}

// nullopt: no file, or none of its contexts is current.
absl::StatusOr<std::optional<Endpoint>> FromContexts(
    const Surroundings& surroundings) {
  const std::string path = ContextFile(surroundings);
  if (path.empty()) return std::nullopt;
  const auto text = surroundings.read_file(path);
  if (absl::IsNotFound(text.status())) return std::nullopt;
  GRAPHD_RETURN_IF_ERROR(text.status());
  const toml::parse_result parsed = toml::parse(*text, path);
  if (!parsed) {
    const auto description = parsed.error().description();
    return absl::InvalidArgumentError(absl::StrCat(
        path, ":", parsed.error().source().begin.line, ": ",
        absl::string_view(description.data(), description.size())));
  }
  const toml::table& table = parsed.table();
  if (!table.contains("current")) return std::nullopt;
  const auto current = table["current"].value<std::string>();
  if (!current.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": current: expected the name of a context"));
  }
  const auto endpoint =
      table["contexts"][*current]["endpoint"].value<std::string>();
  if (!endpoint.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": expected a string \"endpoint\" in [contexts.", *current, "]"));
  }
  GRAPHD_ASSIGN_OR_RETURN(
      Endpoint found,
      From(*endpoint, absl::StrCat(path, ", context ", *current)));
  return found;
}

}  // namespace

Surroundings ThisMachine() {
  Surroundings machine;
  machine.variable = [](const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return std::string(value == nullptr ? "" : value);
  };
  machine.is_socket = [](const std::string& path) {
    struct stat entry {};
    return ::stat(path.c_str(), &entry) == 0 && S_ISSOCK(entry.st_mode);
  };
  machine.read_file =
      [](const std::string& path) -> absl::StatusOr<std::string> {
    std::ifstream file(path);
    if (!file) return absl::NotFoundError(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  };
  return machine;
}

absl::StatusOr<std::string> ParseEndpoint(absl::string_view text) {
  absl::string_view path = text;
  if (absl::ConsumePrefix(&path, "unix:") || absl::StartsWith(path, "/")) {
    absl::ConsumePrefix(&path, "//");
    if (path.empty()) return Wrong(text);
    if (path.size() > kLongestSocketPath) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the path of a Unix socket has at most ", kLongestSocketPath,
          " bytes, \"", absl::CEscape(path), "\" has ", path.size()));
    }
    return absl::StrCat("unix:", path);
  }
  const size_t colon = text.rfind(':');
  uint32_t port = 0;
  if (colon == absl::string_view::npos || colon == 0 ||
      absl::StrContains(text, "/") ||
      !absl::SimpleAtoi(text.substr(colon + 1), &port) || port == 0 ||
      port > 65535) {
    return Wrong(text);
  }
  const absl::string_view host = text.substr(0, colon);
  const bool bracketed = host.front() == '[' && host.back() == ']';
  if (absl::StrContains(host, ":") && !bracketed) return Wrong(text);
  return std::string(text);
}

absl::StatusOr<Endpoint> ResolveEndpoint(const std::string& flag,
                                         const Surroundings& surroundings) {
  if (!flag.empty()) return From(flag, "--endpoint");
  const std::string variable = surroundings.variable(kVariable);
  if (!variable.empty()) return From(variable, kVariable);
  GRAPHD_ASSIGN_OR_RETURN(std::optional<Endpoint> context,
                          FromContexts(surroundings));
  if (context.has_value()) return *std::move(context);
  std::vector<std::string> sockets = {kSystemSocket};
  const std::string run = surroundings.variable("XDG_RUNTIME_DIR");
  if (!run.empty()) sockets.push_back(run + "/graphd/graphd.sock");
  for (const std::string& socket : sockets) {
    if (surroundings.is_socket(socket)) return From(socket, "default");
  }
  return Endpoint{kLoopback, "default"};
}

}  // namespace graphd::graphctl
