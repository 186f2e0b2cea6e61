#include "client/graphctl/tensor_arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"

namespace graphd::graphctl {
namespace {

// More is a mistake, not a tensor.
constexpr uint64_t kMostRandomBytes = uint64_t{16} << 30;

// Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators (2014).
uint64_t SplitMix64(uint64_t state) {
  uint64_t z = state + 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

void Append(uint64_t bits, uint32_t width, std::string& data) {
  for (uint32_t i = 0; i < width; ++i) {
    data.push_back(static_cast<char>(bits >> (8 * i)));
  }
}

// A double as an integer of the type; nullopt: not whole, or it does not fit.
std::optional<Scalar> IntegerFrom(ScalarType type, double value) {
  if (!(std::floor(value) == value)) return std::nullopt;
  if (value < 0) {
    if (value < -std::ldexp(1.0, 63)) return std::nullopt;
    return Scalar::FromSigned(type, static_cast<int64_t>(value));
  }
  if (value >= std::ldexp(1.0, 64)) return std::nullopt;
  return Scalar::FromUnsigned(type, static_cast<uint64_t>(value));
}

std::optional<Scalar> FromDouble(ScalarType type, double value) {
  return IsFloat(type) ? Scalar::FromDouble(type, value)
                       : IntegerFrom(type, value);
}

// Maps a float's bits to integers in the order of the values; both zeros to 0.
int64_t Ordinal(const Scalar& scalar) {
  const uint32_t width_bits = 8 * SizeBytes(scalar.type);
  const uint64_t sign = uint64_t{1} << (width_bits - 1);
  const auto magnitude = static_cast<int64_t>(scalar.bits & (sign - 1));
  return (scalar.bits & sign) != 0 ? -magnitude : magnitude;
}

uint64_t UlpBetween(const Scalar& a, const Scalar& b) {
  if (std::isnan(a.AsDouble()) || std::isnan(b.AsDouble())) {
    return std::numeric_limits<uint64_t>::max();
  }
  const int64_t x = Ordinal(a);
  const int64_t y = Ordinal(b);
  return x > y ? static_cast<uint64_t>(x) - static_cast<uint64_t>(y)
               : static_cast<uint64_t>(y) - static_cast<uint64_t>(x);
}

double AbsoluteBetween(const Scalar& a, const Scalar& b) {
  if (IsFloat(a.type)) {
    const double difference = std::fabs(a.AsDouble() - b.AsDouble());
    return std::isnan(difference) ? std::numeric_limits<double>::infinity()
                                  : difference;
  }
  const bool a_larger = !LessOrEqual(a, b);
  const auto large = static_cast<uint64_t>(*(a_larger ? a : b).AsInteger());
  const auto small = static_cast<uint64_t>(*(a_larger ? b : a).AsInteger());
  return static_cast<double>(large - small);
}

bool BothNan(const Scalar& a, const Scalar& b) {
  return IsFloat(a.type) && std::isnan(a.AsDouble()) &&
         std::isnan(b.AsDouble());
}

}  // namespace

absl::StatusOr<Tensor> RandomTensor(ScalarType type,
                                    std::vector<uint64_t> shape, uint64_t seed,
                                    double low, double high) {
  if (!(low < high) || !std::isfinite(high - low)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected --low below --high, found ", low, " and ", high));
  }
  const bool fits = IsFloat(type)
                        ? FromDouble(type, low) && FromDouble(type, high)
                        : FromDouble(type, low) && FromDouble(type, high - 1);
  if (!fits) {
    return absl::InvalidArgumentError(
        absl::StrCat("the values from ", low, " to ", high, " do not fit type ",
                     Name(type)));
  }
  GRAPHD_ASSIGN_OR_RETURN(const uint64_t bytes, DenseBytes(type, shape));
  if (bytes > kMostRandomBytes) {
    return absl::InvalidArgumentError(absl::StrCat("the tensor has ", bytes,
                                                   " bytes; expected at most ",
                                                   kMostRandomBytes));
  }
  Tensor tensor{type, std::move(shape), ""};
  tensor.data.reserve(bytes);
  const uint32_t width = SizeBytes(type);
  const uint64_t stream = SplitMix64(seed);
  for (uint64_t i = 0; i < bytes / width; ++i) {
    // 53 bits: a double between 0 and 1, exactly.
    const uint64_t word = SplitMix64(stream + i * 0x9e3779b97f4a7c15) >> 11;
    const double unit = std::ldexp(static_cast<double>(word), -53);
    double value = low + unit * (high - low);
    if (!IsFloat(type)) value = std::min(std::floor(value), high - 1);
    Append(FromDouble(type, value)->bits, width, tensor.data);
  }
  return tensor;
}

absl::StatusOr<Difference> Compare(const Tensor& a, const Tensor& b) {
  if (a.type != b.type) {
    return absl::InvalidArgumentError(
        absl::StrCat("types differ: ", Name(a.type), " and ", Name(b.type)));
  }
  if (a.shape != b.shape) {
    return absl::InvalidArgumentError(
        absl::StrCat("shapes differ: ", a.ShapeText(), " and ", b.ShapeText()));
  }
  Difference difference;
  if (a.data == b.data) return difference;
  for (uint64_t i = 0; i < a.elements(); ++i) {
    const Scalar x = a.at(i);
    const Scalar y = b.at(i);
    if (x.bits == y.bits || BothNan(x, y)) continue;
    if (difference.count++ == 0) difference.first = i;
    difference.max_absolute =
        std::max(difference.max_absolute, AbsoluteBetween(x, y));
    if (IsFloat(a.type)) {
      difference.max_ulp = std::max(difference.max_ulp, UlpBetween(x, y));
    }
  }
  return difference;
}

absl::StatusOr<Tensor> Convert(const Tensor& tensor, ScalarType type) {
  if (tensor.type == type) return tensor;
  Tensor converted{type, tensor.shape, ""};
  converted.data.reserve(tensor.elements() * SizeBytes(type));
  for (uint64_t i = 0; i < tensor.elements(); ++i) {
    const Scalar from = tensor.at(i);
    std::optional<Scalar> to;
    if (IsFloat(tensor.type) || IsFloat(type)) {
      to = FromDouble(type, from.AsDouble());
    } else if (IsSigned(tensor.type)) {
      to = Scalar::FromSigned(type, *from.AsInteger());
    } else {
      to = Scalar::FromUnsigned(type, from.bits);
    }
    if (!to.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("element ", i, " is ", from.ToString(),
                       ", which does not fit type ", Name(type)));
    }
    Append(to->bits, SizeBytes(type), converted.data);
  }
  return converted;
}

}  // namespace graphd::graphctl
