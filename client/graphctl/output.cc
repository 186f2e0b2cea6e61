#include "client/graphctl/output.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "client/client.h"
#include "client/graphctl/exit_codes.h"
#include "core/base/check.h"
#include "core/base/status_macros.h"

namespace graphd::graphctl {
namespace {

// A line a finding: "  nodes[3].args[1]: …"; further lines of it indented.
std::string FindingsOf(const google::rpc::BadRequest& bad) {
  std::string text;
  for (const auto& violation : bad.field_violations()) {
    const std::string line =
        absl::StrCat(violation.field(), ": ", violation.description());
    bool first = true;
    for (const absl::string_view part : absl::StrSplit(line, '\n')) {
      absl::StrAppend(&text, first ? "  " : "    ", part, "\n");
      first = false;
    }
  }
  return text;
}

std::string Indented(absl::string_view lines) {
  std::string text;
  for (const absl::string_view line : absl::StrSplit(lines, '\n')) {
    if (!line.empty()) absl::StrAppend(&text, "  ", line, "\n");
  }
  return text;
}

std::string Hints(const absl::Status& status) {
  std::string text;
  if (const auto info = DetailsOf<google::rpc::ErrorInfo>(status)) {
    if (!info->reason().empty()) {
      absl::StrAppend(&text, "  reason: ", info->reason(), "\n");
    }
    std::vector<std::pair<std::string, std::string>> rows(
        info->metadata().begin(), info->metadata().end());
    std::sort(rows.begin(), rows.end());
    for (const auto& [key, value] : rows) {
      absl::StrAppend(&text, "  ", key, ": ", value, "\n");
    }
  }
  if (const auto retry = DetailsOf<google::rpc::RetryInfo>(status)) {
    const auto& delay = retry->retry_delay();
    absl::StrAppend(
        &text, "  retry after ",
        HumanTime(static_cast<double>(delay.seconds()) + delay.nanos() * 1e-9),
        "\n");
  }
  if (status.GetPayload(Client::kUnreachable).has_value()) {
    absl::StrAppend(&text,
                    "hint: start graphd, or name another with --endpoint or "
                    "GRAPHD_ENDPOINT\n");
  }
  return text;
}

// Protobuf writes well-formed JSON; this only has to follow it.
class JsonReader {
 public:
  explicit JsonReader(absl::string_view text) : text_(text) {}

  // The value as YAML. `indent`: spaces before the lines of a block.
  // A scalar is one line without newline; a block begins with a newline unless
  // `inline_first`.
  std::string Value(size_t indent, bool inline_first) {
    SkipSpace();
    if (Peek() == '{') return Object(indent, inline_first);
    if (Peek() == '[') return Array(indent, inline_first);
    if (Peek() == '"') return String();
    const size_t start = position_;
    while (position_ < text_.size() && !IsEnd(Peek())) ++position_;
    return std::string(text_.substr(start, position_ - start));
  }

 private:
  static bool IsEnd(char c) {
    return c == ',' || c == '}' || c == ']' || absl::ascii_isspace(c);
  }

  std::string Object(size_t indent, bool inline_first) {
    ++position_;
    std::string text;
    bool first = true;
    while (!Close('}')) {
      if (!first || !inline_first) {
        absl::StrAppend(&text, "\n", std::string(indent, ' '));
      }
      first = false;
      const std::string key = String();
      SkipSpace();
      ++position_;  // ':'
      const std::string value = Value(indent + 2, false);
      absl::StrAppend(&text, key, ":",
                      value.empty() || value[0] != '\n' ? " " : "", value);
    }
    return first ? "{}" : text;
  }

  std::string Array(size_t indent, bool inline_first) {
    ++position_;
    std::string text;
    bool first = true;
    while (!Close(']')) {
      if (!first || !inline_first) {
        absl::StrAppend(&text, "\n", std::string(indent, ' '));
      }
      first = false;
      absl::StrAppend(&text, "- ", Value(indent + 2, true));
    }
    return first ? "[]" : text;
  }

  // Plain where YAML reads it as the same string, else quoted as in JSON.
  std::string String() {
    SkipSpace();
    const size_t start = position_++;
    while (position_ < text_.size() && Peek() != '"') {
      position_ += Peek() == '\\' ? 2 : 1;
    }
    ++position_;
    const absl::string_view quoted = text_.substr(start, position_ - start);
    const absl::string_view plain = quoted.substr(1, quoted.size() - 2);
    return std::string(IsPlain(plain) ? plain : quoted);
  }

  static bool IsPlain(absl::string_view text) {
    if (text.empty() || !(absl::ascii_isalpha(text[0]) || text[0] == '_')) {
      return false;
    }
    for (const char c : text) {
      if (!absl::ascii_isalnum(c) && c != '_' && c != '-' && c != '.' &&
          c != '/' && c != '@') {
        return false;
      }
    }
    const std::string lower = absl::AsciiStrToLower(text);
    for (const char* word :
         {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}) {
      if (lower == word) return false;
    }
    return true;
  }

  bool Close(char c) {
    SkipSpace();
    if (Peek() == ',') {
      ++position_;
      SkipSpace();
    }
    if (position_ < text_.size() && Peek() != c) return false;
    ++position_;
    return true;
  }
  void SkipSpace() {
    while (position_ < text_.size() && absl::ascii_isspace(Peek())) ++position_;
  }
  char Peek() const {
    return position_ < text_.size() ? text_[position_] : '\0';
  }

