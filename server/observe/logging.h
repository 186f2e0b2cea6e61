// The daemon's log: one JSON object a line on stderr, plain text on a terminal.
//
// A line is a message in constant words and fields with what varies, so that
// programs can count and people can read. Never the contents of a tensor.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_SERVER_OBSERVE_LOGGING_H_
#define GRAPHD_SERVER_OBSERVE_LOGGING_H_

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace spdlog {
class logger;
namespace sinks {
class sink;
}
}  // namespace spdlog

namespace graphd {

enum class LogFormat { kAuto, kJson, kText };
enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };

absl::StatusOr<LogFormat> ParseLogFormat(absl::string_view name);
absl::StatusOr<LogLevel> ParseLogLevel(absl::string_view name);

class Logger {
 public:
  using Fields =
      std::initializer_list<std::pair<absl::string_view, std::string>>;

  // Writes to stderr; kAuto means text on a terminal, else JSON.
  Logger(LogLevel level, LogFormat format);
  // Writes to `sink`.
  Logger(LogLevel level, LogFormat format,
         std::shared_ptr<spdlog::sinks::sink> sink);
  ~Logger();

  void Debug(absl::string_view message, Fields fields = {});
  void Info(absl::string_view message, Fields fields = {});
  void Warning(absl::string_view message, Fields fields = {});
  void Error(absl::string_view message, Fields fields = {});

 private:
  void Write(LogLevel level, absl::string_view message, Fields fields);

  bool json_;
  std::unique_ptr<spdlog::logger> logger_;
};

}  // namespace graphd

#endif  // GRAPHD_SERVER_OBSERVE_LOGGING_H_
