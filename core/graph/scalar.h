// Scalars that cross the boundary between a client and a kernel.
//
// A scalar is a type and its bit pattern in the low bytes of a 64-bit word,
// which is what a kernel receives.
//
// Thread safety: immutable.
#ifndef GRAPHD_CORE_GRAPH_SCALAR_H_
#define GRAPHD_CORE_GRAPH_SCALAR_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace graphd {

enum class ScalarType : uint8_t {
  kS8 = 1,
  kU8,
  kS16,
  kU16,
  kS32,
  kU32,
  kS64,
  kU64,
  kF16,
  kBF16,
  kF32,
  kF64,
  kBool,
};

// 1, 2, 4 or 8.
uint32_t SizeBytes(ScalarType type);
// "f32", "s64", "bool", …
absl::string_view Name(ScalarType type);
std::optional<ScalarType> ParseScalarType(absl::string_view name);
bool IsFloat(ScalarType type);
// s8 to s64.
bool IsSigned(ScalarType type);

struct Scalar {
  ScalarType type = ScalarType::kS32;
  uint64_t bits = 0;  // zero beyond SizeBytes(type)

  static Scalar F32(float value);
  static Scalar F64(double value);
  static Scalar S32(int32_t value);
  static Scalar U32(uint32_t value);
  static Scalar S64(int64_t value);
  static Scalar U64(uint64_t value);

  // nullopt: the value does not fit, or `type` is floating.
  static std::optional<Scalar> FromSigned(ScalarType type, int64_t value);
  static std::optional<Scalar> FromUnsigned(ScalarType type, uint64_t value);
  // Rounds to nearest even. nullopt: a finite value would become infinite, or
  // `type` is an integer.
  static std::optional<Scalar> FromDouble(ScalarType type, double value);

  // Zero beyond the type's size, and 0 or 1 for bool.
  bool IsCanonical() const;
  // The numeric value; exact for everything but 64-bit integers beyond 2^53.
  double AsDouble() const;
  // The value as an integer; nullopt for floating types.
  std::optional<int64_t> AsInteger() const;
  // The value alone: "0.5", "-3", "true"; reads back as the same bits.
  std::string ToString() const;

  bool operator==(const Scalar&) const = default;
};

// Three-way comparison of two scalars of one type by value; NaN is never inside
// a range. Requires: a.type == b.type.
bool LessOrEqual(const Scalar& a, const Scalar& b);

}  // namespace graphd

#endif  // GRAPHD_CORE_GRAPH_SCALAR_H_