  absl::string_view text_;
  size_t position_ = 0;
};

}  // namespace

std::optional<OutputFormat> ParseOutputFormat(absl::string_view name) {
  if (name == "table" || name == "text") return OutputFormat::kTable;
  if (name == "wide") return OutputFormat::kWide;
  if (name == "json") return OutputFormat::kJson;
  if (name == "jsonl") return OutputFormat::kJsonLines;
  if (name == "yaml") return OutputFormat::kYaml;
  if (name == "name") return OutputFormat::kName;
  if (name == "dot") return OutputFormat::kDot;
  return std::nullopt;
}

Table::Table(std::vector<std::string> columns)
    : columns_(std::move(columns)), right_(columns_.size(), false) {}

Table& Table::Right(size_t column) {
  right_[column] = true;
  return *this;
}

void Table::Add(std::vector<std::string> cells) {
  GRAPHD_CHECK(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::ToString(absl::string_view indent) const {
  std::vector<size_t> widths;
  for (size_t c = 0; c < columns_.size(); ++c) {
    size_t width = DisplayWidth(columns_[c]);
    for (const auto& row : rows_) width = std::max(width, DisplayWidth(row[c]));
    widths.push_back(width);
  }
  std::string text;
  const auto append = [&](const std::vector<std::string>& cells) {
    std::string line(indent);
    for (size_t c = 0; c < cells.size(); ++c) {
      const std::string gap(widths[c] - DisplayWidth(cells[c]), ' ');
      absl::StrAppend(&line, c == 0 ? "" : "  ", right_[c] ? gap : "", cells[c],
                      right_[c] ? "" : gap);
    }
    absl::StripTrailingAsciiWhitespace(&line);
    absl::StrAppend(&text, line, "\n");
  };
  append(columns_);
  for (const auto& row : rows_) append(row);
  return text;
}

size_t DisplayWidth(absl::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(),
      [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string Wrapped(absl::string_view text, size_t width,
                    absl::string_view indent) {
  std::string result;
  std::string line(indent);
  bool empty = true;
  for (const absl::string_view word :
       absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty())) {
    if (!empty && DisplayWidth(line) + 1 + DisplayWidth(word) > width) {
      absl::StrAppend(&result, line, "\n");
      line = std::string(indent);
      empty = true;
    }
    absl::StrAppend(&line, empty ? "" : " ", word);
    empty = false;
  }
  if (!empty) absl::StrAppend(&result, line, "\n");
  return result;
}

std::string HumanBytes(uint64_t bytes) {
  if (bytes < 1024) return absl::StrCat(bytes, " B");
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return absl::StrFormat("%.1f %s", value, kUnits[unit]);
}

std::string HumanTime(double seconds) {
  if (seconds >= 1) return absl::StrFormat("%.2f s", seconds);
  if (seconds >= 1e-3) return absl::StrFormat("%.2f ms", seconds * 1e3);
  return absl::StrFormat("%.1f us", seconds * 1e6);
}

std::string Grouped(uint64_t number) {
  std::string digits = absl::StrCat(number);
  for (size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

absl::StatusOr<std::string> ToJson(const google::protobuf::Message& message,
                                   bool one_line) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = !one_line;
  std::string json;
  const auto status =
      google::protobuf::util::MessageToJsonString(message, &json, options);
  if (!status.ok()) {
    return absl::InvalidArgumentError(std::string(status.message()));
  }
  return json;
}

std::string YamlFromJson(absl::string_view json) {
  return JsonReader(json).Value(0, true) + "\n";
}

absl::StatusOr<std::string> Format(const google::protobuf::Message& message,
                                   OutputFormat format) {
  const bool lines = format == OutputFormat::kJsonLines;
  GRAPHD_ASSIGN_OR_RETURN(std::string json, ToJson(message, lines));
  if (format == OutputFormat::kYaml) return YamlFromJson(json);
  GRAPHD_CHECK(lines || format == OutputFormat::kJson);
  if (json.empty() || json.back() != '\n') json.push_back('\n');
  return json;
}

std::string ErrorText(const absl::Status& status, bool color) {
  const absl::string_view message = status.message();
  const size_t newline = std::min(message.find('\n'), message.size());
  std::string text =
      absl::StrCat(color ? "\033[1;31merror:\033[0m " : "error: ");
  if (!status.GetPayload(kUsageError).has_value()) {
    absl::StrAppend(&text, absl::StatusCodeToString(status.code()), ": ");
  }
  absl::StrAppend(&text, message.substr(0, newline), "\n");
  std::string findings = Indented(message.substr(newline));
  // The message may have been cut, and so may the details.
  if (const auto bad = DetailsOf<google::rpc::BadRequest>(status)) {
    const std::string details = FindingsOf(*bad);
    if (std::count(details.begin(), details.end(), '\n') >=
        std::count(findings.begin(), findings.end(), '\n')) {
      findings = details;
    }
  }
  absl::StrAppend(&text, findings, Hints(status));
  return text;
}

}  // namespace graphd::graphctl
