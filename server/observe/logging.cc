#include "server/observe/logging.h"

#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace graphd {
namespace {

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      break;
  }
  return spdlog::level::off;
}

std::string JsonString(absl::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += absl::StrFormat("\\u%04x", c);
        } else {
          out += c;
        }
    }
  }
  out += '"';
  return out;
}

std::shared_ptr<spdlog::sinks::sink> StderrSink(bool json) {
  if (json) return std::make_shared<spdlog::sinks::stderr_sink_mt>();
  return std::make_shared<spdlog::sinks::ansicolor_stderr_sink_mt>();
}

bool WantsJson(LogFormat format) {
  return format == LogFormat::kJson ||
         (format == LogFormat::kAuto && ::isatty(STDERR_FILENO) == 0);
}

}  // namespace

absl::StatusOr<LogFormat> ParseLogFormat(absl::string_view name) {
  if (name == "auto") return LogFormat::kAuto;
  if (name == "json") return LogFormat::kJson;
  if (name == "text") return LogFormat::kText;
  return absl::InvalidArgumentError(
      absl::StrCat("log format \"", name, "\": expected auto, json or text"));
}

absl::StatusOr<LogLevel> ParseLogLevel(absl::string_view name) {
  if (name == "debug") return LogLevel::kDebug;
  if (name == "info") return LogLevel::kInfo;
  if (name == "warning") return LogLevel::kWarning;
  if (name == "error") return LogLevel::kError;
  if (name == "off") return LogLevel::kOff;
  return absl::InvalidArgumentError(absl::StrCat(
      "log level \"", name, "\": expected debug, info, warning, error or off"));
}

Logger::Logger(LogLevel level, LogFormat format)
    : Logger(level, format, StderrSink(WantsJson(format))) {}

Logger::Logger(LogLevel level, LogFormat format,
               std::shared_ptr<spdlog::sinks::sink> sink)
    : json_(WantsJson(format)),
      logger_(std::make_unique<spdlog::logger>("graphd", std::move(sink))) {
  logger_->set_level(ToSpdlog(level));
  logger_->flush_on(spdlog::level::debug);
  if (json_) {
    logger_->set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%fZ","level":"%l",%v})",
                         spdlog::pattern_time_type::utc);
  } else {
    logger_->set_pattern("%H:%M:%S.%e %^%-7l%$ %v");
  }
}

Logger::~Logger() = default;

void Logger::Write(LogLevel level, absl::string_view message, Fields fields) {
  const spdlog::level::level_enum at = ToSpdlog(level);
  if (!logger_->should_log(at)) return;
  std::string line = json_ ? absl::StrCat("\"message\":", JsonString(message))
                           : std::string(message);
  for (const auto& [name, value] : fields) {
    if (json_) {
      absl::StrAppend(&line, ",", JsonString(name), ":", JsonString(value));
    } else {
      absl::StrAppend(&line, " ", name, "=", value);
    }
  }
  logger_->log(at, spdlog::string_view_t(line.data(), line.size()));
}

void Logger::Debug(absl::string_view message, Fields fields) {
  Write(LogLevel::kDebug, message, fields);
}
void Logger::Info(absl::string_view message, Fields fields) {
  Write(LogLevel::kInfo, message, fields);
}
void Logger::Warning(absl::string_view message, Fields fields) {
  Write(LogLevel::kWarning, message, fields);
}
void Logger::Error(absl::string_view message, Fields fields) {
  Write(LogLevel::kError, message, fields);
}

}  // namespace graphd
