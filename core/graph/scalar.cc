#include "core/graph/scalar.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"
#include "core/base/check.h"

namespace graphd {
namespace {

// A binary floating format: significand bits (the hidden one included) and the
// exponent's bias.
struct FloatFormat {
  int precision;
  int bias;
  int max_exponent;  // of the largest finite value
};
constexpr FloatFormat kF16Format{11, 15, 15};
constexpr FloatFormat kBF16Format{8, 127, 127};

// Rounds to nearest even in one step, so that a double never rounds twice.
uint64_t EncodeSmallFloat(double value, FloatFormat format) {
  const uint64_t fraction_bits = format.precision - 1;
  const uint64_t all_exponent = 2u * format.bias + 1;
  const uint64_t sign =
      std::signbit(value)
          ? uint64_t{1} << (fraction_bits + std::bit_width(all_exponent))
          : 0;
  const uint64_t infinity = all_exponent << fraction_bits;
  if (std::isnan(value)) {
    return sign | infinity | (uint64_t{1} << (fraction_bits - 1));
  }
  const double magnitude = std::fabs(value);
  if (std::isinf(value)) return sign | infinity;
  if (magnitude == 0) return sign;
  const int min_exponent = 1 - format.bias;
  const int exponent = std::max(std::ilogb(magnitude), min_exponent);
  const int quantum = exponent - (format.precision - 1);
  const auto significand =
      static_cast<uint64_t>(std::nearbyint(std::ldexp(magnitude, -quantum)));
  // Adding, not or-ing, lets a significand that rounded up carry into the
  // exponent.
  const uint64_t biased = static_cast<uint64_t>(exponent - min_exponent);
  const uint64_t bits = (biased << fraction_bits) + significand;
  return sign | std::min(bits, infinity);
}

double DecodeSmallFloat(uint64_t bits, FloatFormat format) {
  const int fraction_bits = format.precision - 1;
  const int all_exponent = 2 * format.bias + 1;
  const uint64_t fraction = bits & ((uint64_t{1} << fraction_bits) - 1);
  const int exponent = static_cast<int>(bits >> fraction_bits) & all_exponent;
  const bool negative =
      (bits >>
       (fraction_bits + std::bit_width(static_cast<unsigned>(all_exponent)))) &
      1;
  double magnitude;
  if (exponent == all_exponent) {
    magnitude = fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                              : std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<double>(fraction),
                           1 - format.bias - fraction_bits);
  } else {
    magnitude = std::ldexp(
        static_cast<double>(fraction + (uint64_t{1} << fraction_bits)),
        exponent - format.bias - fraction_bits);
  }
  return negative ? -magnitude : magnitude;
}

// The shortest text that reads back as the same value.
template <typename T>
std::string Shortest(T value) {
  char text[64];
  const auto result = std::to_chars(text, text + sizeof(text), value);
  return std::string(text, result.ptr);
}

}  // namespace

uint32_t SizeBytes(ScalarType type) {
  switch (type) {
    case ScalarType::kS8:
    case ScalarType::kU8:
    case ScalarType::kBool:
      return 1;
    case ScalarType::kS16:
    case ScalarType::kU16:
    case ScalarType::kF16:
    case ScalarType::kBF16:
      return 2;
    case ScalarType::kS32:
    case ScalarType::kU32:
    case ScalarType::kF32:
      return 4;
    case ScalarType::kS64:
    case ScalarType::kU64:
    case ScalarType::kF64:
      return 8;
  }
  GRAPHD_CHECK(false);
}

absl::string_view Name(ScalarType type) {
  switch (type) {
    case ScalarType::kS8:
      return "s8";
    case ScalarType::kU8:
      return "u8";
    case ScalarType::kS16:
      return "s16";
    case ScalarType::kU16:
      return "u16";
    case ScalarType::kS32:
      return "s32";
    case ScalarType::kU32:
      return "u32";
    case ScalarType::kS64:
      return "s64";
    case ScalarType::kU64:
      return "u64";
    case ScalarType::kF16:
      return "f16";
    case ScalarType::kBF16:
      return "bf16";
    case ScalarType::kF32:
      return "f32";
    case ScalarType::kF64:
      return "f64";
    case ScalarType::kBool:
      return "bool";
  }
  GRAPHD_CHECK(false);
}

std::optional<ScalarType> ParseScalarType(absl::string_view name) {
  for (int i = 1; i <= static_cast<int>(ScalarType::kBool); ++i) {
    const auto type = static_cast<ScalarType>(i);
    if (Name(type) == name) return type;
  }
  return std::nullopt;
}

bool IsFloat(ScalarType type) {
  return type == ScalarType::kF16 || type == ScalarType::kBF16 ||
         type == ScalarType::kF32 || type == ScalarType::kF64;
}

bool IsSigned(ScalarType type) {
  return type == ScalarType::kS8 || type == ScalarType::kS16 ||
         type == ScalarType::kS32 || type == ScalarType::kS64;
}

