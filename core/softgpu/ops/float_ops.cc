// Floating-point arithmetic in the rounding mode of the environment.
#include "core/softgpu/ops/floats.h"
#include "core/softgpu/ops/lanes.h"

namespace graphd::softgpu::GRAPHD_INSTRUCTION_SET {
namespace {

template <class T, bool kFtz, bool kSat>
T Add(T a, T b) {
  return Finish<kFtz, kSat>(FlushIf<kFtz>(a) + FlushIf<kFtz>(b));
}
template <class T, bool kFtz, bool kSat>
T Sub(T a, T b) {
  return Finish<kFtz, kSat>(FlushIf<kFtz>(a) - FlushIf<kFtz>(b));
}
template <class T, bool kFtz, bool kSat>
T Mul(T a, T b) {
  return Finish<kFtz, kSat>(FlushIf<kFtz>(a) * FlushIf<kFtz>(b));
}
template <class T, bool kFtz, bool kSat>
T Fma(T a, T b, T c) {
  a = FlushIf<kFtz>(a);
  b = FlushIf<kFtz>(b);
  c = FlushIf<kFtz>(c);
  if constexpr (sizeof(T) == 4) {
    return Finish<kFtz, kSat>(__builtin_fmaf(a, b, c));
  } else {
    return Finish<kFtz, kSat>(__builtin_fma(a, b, c));
  }
}
template <class T, bool kFtz>
T Div(T a, T b) {
  return Finish<kFtz, false>(FlushIf<kFtz>(a) / FlushIf<kFtz>(b));
}
template <class T, bool kFtz>
T Abs(T a) {
  a = FlushIf<kFtz>(a);
  return FromBits(Bits(a) & ~FloatTraits<T>::kSign);
}
template <class T, bool kFtz>
T Neg(T a) {
  a = FlushIf<kFtz>(a);
  return FromBits(Bits(a) ^ FloatTraits<T>::kSign);
}
template <class T>
T Copysign(T sign, T magnitude) {
  return FromBits((Bits(magnitude) & ~FloatTraits<T>::kSign) |
                  (Bits(sign) & FloatTraits<T>::kSign));
}

// -0 is less than +0. A NaN operand loses, or wins with .NaN.
template <class T, bool kFtz, bool kNan, bool kMax>
T Extreme(T a, T b) {
  a = FlushIf<kFtz>(a);
  b = FlushIf<kFtz>(b);
  const bool a_nan = IsNan(a);
  const bool b_nan = IsNan(b);
  const bool a_negative = (Bits(a) & FloatTraits<T>::kSign) != 0;
  const bool a_less = a < b || (a == b && a_negative);
  T result = a_less != kMax ? a : b;
  result = a_nan ? b : result;
  result = b_nan && !a_nan ? a : result;
  const bool no_number = kNan ? a_nan || b_nan : a_nan && b_nan;
  return no_number ? FromBits(FloatTraits<T>::kNan) : result;
}

template <class T, bool kFtz, bool kSat>
OpFunction FindRounded(const OpKey& key) {
  switch (key.op) {
    case Op::kAdd:
      return kApply<&Add<T, kFtz, kSat>>;
    case Op::kSub:
      return kApply<&Sub<T, kFtz, kSat>>;
    case Op::kMul:
      return kApply<&Mul<T, kFtz, kSat>>;
    case Op::kFma:
      return kApply<&Fma<T, kFtz, kSat>>;
    default:
      return nullptr;
  }
}

template <class T, bool kFtz>
OpFunction FindFor(const OpKey& key) {
  if (key.sat) {
    return sizeof(T) == 4 ? FindRounded<T, kFtz, true>(key) : nullptr;
  }
  switch (key.op) {
    case Op::kDiv:
      return kApply<&Div<T, kFtz>>;
    case Op::kAbs:
      return kApply<&Abs<T, kFtz>>;
    case Op::kNeg:
      return kApply<&Neg<T, kFtz>>;
    case Op::kCopysign:
      return kApply<&Copysign<T>>;
    case Op::kMin:
      return key.propagate_nan ? kApply<&Extreme<T, kFtz, true, false>>
                               : kApply<&Extreme<T, kFtz, false, false>>;
    case Op::kMax:
      return key.propagate_nan ? kApply<&Extreme<T, kFtz, true, true>>
                               : kApply<&Extreme<T, kFtz, false, true>>;
    default:
      return FindRounded<T, kFtz, false>(key);
  }
}

}  // namespace

OpFunction FindFloat(const OpKey& key) {
  if (key.type == Scalar::kF32) {
    return key.ftz ? FindFor<float, true>(key) : FindFor<float, false>(key);
  }
  if (key.type == Scalar::kF64 && !key.ftz) {
    return FindFor<double, false>(key);
  }
  return nullptr;
}

}  // namespace graphd::softgpu::GRAPHD_INSTRUCTION_SET
