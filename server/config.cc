#include "server/config.h"

#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/base/status_macros.h"
#define TOML_EXCEPTIONS 0
#include "toml++/toml.h"

namespace graphd {
namespace {

using Values = std::vector<std::string>;

absl::StatusOr<std::string> One(const Values& values) {
  if (values.size() == 1) return values[0];
  return absl::InvalidArgumentError(
      absl::StrCat("expected one value, found ", values.size()));
}

std::string FormatBytes(uint64_t bytes) {
  constexpr std::pair<absl::string_view, int> kUnits[] = {
      {"GiB", 30}, {"MiB", 20}, {"KiB", 10}};
  for (const auto& [unit, shift] : kUnits) {
    if (bytes != 0 && bytes % (uint64_t{1} << shift) == 0) {
      return absl::StrCat(bytes >> shift, unit);
    }
  }
  return absl::StrCat(bytes);
}

Setting Text(absl::string_view section, absl::string_view key,
             absl::string_view flag, absl::string_view help,
             std::string Config::*field) {
  return {section,
          key,
          flag,
          help,
          false,
          [field](Config& config, const Values& values) -> absl::Status {
            GRAPHD_ASSIGN_OR_RETURN(config.*field, One(values));
            return absl::OkStatus();
          },
          [field](const Config& config) { return Values{config.*field}; }};
}

Setting List(absl::string_view section, absl::string_view key,
             absl::string_view flag, absl::string_view help,
             Values Config::*field, absl::Status (*check)(absl::string_view)) {
  return {section,
          key,
          flag,
          help,
          true,
          [field, check](Config& config, const Values& values) -> absl::Status {
            for (const std::string& value : values) {
              GRAPHD_RETURN_IF_ERROR(check(value));
            }
            config.*field = values;
            return absl::OkStatus();
          },
          [field](const Config& config) { return config.*field; }};
}

Setting Count(absl::string_view section, absl::string_view key,
              absl::string_view flag, absl::string_view help,
              uint64_t Config::*field, uint64_t least, uint64_t most) {
  return {
      section,
      key,
      flag,
      help,
      false,
      [=](Config& config, const Values& values) -> absl::Status {
        GRAPHD_ASSIGN_OR_RETURN(const std::string text, One(values));
        uint64_t number = 0;
        if (!absl::SimpleAtoi(text, &number) || number < least ||
            number > most) {
          return absl::InvalidArgumentError(absl::StrCat(
              "\"", text, "\": expected a number from ", least, " to ", most));
        }
        config.*field = number;
        return absl::OkStatus();
      },
      [field](const Config& config) {
        return Values{absl::StrCat(config.*field)};
      }};
}

Setting Bytes(absl::string_view section, absl::string_view key,
              absl::string_view flag, absl::string_view help,
              uint64_t Config::*field) {
  return {section,
          key,
          flag,
          help,
          false,
          [field](Config& config, const Values& values) -> absl::Status {
            GRAPHD_ASSIGN_OR_RETURN(const std::string text, One(values));
            GRAPHD_ASSIGN_OR_RETURN(config.*field, ParseBytes(text));
            return absl::OkStatus();
          },
          [field](const Config& config) {
            return Values{FormatBytes(config.*field)};
          }};
}

Setting Time(absl::string_view section, absl::string_view key,
             absl::string_view flag, absl::string_view help,
             absl::Duration Config::*field) {
  return {section,
          key,
          flag,
          help,
          false,
          [field](Config& config, const Values& values) -> absl::Status {
            GRAPHD_ASSIGN_OR_RETURN(const std::string text, One(values));
            absl::Duration duration;
            if (!absl::ParseDuration(text, &duration) ||
                duration <= absl::ZeroDuration() ||
                duration > absl::Hours(24)) {
              return absl::InvalidArgumentError(absl::StrCat(
                  "\"", text, "\": expected a duration up to 24h, as 30s"));
            }
            config.*field = duration;
            return absl::OkStatus();
          },
          [field](const Config& config) {
            return Values{absl::FormatDuration(config.*field)};
          }};
}

absl::Status CheckDeviceName(absl::string_view name) {
  absl::string_view number = name;
  uint32_t ordinal = 0;
  if ((absl::ConsumePrefix(&number, "soft") ||
       absl::ConsumePrefix(&number, "gpu")) &&
      absl::SimpleAtoi(number, &ordinal) && ordinal < 64) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "\"", name, "\" is not a device: expected soft0, soft1, … or gpu0, …"));
}

