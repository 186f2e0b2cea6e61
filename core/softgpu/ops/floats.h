// What PTX adds to IEEE arithmetic: flushing of subnormal numbers, saturation,
// and one NaN for f32.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_SOFTGPU_OPS_FLOATS_H_
#define GRAPHD_CORE_SOFTGPU_OPS_FLOATS_H_

#include <cstdint>

namespace graphd::softgpu::GRAPHD_INSTRUCTION_SET {

inline uint32_t Bits(float value) {
  return __builtin_bit_cast(uint32_t, value);
}
inline uint64_t Bits(double value) {
  return __builtin_bit_cast(uint64_t, value);
}
inline float FromBits(uint32_t bits) { return __builtin_bit_cast(float, bits); }
inline double FromBits(uint64_t bits) {
  return __builtin_bit_cast(double, bits);
}

template <class T>
struct FloatTraits;
template <>
struct FloatTraits<float> {
  using Bits = uint32_t;
  static constexpr Bits kSign = 0x80000000u;
  static constexpr Bits kExponent = 0x7F800000u;
  static constexpr Bits kNan = 0x7FFFFFFFu;
};
template <>
struct FloatTraits<double> {
  using Bits = uint64_t;
  static constexpr Bits kSign = uint64_t{1} << 63;
  static constexpr Bits kExponent = uint64_t{0x7FF} << 52;
  static constexpr Bits kNan = uint64_t{0x7FFFFFFFFFFFFFFF};
};

inline bool IsNan(float a) { return (Bits(a) & 0x7FFFFFFFu) > 0x7F800000u; }
inline bool IsNan(double a) {
  return (Bits(a) & ~FloatTraits<double>::kSign) >
         FloatTraits<double>::kExponent;
}

// Subnormal numbers become zeros of their sign.
inline float Flush(float a) {
  const uint32_t bits = Bits(a);
  return FromBits((bits & 0x7F800000u) == 0 ? bits & 0x80000000u : bits);
}
template <bool kFtz, class T>
T FlushIf(T a) {
  if constexpr (kFtz && __is_same(T, float)) {
    return Flush(a);
  } else {
    return a;
  }
}

// To [0, 1]; NaN to +0.
template <class T>
T Saturate(T a) {
  return a > T(0) ? (a < T(1) ? a : T(1)) : T(0);
}

// f32 results that are not numbers are all 0x7FFFFFFF; f64 keeps its payload.
template <class T>
T Canonical(T a) {
  if constexpr (sizeof(T) == 4) {
    return IsNan(a) ? FromBits(0x7FFFFFFFu) : a;
  } else {
    return a;
  }
}

template <bool kFtz, bool kSat, class T>
T Finish(T a) {
  a = FlushIf<kFtz>(a);
  if constexpr (kSat) return Saturate(a);
  return Canonical(a);
}

}  // namespace graphd::softgpu::GRAPHD_INSTRUCTION_SET

#endif  // GRAPHD_CORE_SOFTGPU_OPS_FLOATS_H_
