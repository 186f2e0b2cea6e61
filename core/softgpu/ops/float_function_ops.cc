// Roots, reciprocals and transcendental functions. The approximate forms are
// computed to about one unit in the last place, well within the bounds that
// PTX ISA 9.0 states for them.
#include "core/softgpu/ops/floats.h"
#include "core/softgpu/ops/lanes.h"

namespace graphd::softgpu::GRAPHD_INSTRUCTION_SET {
namespace {

float Root(float a) { return __builtin_sqrtf(a); }
double Root(double a) { return __builtin_sqrt(a); }

template <class T, bool kFtz>
T Sqrt(T a) {
  return Finish<kFtz, false>(Root(FlushIf<kFtz>(a)));
}
template <class T, bool kFtz>
T Rcp(T a) {
  return Finish<kFtz, false>(T(1) / FlushIf<kFtz>(a));
}
template <class T, bool kFtz>
T Rsqrt(T a) {
  return Finish<kFtz, false>(T(1) / Root(FlushIf<kFtz>(a)));
}

// The approximate f64 forms have 20 bits of mantissa; with .ftz they flush.
double Flush64(double a) {
  const uint64_t bits = Bits(a);
  return (bits & FloatTraits<double>::kExponent) == 0
             ? FromBits(bits & FloatTraits<double>::kSign)
             : a;
}
double UpperHalf(double a) {
  return IsNan(a) ? a : FromBits(Bits(a) & 0xFFFFFFFF00000000u);
}
double RcpUpper(double a) {
  return UpperHalf(Flush64(1.0 / Flush64(UpperHalf(a))));
}
template <bool kFtz>
double RsqrtUpper(double a) {
  a = UpperHalf(a);
  if constexpr (kFtz) a = Flush64(a);
  return UpperHalf(1.0 / Root(a));
}

template <bool kFtz>
float Ex2(float a) {
  return Finish<kFtz, false>(__builtin_exp2f(FlushIf<kFtz>(a)));
}
template <bool kFtz>
float Lg2(float a) {
  return Finish<kFtz, false>(__builtin_log2f(FlushIf<kFtz>(a)));
}
template <bool kFtz>
float Sin(float a) {
  return Finish<kFtz, false>(__builtin_sinf(FlushIf<kFtz>(a)));
}
template <bool kFtz>
float Cos(float a) {
  return Finish<kFtz, false>(__builtin_cosf(FlushIf<kFtz>(a)));
}
float Tanh(float a) { return Canonical(__builtin_tanhf(a)); }

template <class T, Op kOp>
uint8_t Test(T a) {
  const auto magnitude = Bits(a) & ~FloatTraits<T>::kSign;
  const auto exponent = FloatTraits<T>::kExponent;
  switch (kOp) {
    case Op::kTestFinite:
      return magnitude < exponent;
    case Op::kTestInfinite:
      return magnitude == exponent;
    case Op::kTestNumber:
      return magnitude <= exponent;
    case Op::kTestNotANumber:
      return magnitude > exponent;
    case Op::kTestNormal:
      return magnitude < exponent && (magnitude & exponent) != 0;
    default:
      return magnitude != 0 && (magnitude & exponent) == 0;
  }
}

template <class T>
OpFunction FindTest(Op op) {
  switch (op) {
    case Op::kTestFinite:
      return kApply<&Test<T, Op::kTestFinite>>;
    case Op::kTestInfinite:
      return kApply<&Test<T, Op::kTestInfinite>>;
    case Op::kTestNumber:
      return kApply<&Test<T, Op::kTestNumber>>;
    case Op::kTestNotANumber:
      return kApply<&Test<T, Op::kTestNotANumber>>;
    case Op::kTestNormal:
      return kApply<&Test<T, Op::kTestNormal>>;
    case Op::kTestSubnormal:
      return kApply<&Test<T, Op::kTestSubnormal>>;
    default:
      return nullptr;
  }
}

template <bool kFtz>
OpFunction Find32(const OpKey& key) {
  switch (key.op) {
    case Op::kSqrt:
      return kApply<&Sqrt<float, kFtz>>;
    case Op::kRcp:
      return kApply<&Rcp<float, kFtz>>;
    case Op::kRsqrt:
      return kApply<&Rsqrt<float, kFtz>>;
    case Op::kEx2:
      return kApply<&Ex2<kFtz>>;
    case Op::kLg2:
      return kApply<&Lg2<kFtz>>;
    case Op::kSin:
      return kApply<&Sin<kFtz>>;
    case Op::kCos:
      return kApply<&Cos<kFtz>>;
    case Op::kTanh:
      return kApply<&Tanh>;
    default:
      return FindTest<float>(key.op);
  }
}

OpFunction Find64(const OpKey& key) {
  switch (key.op) {
    case Op::kSqrt:
      return key.approx || key.ftz ? nullptr : kApply<&Sqrt<double, false>>;
    case Op::kRcp:
      if (key.approx) return key.ftz ? kApply<&RcpUpper> : nullptr;
      return key.ftz ? nullptr : kApply<&Rcp<double, false>>;
    case Op::kRsqrt:
      if (!key.approx) return nullptr;
      return key.ftz ? kApply<&RsqrtUpper<true>> : kApply<&RsqrtUpper<false>>;
    default:
      return FindTest<double>(key.op);
  }
}

}  // namespace

OpFunction FindFloatFunction(const OpKey& key) {
  if (key.sat) return nullptr;
  if (key.type == Scalar::kF64) return Find64(key);
  if (key.type != Scalar::kF32) return nullptr;
  return key.ftz ? Find32<true>(key) : Find32<false>(key);
}

}  // namespace graphd::softgpu::GRAPHD_INSTRUCTION_SET