std::vector<Setting> MakeSettings() {
  using C = Config;
  std::vector<Setting> all = {
      List("server", "listen", "--listen",
           "address to serve: unix:/path or a loopback address with port "
           "(0: any free one); repeatable",
           &C::listen, CheckListenAddress),
      Text("server", "state", "--state",
           "folder of what must survive a restart", &C::state_dir),
      Text("server", "ready_file", "--ready-file",
           "written as JSON with the addresses and the process id once serving",
           &C::ready_file),
      Bytes("server", "max_message", "--max-message",
            "largest message, e.g. 64MiB", &C::max_message_bytes),
      Count("server", "max_threads", "--max-threads",
            "threads that serve calls", &C::max_threads, 4, 4096),
      Time("server", "drain_limit", "--drain-limit",
           "how long SIGTERM waits for what runs", &C::drain_limit),
      List("devices", "names", "--device",
           "device to own, soft0 or gpu0; repeatable; none: what graphd-worker "
           "--probe finds",
           &C::devices, CheckDeviceName),
      Count("devices", "soft_devices", "--soft-devices",
            "own that many software devices and look for no other",
            &C::soft_devices, 0, 64),
      Bytes("devices", "soft_memory", "--soft-memory",
            "memory of a software device", &C::soft_memory_bytes),
      Count("devices", "soft_threads", "--soft-threads",
            "threads of a software device; 0: one per hardware thread",
            &C::soft_threads, 0, 1024),
      Count("devices", "queue", "--queue",
            "runs that wait for a device before it refuses more",
            &C::queue_capacity, 1, 4096),
      Time("devices", "run_limit", "--run-limit",
           "how long a run may take before it is stopped", &C::run_limit),
      Text("devices", "worker", "--worker", "path of graphd-worker",
           &C::worker_program),
      Time("compiler", "limit", "--compile-limit",
           "how long a compilation may take", &C::compile_limit),
      Time("compiler", "cpu_limit", "--compile-cpu-limit",
           "processor time that a compilation may take", &C::compile_cpu_limit),
      Bytes("compiler", "memory", "--compiler-memory",
            "address space of the compiler process", &C::compiler_memory_bytes),
      Bytes("compiler", "plan_cache", "--plan-cache",
            "plans that are kept, in bytes", &C::plan_cache_bytes),
      Text("compiler", "program", "--compiler", "path of graphd-compiler",
           &C::compiler_program),
  };
  all.push_back(
      {"log", "level", "--log-level", "debug, info, warning, error or off",
       false,
       [](Config& config, const Values& values) -> absl::Status {
         GRAPHD_ASSIGN_OR_RETURN(const std::string text, One(values));
         GRAPHD_ASSIGN_OR_RETURN(config.log_level, ParseLogLevel(text));
         return absl::OkStatus();
       },
       [](const Config& config) {
         constexpr absl::string_view kNames[] = {"debug", "info", "warning",
                                                 "error", "off"};
         return Values{
             std::string(kNames[static_cast<size_t>(config.log_level)])};
       }});
  all.push_back(
      {"log", "format", "--log-format",
       "json, text, or auto: text on a terminal", false,
       [](Config& config, const Values& values) -> absl::Status {
         GRAPHD_ASSIGN_OR_RETURN(const std::string text, One(values));
         GRAPHD_ASSIGN_OR_RETURN(config.log_format, ParseLogFormat(text));
         return absl::OkStatus();
       },
       [](const Config& config) {
         constexpr absl::string_view kNames[] = {"auto", "json", "text"};
         return Values{
             std::string(kNames[static_cast<size_t>(config.log_format)])};
       }});
  return all;
}

std::string FullName(const Setting& setting) {
  return absl::StrCat(setting.section, ".", setting.key);
}

std::string EnvironmentName(const Setting& setting) {
  return absl::AsciiStrToUpper(
      absl::StrCat("GRAPHD_", setting.section, "__", setting.key));
}

const Setting* FindSetting(absl::string_view section, absl::string_view key) {
  for (const Setting& setting : Settings()) {
    if (setting.section == section && setting.key == key) return &setting;
  }
  return nullptr;
}

absl::Status Annotate(const absl::Status& status, absl::string_view where) {
  return absl::Status(status.code(),
                      absl::StrCat(where, ": ", status.message()));
}

