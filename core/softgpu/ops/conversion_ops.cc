// cvt: integers and floats of every width, with rounding and saturation.
//
// Conversions to integers saturate; what is not a number becomes 0, or the bit
// pattern 100…0 where a 64-bit type takes part (PTX ISA 9.0, cvt).
#include "core/softgpu/ops/floats.h"
#include "core/softgpu/ops/integers.h"
#include "core/softgpu/ops/lanes.h"

namespace graphd::softgpu::GRAPHD_INSTRUCTION_SET {
namespace {

// ---- Half precision ----

double FromHalf(Half half) {
  const uint32_t exponent = half.bits >> 10 & 31;
  const uint32_t fraction = half.bits & 1023;
  const uint64_t sign = uint64_t{half.bits >> 15 & 1u} << 63;
  if (exponent == 0) {
    const double magnitude = fraction * 0x1p-24;
    return FromBits(Bits(magnitude) | sign);
  }
  const uint64_t wide_exponent = exponent == 31 ? 0x7FF : exponent + 1023 - 15;
  return FromBits(sign | wide_exponent << 52 | uint64_t{fraction} << 42);
}

// Whether a magnitude whose last kept bit is `odd` grows by one unit.
template <Rounding kRounding>
bool RoundsUp(bool negative, bool odd, uint64_t rest, uint64_t half) {
  switch (kRounding) {
    case Rounding::kNearest:
      return rest > half || (rest == half && odd);
    case Rounding::kZero:
      return false;
    case Rounding::kDown:
      return negative && rest != 0;
    case Rounding::kUp:
      return !negative && rest != 0;
  }
}

template <Rounding kRounding>
Half ToHalf(double value) {
  const uint64_t bits = Bits(value);
  const uint16_t sign = static_cast<uint16_t>(bits >> 48 & 0x8000);
  const bool negative = sign != 0;
  if (IsNan(value)) return Half{0x7FFF};
  const int exponent = static_cast<int>(bits >> 52 & 0x7FF) - 1023;
  if (exponent == 1024) return Half{uint16_t(sign | 0x7C00)};
  const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  // f64 subnormal numbers are far below half's smallest: only that they are
  // not zero matters.
  const bool subnormal = exponent == -1023;
  if (subnormal && fraction == 0) return Half{sign};
  const uint64_t significand =
      subnormal ? fraction : fraction | uint64_t{1} << 52;
  const int unit = exponent < -14 ? -24 : exponent - 10;
  const int shift = unit - (exponent - 52);
  uint64_t kept = 0;
  bool up = false;
  if (shift > 62) {
    up = RoundsUp<kRounding>(negative, false, 1, 2);
  } else {
    kept = significand >> shift;
    const uint64_t rest = significand & ((uint64_t{1} << shift) - 1);
    up = RoundsUp<kRounding>(negative, (kept & 1) != 0, rest,
                             uint64_t{1} << (shift - 1));
  }
  kept += up ? 1 : 0;
  // A carry out of the fraction moves into the exponent by itself.
  const uint64_t magnitude =
      exponent < -14 ? kept : (uint64_t(exponent + 14) << 10) + kept;
  if (magnitude >= 0x7C00) {
    const bool to_largest = kRounding == Rounding::kZero ||
                            (kRounding == Rounding::kDown && !negative) ||
                            (kRounding == Rounding::kUp && negative);
    return Half{uint16_t(sign | (to_largest ? 0x7BFF : 0x7C00))};
  }
  return Half{uint16_t(sign | magnitude)};
}

// ---- To whole numbers ----

template <Rounding kRounding>
double Whole(double a) {
  switch (kRounding) {
    case Rounding::kNearest:
      return __builtin_rint(a);
    case Rounding::kZero:
      return __builtin_trunc(a);
    case Rounding::kDown:
      return __builtin_floor(a);
    case Rounding::kUp:
      return __builtin_ceil(a);
  }
}

template <class T>
double Value(T a) {
  return static_cast<double>(a);
}
template <>
double Value<Half>(Half a) {
  return FromHalf(a);
}

template <class D, class S, bool kFtz, Rounding kRounding>
D ToInteger(S a) {
  const double value = Whole<kRounding>(Value<S>(FlushIf<kFtz>(a)));
  constexpr bool kWide = sizeof(D) == 8 || sizeof(S) == 8;
  constexpr Unsigned<D> kTop = Unsigned<D>(Unsigned<D>(1) << (kBits<D> - 1));
  constexpr D kMost =
      kIsSigned<D> ? static_cast<D>(kTop - 1) : static_cast<D>(-1);
  constexpr D kLeast = kIsSigned<D> ? static_cast<D>(kTop) : D(0);
  // 2 to the number of magnitude bits: exact, unlike kMost of 64 bits.
  constexpr double kEnd =
      (kIsSigned<D> ? 1.0 : 2.0) * static_cast<double>(kTop);
  if (IsNan(value)) return kWide ? static_cast<D>(kTop) : D(0);
  if (value >= kEnd) return kMost;
  if (value <= (kIsSigned<D> ? -kEnd : 0.0)) return kLeast;
  return static_cast<D>(value);
}

template <class D, class S, bool kFtz>
OpFunction FindToInteger(Rounding rounding) {
  switch (rounding) {
    case Rounding::kNearest:
      return kApply<&ToInteger<D, S, kFtz, Rounding::kNearest>>;
    case Rounding::kZero:
      return kApply<&ToInteger<D, S, kFtz, Rounding::kZero>>;
    case Rounding::kDown:
      return kApply<&ToInteger<D, S, kFtz, Rounding::kDown>>;
    case Rounding::kUp:
      return kApply<&ToInteger<D, S, kFtz, Rounding::kUp>>;
  }
  return nullptr;
}

// ---- Between integers ----

template <class D, class S>
D Cast(S a) {
  return static_cast<D>(a);
}
template <class D, class S>
D CastSaturated(S a) {
  constexpr Unsigned<D> kTop = Unsigned<D>(Unsigned<D>(1) << (kBits<D> - 1));
  constexpr D kMost =
      kIsSigned<D> ? static_cast<D>(kTop - 1) : static_cast<D>(-1);
  constexpr D kLeast = kIsSigned<D> ? static_cast<D>(kTop) : D(0);
  const __int128 value = a;
  if (value > __int128(kMost)) return kMost;
  if (value < __int128(kLeast)) return kLeast;
  return static_cast<D>(a);
}

// ---- To floats ----

template <class D, class S, bool kFtz, bool kSat>
D ToFloat(S a) {
  if constexpr (sizeof(S) == 2 && !requires { a + 1; }) {
    return Finish<false, kSat>(static_cast<D>(FromHalf(a)));
  } else {
    return Finish<kFtz, kSat>(static_cast<D>(FlushIf<kFtz>(a)));
  }
}
// Inexact only beyond 2^53, where every half is infinite or the largest.
template <class S, bool kFtz, bool kSat, Rounding kRounding>
Half ToHalfFrom(S a) {
  double value = Value<S>(FlushIf<kFtz>(a));
  if constexpr (kSat) value = Saturate(value);
  return ToHalf<kRounding>(value);
}
// A float rounded to a whole number of the same type.
template <class T, bool kFtz, bool kSat, Rounding kRounding>
T Integral(T a) {
  return Finish<kFtz, kSat>(static_cast<T>(Whole<kRounding>(FlushIf<kFtz>(a))));
}

template <class T, bool kFtz, bool kSat>
OpFunction FindIntegral(Rounding rounding) {
  switch (rounding) {
    case Rounding::kNearest:
      return kApply<&Integral<T, kFtz, kSat, Rounding::kNearest>>;
    case Rounding::kZero:
      return kApply<&Integral<T, kFtz, kSat, Rounding::kZero>>;
    case Rounding::kDown:
      return kApply<&Integral<T, kFtz, kSat, Rounding::kDown>>;
    case Rounding::kUp:
      return kApply<&Integral<T, kFtz, kSat, Rounding::kUp>>;
  }
  return nullptr;
}
template <class S, bool kFtz, bool kSat>
OpFunction FindToHalf(Rounding rounding) {
  switch (rounding) {
    case Rounding::kNearest:
      return kApply<&ToHalfFrom<S, kFtz, kSat, Rounding::kNearest>>;
    case Rounding::kZero:
      return kApply<&ToHalfFrom<S, kFtz, kSat, Rounding::kZero>>;
    case Rounding::kDown:
      return kApply<&ToHalfFrom<S, kFtz, kSat, Rounding::kDown>>;
    case Rounding::kUp:
      return kApply<&ToHalfFrom<S, kFtz, kSat, Rounding::kUp>>;
  }
  return nullptr;
}

template <class S>
constexpr bool kIsFloat = false;
template <>
constexpr bool kIsFloat<float> = true;
template <>
constexpr bool kIsFloat<double> = true;
template <>
constexpr bool kIsFloat<Half> = true;

template <class D, class S>
OpFunction FindIntegerFrom(const OpKey& key) {
  if constexpr (kIsFloat<S>) {
    if constexpr (sizeof(S) == 4) {
      if (key.ftz) return FindToInteger<D, S, true>(key.rounding);
    }
    return FindToInteger<D, S, false>(key.rounding);
  } else {
    return key.sat ? kApply<&CastSaturated<D, S>> : kApply<&Cast<D, S>>;
  }
}

template <class D, class S, bool kFtz>
OpFunction FindFloatFrom(const OpKey& key) {
  if (key.to_integral) {
    if constexpr (kIsFloat<S> && sizeof(D) == sizeof(S)) {
      return key.sat ? FindIntegral<D, kFtz, true>(key.rounding)
                     : FindIntegral<D, kFtz, false>(key.rounding);
    } else {
      return nullptr;
    }
  }
  return key.sat ? kApply<&ToFloat<D, S, kFtz, true>>
                 : kApply<&ToFloat<D, S, kFtz, false>>;
}

template <class S, bool kFtz>
OpFunction FindHalfFrom(const OpKey& key) {
  if constexpr (sizeof(S) == 2 && kIsFloat<S>) {
    return nullptr;
  } else {
    return key.sat ? FindToHalf<S, kFtz, true>(key.rounding)
                   : FindToHalf<S, kFtz, false>(key.rounding);
  }
}

template <class S>
OpFunction FindFrom(const OpKey& key) {
  // .ftz concerns f32, on either side.
  constexpr bool kSingle = kIsFloat<S> && sizeof(S) == 4;
  switch (key.type) {
    case Scalar::kU8:
      return FindIntegerFrom<uint8_t, S>(key);
    case Scalar::kS8:
      return FindIntegerFrom<int8_t, S>(key);
    case Scalar::kU16:
      return FindIntegerFrom<uint16_t, S>(key);
    case Scalar::kS16:
      return FindIntegerFrom<int16_t, S>(key);
    case Scalar::kU32:
      return FindIntegerFrom<uint32_t, S>(key);
    case Scalar::kS32:
      return FindIntegerFrom<int32_t, S>(key);
    case Scalar::kU64:
      return FindIntegerFrom<uint64_t, S>(key);
    case Scalar::kS64:
      return FindIntegerFrom<int64_t, S>(key);
    case Scalar::kF16:
      return key.ftz && kSingle ? FindHalfFrom<S, kSingle>(key)
                                : FindHalfFrom<S, false>(key);
    case Scalar::kF32:
      return key.ftz ? FindFloatFrom<float, S, true>(key)
                     : FindFloatFrom<float, S, false>(key);
    case Scalar::kF64:
      return key.ftz && kSingle ? FindFloatFrom<double, S, kSingle>(key)
                                : FindFloatFrom<double, S, false>(key);
    default:
      return nullptr;
  }
}

}  // namespace

OpFunction FindConversion(const OpKey& key) {
  if (key.op != Op::kConvert) return nullptr;
  switch (key.from) {
    case Scalar::kU8:
      return FindFrom<uint8_t>(key);
    case Scalar::kS8:
      return FindFrom<int8_t>(key);
    case Scalar::kU16:
      return FindFrom<uint16_t>(key);
    case Scalar::kS16:
      return FindFrom<int16_t>(key);
    case Scalar::kU32:
      return FindFrom<uint32_t>(key);
    case Scalar::kS32:
      return FindFrom<int32_t>(key);
    case Scalar::kU64:
      return FindFrom<uint64_t>(key);
    case Scalar::kS64:
      return FindFrom<int64_t>(key);
    case Scalar::kF16:
      return FindFrom<Half>(key);
    case Scalar::kF32:
      return FindFrom<float>(key);
    case Scalar::kF64:
      return FindFrom<double>(key);
    default:
      return nullptr;
  }
}

}  // namespace graphd::softgpu::GRAPHD_INSTRUCTION_SET
