#include "client/graphctl/scalar_text.h"

#include <cmath>
#include <optional>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace graphd::graphctl {
namespace {

std::optional<Scalar> ParseFloat(ScalarType type, absl::string_view text) {
  const bool asks_infinity =
      absl::StrContains(text, "i") || absl::StrContains(text, "I");
  if (type == ScalarType::kF32) {  // not through double: it would round twice
    float value = 0;
    if (!absl::SimpleAtof(text, &value)) return std::nullopt;
    if (std::isinf(value) && !asks_infinity) return std::nullopt;
    return Scalar::F32(value);
  }
  double value = 0;
  if (!absl::SimpleAtod(text, &value)) return std::nullopt;
  if (std::isinf(value) && !asks_infinity) return std::nullopt;
  return Scalar::FromDouble(type, value);
}

std::optional<Scalar> ParseInteger(ScalarType type, absl::string_view text) {
  if (type == ScalarType::kBool && (text == "true" || text == "false")) {
    return Scalar::FromUnsigned(type, text == "true" ? 1 : 0);
  }
  uint64_t value = 0;
  absl::string_view digits = text;
  if (absl::ConsumePrefix(&digits, "0x")) {
    if (!absl::SimpleHexAtoi(digits, &value)) return std::nullopt;
    return Scalar::FromUnsigned(type, value);
  }
  int64_t negative = 0;
  if (absl::StartsWith(text, "-")) {
    if (!absl::SimpleAtoi(text, &negative)) return std::nullopt;
    return Scalar::FromSigned(type, negative);
  }
  if (!absl::SimpleAtoi(text, &value)) return std::nullopt;
  return Scalar::FromUnsigned(type, value);
}

}  // namespace

absl::StatusOr<Scalar> ParseScalar(ScalarType type, absl::string_view text) {
  const auto scalar =
      IsFloat(type) ? ParseFloat(type, text) : ParseInteger(type, text);
  if (scalar.has_value()) return *scalar;
  return absl::InvalidArgumentError(absl::StrCat("expected a value of type ",
                                                 Name(type), ", found \"",
                                                 absl::CEscape(text), "\""));
}

}  // namespace graphd::graphctl