absl::Status Apply(const Setting& setting, const Values& values,
                   absl::string_view where, const std::string& source,
                   LoadedConfig& loaded) {
  const absl::Status status = setting.set(loaded.config, values);
  if (!status.ok()) return Annotate(status, where);
  loaded.sources[FullName(setting)] = source;
  return absl::OkStatus();
}

absl::StatusOr<Values> TomlValues(const toml::node& node) {
  if (const auto* array = node.as_array()) {
    Values values;
    for (const toml::node& element : *array) {
      if (!element.is_string()) {
        return absl::InvalidArgumentError("expected a list of strings");
      }
      values.push_back(*element.value<std::string>());
    }
    return values;
  }
  if (node.is_string()) return Values{*node.value<std::string>()};
  if (node.is_integer()) return Values{absl::StrCat(*node.value<int64_t>())};
  return absl::InvalidArgumentError("expected a string or a whole number");
}

absl::Status ApplyFile(const std::string& path, LoadedConfig& loaded) {
  std::ifstream file(path);
  if (!file) {
    return absl::InvalidArgumentError(
        absl::StrCat("configuration \"", path, "\" cannot be opened"));
  }
  const toml::parse_result parsed = toml::parse(file, path);
  if (!parsed) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ":", parsed.error().source().begin.line, ": ",
                     absl::string_view(parsed.error().description().data(),
                                       parsed.error().description().size())));
  }
  for (const auto& [section, content] : parsed.table()) {
    const absl::string_view section_name(section.str().data(),
                                         section.str().size());
    const auto at = [&](const toml::node& node, absl::string_view name) {
      return absl::StrCat(path, ":", node.source().begin.line, ": ", name);
    };
    if (!content.is_table()) {
      return absl::InvalidArgumentError(
          absl::StrCat(at(content, section_name), ": expected a section"));
    }
    for (const auto& [key, node] : *content.as_table()) {
      const absl::string_view key_name(key.str().data(), key.str().size());
      const std::string where =
          at(node, absl::StrCat(section_name, ".", key_name));
      const Setting* setting = FindSetting(section_name, key_name);
      if (setting == nullptr) {
        return absl::InvalidArgumentError(
            absl::StrCat(where, ": no such setting"));
      }
      auto values = TomlValues(node);
      if (!values.ok()) return Annotate(values.status(), where);
      GRAPHD_RETURN_IF_ERROR(Apply(*setting, *values, where, path, loaded));
    }
  }
  return absl::OkStatus();
}

// Whether the folder can be written, or made. Makes nothing: --check and
// --print-config come this way too.
bool Writable(const std::string& folder) {
  std::error_code ignored;
  const std::filesystem::path path(folder);
  const bool there = std::filesystem::exists(path, ignored);
  return ::access((there ? path : path.parent_path()).c_str(), W_OK | X_OK) ==
         0;
}

std::string Beside(const std::string& name) {
  std::error_code ignored;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  return (self.parent_path() / name).string();
}

// Settings whose default depends on where we are.
void ApplyPlaces(const std::function<const char*(const char*)>& environment,
                 LoadedConfig& loaded) {
  const auto folder = [&](const char* variable, absl::string_view fallback) {
    const char* value = environment(variable);
    if (value != nullptr && *value != '\0') return std::string(value);
    const char* home = environment("HOME");
    if (fallback.empty() || home == nullptr) return std::string();
    return absl::StrCat(home, "/", fallback);
  };
  Config& config = loaded.config;
  if (config.listen.empty()) {
    std::string socket_dir = "/run/graphd";
    if (!Writable(socket_dir)) {
      const std::string runtime = folder("XDG_RUNTIME_DIR", "");
      socket_dir = runtime.empty() ? "" : absl::StrCat(runtime, "/graphd");
    }
    if (!socket_dir.empty()) {
      config.listen.push_back(
          absl::StrCat("unix:", socket_dir, "/graphd.sock"));
    }
    config.listen.push_back("127.0.0.1:7600");
  }
  if (config.state_dir.empty()) {
    config.state_dir = "/var/lib/graphd";
    if (!Writable(config.state_dir)) {
      const std::string state = folder("XDG_STATE_HOME", ".local/state");
      if (!state.empty()) config.state_dir = absl::StrCat(state, "/graphd");
    }
  }
  if (config.worker_program.empty()) {
    config.worker_program = Beside("graphd-worker");
  }
  if (config.compiler_program.empty()) {
    config.compiler_program = Beside("graphd-compiler");
  }
}

