#include "core/codec/scalar_codec.h"

#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace graphd {
namespace {

absl::Status DoesNotFit(ScalarType type, const auto& value) {
  return absl::InvalidArgumentError(
      absl::StrCat(value, " does not fit ", Name(type)));
}

absl::Status DoesNotSuit(ScalarType type, absl::string_view field) {
  const absl::string_view expected = type == ScalarType::kBool
                                         ? "int_value, uint_value or bits"
                                     : IsFloat(type)  ? "float_value or bits"
                                     : IsSigned(type) ? "int_value or bits"
                                                      : "uint_value or bits";
  return absl::InvalidArgumentError(absl::StrCat(
      field, " does not suit ", Name(type), "; expected ", expected));
}

}  // namespace

std::optional<ScalarType> ScalarTypeFromNumber(uint32_t number) {
  if (number < 1 || number > static_cast<uint32_t>(ScalarType::kBool)) {
    return std::nullopt;
  }
  return static_cast<ScalarType>(number);
}

std::optional<ScalarType> ScalarTypeFromProto(v1::ScalarType type) {
  static_assert(static_cast<int>(ScalarType::kBool) == v1::SCALAR_TYPE_BOOL);
  static_assert(static_cast<int>(ScalarType::kF16) == v1::SCALAR_TYPE_F16);
  return ScalarTypeFromNumber(static_cast<uint32_t>(type));
}

v1::ScalarType ScalarTypeToProto(ScalarType type) {
  return static_cast<v1::ScalarType>(type);
}

absl::StatusOr<Scalar> ScalarFromProto(const v1::Scalar& message) {
  const std::optional<ScalarType> type = ScalarTypeFromProto(message.type());
  if (!type.has_value()) {
    return absl::InvalidArgumentError(
        message.type() == v1::SCALAR_TYPE_UNSPECIFIED
            ? "has no type"
            : absl::StrCat("has the unknown type ",
                           static_cast<int>(message.type())));
  }
  switch (message.value_case()) {
    case v1::Scalar::kIntValue: {
      if (!IsSigned(*type) && *type != ScalarType::kBool) {
        return DoesNotSuit(*type, "int_value");
      }
      const auto scalar = Scalar::FromSigned(*type, message.int_value());
      if (!scalar.has_value()) return DoesNotFit(*type, message.int_value());
      return *scalar;
    }
    case v1::Scalar::kUintValue: {
      if (IsSigned(*type) || IsFloat(*type)) {
        return DoesNotSuit(*type, "uint_value");
      }
      const auto scalar = Scalar::FromUnsigned(*type, message.uint_value());
      if (!scalar.has_value()) return DoesNotFit(*type, message.uint_value());
      return *scalar;
    }
    case v1::Scalar::kFloatValue: {
      if (!IsFloat(*type)) return DoesNotSuit(*type, "float_value");
      const auto scalar = Scalar::FromDouble(*type, message.float_value());
      if (!scalar.has_value()) return DoesNotFit(*type, message.float_value());
      return *scalar;
    }
    case v1::Scalar::kBits: {
      const Scalar scalar{*type, message.bits()};
      if (!scalar.IsCanonical()) {
        return DoesNotFit(*type,
                          absl::StrCat("bits 0x", absl::Hex(message.bits())));
      }
      return scalar;
    }
    case v1::Scalar::VALUE_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("has no value; expected one of ", Name(*type)));
}

v1::Scalar ScalarToProto(const Scalar& scalar) {
  v1::Scalar message;
  message.set_type(ScalarTypeToProto(scalar.type));
  if (IsFloat(scalar.type)) {
    // A NaN's payload would not survive a conversion.
    if (std::isnan(scalar.AsDouble())) {
      message.set_bits(scalar.bits);
    } else {
      message.set_float_value(scalar.AsDouble());
    }
  } else if (IsSigned(scalar.type)) {
    message.set_int_value(*scalar.AsInteger());
  } else {
    message.set_uint_value(scalar.bits);
  }
  return message;
}

}  // namespace graphd
