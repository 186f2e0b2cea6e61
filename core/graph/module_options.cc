// The NVRTC options that a client may give.
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/graph/validation.h"

namespace graphd {
namespace {

bool IsIdentifier(absl::string_view text) {
  if (text.empty() || absl::ascii_isdigit(text[0])) return false;
  for (const char c : text) {
    if (!absl::ascii_isalnum(c) && c != '_') return false;
  }
  return true;
}

bool IsTruth(absl::string_view text) {
  return text == "true" || text == "false";
}

bool IsStandard(absl::string_view text) {
  return text == "c++11" || text == "c++14" || text == "c++17" ||
         text == "c++20";
}

bool IsRegisterCount(absl::string_view text) {
  int count = 0;
  return absl::SimpleAtoi(text, &count) && count >= 16 && count <= 255;
}

bool IsDefinition(absl::string_view text) {
  const absl::string_view name = text.substr(0, text.find_first_of("=("));
  for (const char c : text) {
    if (!absl::ascii_isprint(c)) return false;
  }
  return IsIdentifier(name);
}

// `-name=value` or `--name=value` with a value of this kind.
struct ValuedOption {
  absl::string_view name;
  bool (*is_value)(absl::string_view);
  absl::string_view expected;
};
constexpr ValuedOption kValued[] = {
    {"std", IsStandard, "c++11, c++14, c++17 or c++20"},
    {"ftz", IsTruth, "true or false"},
    {"prec-div", IsTruth, "true or false"},
    {"prec-sqrt", IsTruth, "true or false"},
    {"fmad", IsTruth, "true or false"},
    {"maxrregcount", IsRegisterCount, "a number from 16 to 255"},
    {"define-macro", IsDefinition, "NAME or NAME=VALUE"},
    {"undefine-macro", IsIdentifier, "NAME"},
};

constexpr absl::string_view kPlain[] = {"use_fast_math",
                                        "lineinfo",
                                        "generate-line-info",
                                        "default-device",
                                        "device-as-default-execution-space",
                                        "extra-device-vectorization"};

constexpr absl::string_view kList =
    "-D, -U, -std=, -use_fast_math, -ftz=, -prec-div=, -prec-sqrt=, -fmad=, "
    "-lineinfo, -maxrregcount=, -default-device and "
    "-extra-device-vectorization";

}  // namespace

std::optional<std::string> RefusalOfOption(absl::string_view option) {
  const absl::string_view original = option;
  if (!absl::ConsumePrefix(&option, "-")) {
    return absl::StrCat(Quoted(original), " is not an option: expected one of ",
                        kList);
  }
  const bool is_long = absl::ConsumePrefix(&option, "-");
  if (!is_long && absl::ConsumePrefix(&option, "D")) {
    if (IsDefinition(option)) return std::nullopt;
    return absl::StrCat(Quoted(original), ": expected -DNAME or -DNAME=VALUE");
  }
  if (!is_long && absl::ConsumePrefix(&option, "U")) {
    if (IsIdentifier(option)) return std::nullopt;
    return absl::StrCat(Quoted(original), ": expected -UNAME");
  }
  for (const absl::string_view name : kPlain) {
    if (option == name) return std::nullopt;
  }
  const size_t equals = option.find('=');
  const absl::string_view name = option.substr(0, equals);
  for (const ValuedOption& valued : kValued) {
    if (name != valued.name) continue;
    if (equals != absl::string_view::npos &&
        valued.is_value(option.substr(equals + 1))) {
      return std::nullopt;
    }
    return absl::StrCat(Quoted(original), ": expected -", valued.name,
                        "= with ", valued.expected);
  }
  if ((!is_long && absl::StartsWith(option, "I")) || name == "include-path" ||
      name == "pre-include" || name == "include") {
    return absl::StrCat(Quoted(original),
                        " is refused: sources include only the headers of the "
                        "bundled toolkit");
  }
  if (name == "arch" || name == "gpu-architecture") {
    return absl::StrCat(Quoted(original),
                        " is refused: the architecture follows from the "
                        "device");
  }
  return absl::StrCat(Quoted(original), " is refused: the options allowed are ",
                      kList);
}

}  // namespace graphd