std::string Quoted(absl::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace

const std::vector<Setting>& Settings() {
  static const std::vector<Setting>* const all =
      new std::vector<Setting>(MakeSettings());
  return *all;
}

absl::StatusOr<uint64_t> ParseBytes(absl::string_view text) {
  constexpr std::pair<absl::string_view, int> kUnits[] = {
      {"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
  absl::string_view digits = text;
  int shift = 0;
  for (const auto& [unit, bits] : kUnits) {
    if (absl::ConsumeSuffix(&digits, unit)) shift = bits;
  }
  uint64_t number = 0;
  if (!absl::SimpleAtoi(digits, &number) || number == 0 ||
      number > (uint64_t{1} << 50) >> shift) {
    return absl::InvalidArgumentError(absl::StrCat(
        "\"", text,
        "\": expected a size above 0, as 65536, 64KiB, 64MiB, 2GiB"));
  }
  return number << shift;
}

absl::Status CheckListenAddress(absl::string_view address) {
  const auto refuse = [&](absl::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot listen on \"", address, "\": ", why));
  };
  absl::string_view rest = address;
  if (absl::ConsumePrefix(&rest, "unix:")) {
    absl::ConsumePrefix(&rest, "//");
    constexpr size_t kLongest = sizeof(sockaddr_un{}.sun_path) - 1;
    if (rest.empty()) return refuse("expected unix:/path");
    if (rest.size() > kLongest) {
      return refuse(absl::StrCat("the path has ", rest.size(),
                                 " bytes; a socket's has at most ", kLongest));
    }
    return absl::OkStatus();
  }
  const size_t colon = rest.rfind(':');
  uint32_t port = 0;
  if (colon == absl::string_view::npos ||
      !absl::SimpleAtoi(rest.substr(colon + 1), &port) || port > 65535) {
    return refuse("expected unix:/path or address:port");
  }
  const absl::string_view host = rest.substr(0, colon);
  if (host == "localhost" || host == "[::1]") return absl::OkStatus();
  const std::vector<absl::string_view> parts = absl::StrSplit(host, '.');
  bool loopback = parts.size() == 4 && parts[0] == "127";
  for (absl::string_view part : parts) {
    uint32_t number = 0;
    loopback = loopback && absl::SimpleAtoi(part, &number) && number < 256;
  }
  if (loopback) return absl::OkStatus();
  return refuse(
      "only Unix sockets and loopback addresses are served without TLS");
}

absl::StatusOr<LoadedConfig> LoadConfig(
    const std::string& file, const std::map<std::string, Values>& flags,
    const std::function<const char*(const char*)>& environment) {
  LoadedConfig loaded;
  if (!file.empty()) GRAPHD_RETURN_IF_ERROR(ApplyFile(file, loaded));
  for (const Setting& setting : Settings()) {
    const std::string variable = EnvironmentName(setting);
    if (const char* value = environment(variable.c_str()); value != nullptr) {
      const Values values =
          setting.is_list
              ? Values(absl::StrSplit(value, ',', absl::SkipEmpty()))
              : Values{value};
      GRAPHD_RETURN_IF_ERROR(
          Apply(setting, values, variable, "environment", loaded));
    }
    if (const auto flag = flags.find(std::string(setting.flag));
        flag != flags.end()) {
      GRAPHD_RETURN_IF_ERROR(
          Apply(setting, flag->second, setting.flag, "flag", loaded));
    }
  }
  ApplyPlaces(environment, loaded);
  return loaded;
}

std::string PrintConfig(const LoadedConfig& loaded) {
  std::string out;
  absl::string_view section;
  for (const Setting& setting : Settings()) {
    if (setting.section != section) {
      section = setting.section;
      absl::StrAppend(&out, out.empty() ? "" : "\n", "[", section, "]\n");
    }
    const Values values = setting.get(loaded.config);
    const std::string text =
        setting.is_list
            ? absl::StrCat(
                  "[",
                  absl::StrJoin(values, ", ",
                                [](std::string* to, const std::string& value) {
                                  to->append(Quoted(value));
                                }),
                  "]")
            : Quoted(values[0]);
    const auto source = loaded.sources.find(FullName(setting));
    absl::StrAppend(&out, setting.key, " = ", text, "  # ",
                    source == loaded.sources.end() ? "default" : source->second,
                    "\n");
  }
  return out;
}

}  // namespace graphd
