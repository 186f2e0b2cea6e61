// What graphctl prints: tables for people, JSON and YAML for programs, errors.
//
// JSON is proto3 JSON of the daemon's answer. YAML is the same content in block
// style. Data goes to standard output, everything else to standard error.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CLIENT_GRAPHCTL_OUTPUT_H_
#define GRAPHD_CLIENT_GRAPHCTL_OUTPUT_H_

#include <google/protobuf/message.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace graphd::graphctl {

enum class OutputFormat {
  kTable,  // also what describe and explain call text
  kWide,
  kJson,
  kJsonLines,
  kYaml,
  kName,
  kDot,
};

std::optional<OutputFormat> ParseOutputFormat(absl::string_view name);

// Columns as wide as their longest cell, two spaces apart; headings in upper
// case.
class Table {
 public:
  explicit Table(std::vector<std::string> columns);
  // Aligns a column's cells to the right.
  Table& Right(size_t column);
  // Requires: as many cells as columns.
  void Add(std::vector<std::string> cells);
  std::string ToString(absl::string_view indent = "") const;

 private:
  std::vector<std::string> columns_;
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

// Characters that a terminal shows, of UTF-8 text of one column each.
size_t DisplayWidth(absl::string_view text);
// Breaks at spaces so that no line passes `width`; every line starts with
// `indent`.
std::string Wrapped(absl::string_view text, size_t width,
                    absl::string_view indent);
// "4.0 MiB"; exact below 1 KiB.
std::string HumanBytes(uint64_t bytes);
// "12.3 us", "1.25 s".
std::string HumanTime(double seconds);
// "1,048,576".
std::string Grouped(uint64_t number);

// Errors: INVALID_ARGUMENT: a string is not UTF-8.
absl::StatusOr<std::string> ToJson(const google::protobuf::Message& message,
                                   bool one_line);
// JSON that protobuf or we wrote, as YAML in block style.
std::string YamlFromJson(absl::string_view json);
// kJson, kJsonLines or kYaml, with a final newline. Requires: one of them.
absl::StatusOr<std::string> Format(const google::protobuf::Message& message,
                                   OutputFormat format);

// "error: INVALID_ARGUMENT: …", then a line a finding, then hints.
std::string ErrorText(const absl::Status& status, bool color);

}  // namespace graphd::graphctl

#endif  // GRAPHD_CLIENT_GRAPHCTL_OUTPUT_H_
