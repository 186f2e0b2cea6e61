#include "client/graphctl/command.h"

#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/graphctl/endpoint.h"
#include "core/base/status_macros.h"

namespace graphd::graphctl {
namespace {

absl::string_view FormatName(OutputFormat format) {
  switch (format) {
    case OutputFormat::kTable:
      return "table";
    case OutputFormat::kWide:
      return "wide";
    case OutputFormat::kJson:
      return "json";
    case OutputFormat::kJsonLines:
      return "jsonl";
    case OutputFormat::kYaml:
      return "yaml";
    case OutputFormat::kName:
      return "name";
    case OutputFormat::kDot:
      return "dot";
  }
  return "";
}

bool ErrorsInColor() {
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') &&
         ::isatty(STDERR_FILENO) == 1;
}

}  // namespace

void Command::AddGlobalFlags(CLI::App& app) {
  app.fallthrough();
  app.add_option("-o,--output", format_flag_,
                 "table, wide, json, jsonl, yaml or name; explain: text, json, "
                 "yaml or dot; some commands: a file")
      ->type_name("FORMAT");
  app.add_option("--endpoint", endpoint_flag_,
                 "where graphd is: unix:/path or host:port (else "
                 "GRAPHD_ENDPOINT, else the current context, else its socket)")
      ->type_name("ADDRESS");
  app.add_option("--timeout", timeout_flag_,
                 "give up after this long, e.g. 10s or 500ms")
      ->type_name("DURATION");
  app.add_flag("-q,--quiet", quiet_, "no messages but errors");
}

CLI::App* Command::AddVerb(CLI::App& parent, const std::string& name,
                           const std::string& summary,
                           const std::string& examples, Action action) {
  CLI::App* verb = parent.add_subcommand(name, summary);
  verb->fallthrough();
  verb->footer("\nExamples:\n" + examples +
               "\n\ngraphctl --help lists the flags of all commands.");
  verb->callback([this, action = std::move(action)] { action_ = action; });
  return verb;
}

int Command::Run(const CLI::App& app) {
  if (!action_) {
    const CLI::App* deepest = &app;
    std::string path;
    while (!deepest->get_subcommands().empty()) {
      deepest = deepest->get_subcommands().front();
      absl::StrAppend(&path, " ", deepest->get_name());
    }
    err_ << "error: graphctl" << path << ": expected a command after it\n\n"
         << deepest->help();
    return kUsage;
  }
  const absl::StatusOr<int> code = action_();
  if (!code.ok()) Fail(code.status());
  out_.flush();
  if (code.ok() && !out_.good()) {
    err_ << "error: cannot write to standard output\n";
    return kAnswerIsNo;
  }
  return code.ok() ? *code : ExitCodeOf(code.status());
}

void Command::Fail(const absl::Status& status) {
  out_.flush();
  err_ << ErrorText(status, ErrorsInColor());
}

absl::StatusOr<Client*> Command::Daemon() {
  if (client_ != nullptr) return client_.get();
  auto endpoint = Local(ResolveEndpoint(endpoint_flag_, ThisMachine()));
  GRAPHD_RETURN_IF_ERROR(endpoint.status());
  absl::Duration timeout = absl::InfiniteDuration();
  if (!timeout_flag_.empty() &&
      (!absl::ParseDuration(timeout_flag_, &timeout) ||
       timeout <= absl::ZeroDuration())) {
    return UsageError(
        absl::StrCat("--timeout: expected a duration such as 10s, "
                     "found \"",
                     absl::CEscape(timeout_flag_), "\""));
  }
  client_ = std::make_unique<Client>(endpoint->address);
  client_->SetTimeout(timeout);
  return client_.get();
}

absl::StatusOr<OutputFormat> Command::FormatAmong(
    const std::vector<OutputFormat>& formats) const {
  if (format_flag_.empty()) return OutputFormat::kTable;
  const auto asked = ParseOutputFormat(format_flag_);
  std::string names;
  for (const OutputFormat format : formats) {
    if (asked == format) return format;
    absl::StrAppend(&names, names.empty() ? "" : ", ", FormatName(format));
  }
  return UsageError(absl::StrCat("-o: this command prints ", names,
                                 "; found \"", absl::CEscape(format_flag_),
                                 "\""));
}

absl::StatusOr<bool> Command::PrintMessage(
    const google::protobuf::Message& message, OutputFormat format) {
  if (format != OutputFormat::kJson && format != OutputFormat::kJsonLines &&
      format != OutputFormat::kYaml) {
    return false;
  }
  GRAPHD_ASSIGN_OR_RETURN(const std::string text, Format(message, format));
  out_ << text;
  return true;
}

void Command::Say(absl::string_view line) {
  if (!quiet_) err_ << line << '\n';
}

absl::Status Local(const absl::Status& status) {
  if (status.ok()) return status;
  absl::Status marked = status;
  marked.SetPayload(kUsageError, absl::Cord("1"));
  return marked;
}

absl::StatusOr<std::pair<std::string, std::string>> SplitBinding(
    absl::string_view flag, absl::string_view text) {
  const size_t equals = text.find('=');
  if (equals == absl::string_view::npos || equals == 0 ||
      equals + 1 == text.size()) {
    return UsageError(absl::StrCat(flag, ": expected NAME=VALUE, found \"",
                                   absl::CEscape(text), "\""));
  }
  return std::pair(std::string(text.substr(0, equals)),
                   std::string(text.substr(equals + 1)));
}

absl::StatusOr<std::vector<uint64_t>> ParseShape(absl::string_view text) {
  std::vector<uint64_t> shape;
  for (const absl::string_view part :
       absl::StrSplit(text, absl::ByAnyChar(",x"))) {
    uint64_t extent = 0;
    if (!absl::SimpleAtoi(part, &extent)) {
      return UsageError(
          absl::StrCat("--shape: expected numbers such as 1048576 or 512,512, "
                       "found \"",
                       absl::CEscape(text), "\""));
    }
    shape.push_back(extent);
  }
  return shape;
}

absl::StatusOr<ScalarType> ParseType(absl::string_view flag,
                                     absl::string_view text) {
  const auto type = ParseScalarType(text);
  if (type.has_value()) return *type;
  return UsageError(absl::StrCat(
      flag,
      ": expected s8, u8, s16, u16, s32, u32, s64, u64, f16, bf16, f32, f64 or "
      "bool, found \"",
      absl::CEscape(text), "\""));
}

}  // namespace graphd::graphctl
