// The daemon's settings, and where each came from.
//
// A flag beats the environment (GRAPHD_SECTION__KEY), which beats the file
// (TOML), which beats the default. Every setting is one row of one table, so
// that flags, file, environment and --print-config cannot disagree.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_SERVER_CONFIG_H_
#define GRAPHD_SERVER_CONFIG_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/observe/logging.h"

namespace graphd {

struct Config {
  std::vector<std::string> listen;  // "unix:/path", "127.0.0.1:7600"
  std::string state_dir;
  std::string ready_file;
  uint64_t max_message_bytes = uint64_t{64} << 20;
  uint64_t max_threads = 256;
  absl::Duration drain_limit = absl::Seconds(10);

  std::vector<std::string> devices;  // empty: what --probe finds
  uint64_t soft_devices = 0;         // above 0: that many and no probe
  uint64_t soft_memory_bytes = uint64_t{2} << 30;
  uint64_t soft_threads = 0;  // 0: one per hardware thread
  uint64_t queue_capacity = 64;
  absl::Duration run_limit = absl::Seconds(60);
  std::string worker_program;

  absl::Duration compile_limit = absl::Seconds(30);
  absl::Duration compile_cpu_limit = absl::Seconds(60);
  uint64_t compiler_memory_bytes = uint64_t{8} << 30;
  uint64_t plan_cache_bytes = uint64_t{256} << 20;
  std::string compiler_program;

  LogLevel log_level = LogLevel::kInfo;
  LogFormat log_format = LogFormat::kAuto;
};

// One setting: how it is named, read and written.
struct Setting {
  absl::string_view section;
  absl::string_view key;
  absl::string_view flag;  // "--listen"
  absl::string_view help;
  bool is_list = false;
  // Errors: INVALID_ARGUMENT saying what was expected.
  std::function<absl::Status(Config&, const std::vector<std::string>&)> set;
  std::function<std::vector<std::string>(const Config&)> get;
};

const std::vector<Setting>& Settings();

// A configuration and, by "section.key", where the setting came from.
struct LoadedConfig {
  Config config;
  std::map<std::string, std::string> sources;  // "flag", "environment", …
};

// `flags` by flag name; `environment` looks a variable up (std::getenv's
// answer).
// Errors: INVALID_ARGUMENT naming file, line and setting.
absl::StatusOr<LoadedConfig> LoadConfig(
    const std::string& file,
    const std::map<std::string, std::vector<std::string>>& flags,
    const std::function<const char*(const char*)>& environment);

// TOML, each setting with its source.
std::string PrintConfig(const LoadedConfig& loaded);

// "64MiB", "2GiB", "1000" (bytes).
absl::StatusOr<uint64_t> ParseBytes(absl::string_view text);
// Loopback or a Unix socket; anything else needs TLS, which this graphd has
// not.
absl::Status CheckListenAddress(absl::string_view address);

}  // namespace graphd

#endif  // GRAPHD_SERVER_CONFIG_H_