Scalar Scalar::F32(float value) {
  return {ScalarType::kF32, std::bit_cast<uint32_t>(value)};
}
Scalar Scalar::F64(double value) {
  return {ScalarType::kF64, std::bit_cast<uint64_t>(value)};
}
Scalar Scalar::S32(int32_t value) {
  return {ScalarType::kS32, static_cast<uint32_t>(value)};
}
Scalar Scalar::U32(uint32_t value) { return {ScalarType::kU32, value}; }
Scalar Scalar::S64(int64_t value) {
  return {ScalarType::kS64, static_cast<uint64_t>(value)};
}
Scalar Scalar::U64(uint64_t value) { return {ScalarType::kU64, value}; }

std::optional<Scalar> Scalar::FromSigned(ScalarType type, int64_t value) {
  if (IsFloat(type)) return std::nullopt;
  if (!IsSigned(type)) {
    if (value < 0) return std::nullopt;
    return FromUnsigned(type, static_cast<uint64_t>(value));
  }
  const int bits = 8 * static_cast<int>(SizeBytes(type));
  const int64_t least = std::numeric_limits<int64_t>::min() >> (64 - bits);
  if (value < least || value > ~least) return std::nullopt;
  const uint64_t mask = ~uint64_t{0} >> (64 - bits);
  return Scalar{type, static_cast<uint64_t>(value) & mask};
}

std::optional<Scalar> Scalar::FromUnsigned(ScalarType type, uint64_t value) {
  if (IsFloat(type)) return std::nullopt;
  if (type == ScalarType::kBool && value > 1) return std::nullopt;
  const int bits =
      8 * static_cast<int>(SizeBytes(type)) - (IsSigned(type) ? 1 : 0);
  if (value > ~uint64_t{0} >> (64 - bits)) return std::nullopt;
  return Scalar{type, value};
}

std::optional<Scalar> Scalar::FromDouble(ScalarType type, double value) {
  Scalar scalar{type, 0};
  switch (type) {
    case ScalarType::kF16:
      scalar.bits = EncodeSmallFloat(value, kF16Format);
      break;
    case ScalarType::kBF16:
      scalar.bits = EncodeSmallFloat(value, kBF16Format);
      break;
    case ScalarType::kF32:
      // A double beyond float's range is undefined in a cast.
      if (std::isfinite(value) &&
          std::fabs(value) > std::numeric_limits<float>::max() *
                                 (1.0 + std::ldexp(1.0, -25))) {
        return std::nullopt;
      }
      scalar.bits = std::bit_cast<uint32_t>(static_cast<float>(value));
      break;
    case ScalarType::kF64:
      scalar.bits = std::bit_cast<uint64_t>(value);
      break;
    default:
      return std::nullopt;
  }
  if (std::isfinite(value) && !std::isfinite(scalar.AsDouble())) {
    return std::nullopt;
  }
  return scalar;
}

bool Scalar::IsCanonical() const {
  const uint32_t size = SizeBytes(type);
  if (size < 8 && (bits >> (8 * size)) != 0) return false;
  return type != ScalarType::kBool || bits <= 1;
}

double Scalar::AsDouble() const {
  switch (type) {
    case ScalarType::kF16:
      return DecodeSmallFloat(bits, kF16Format);
    case ScalarType::kBF16:
      return DecodeSmallFloat(bits, kBF16Format);
    case ScalarType::kF32:
      return std::bit_cast<float>(static_cast<uint32_t>(bits));
    case ScalarType::kF64:
      return std::bit_cast<double>(bits);
    case ScalarType::kU64:
      return static_cast<double>(bits);
    default:
      return static_cast<double>(*AsInteger());
  }
}

std::optional<int64_t> Scalar::AsInteger() const {
  if (IsFloat(type)) return std::nullopt;
  if (!IsSigned(type)) return static_cast<int64_t>(bits);
  const int unused = 64 - 8 * static_cast<int>(SizeBytes(type));
  return static_cast<int64_t>(bits << unused) >> unused;
}

std::string Scalar::ToString() const {
  switch (type) {
    case ScalarType::kBool:
      return bits != 0 ? "true" : "false";
    case ScalarType::kU64:
      return absl::StrCat(bits);
    case ScalarType::kF64:
      return Shortest(AsDouble());
    case ScalarType::kF16:
    case ScalarType::kBF16:
    case ScalarType::kF32:
      return Shortest(static_cast<float>(AsDouble()));
    default:
      return absl::StrCat(*AsInteger());
  }
}

bool LessOrEqual(const Scalar& a, const Scalar& b) {
  GRAPHD_CHECK(a.type == b.type);
  if (IsFloat(a.type)) return a.AsDouble() <= b.AsDouble();
  if (IsSigned(a.type)) return *a.AsInteger() <= *b.AsInteger();
  return a.bits <= b.bits;
}

}  // namespace graphd
