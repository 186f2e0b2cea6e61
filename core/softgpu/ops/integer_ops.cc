// Integer arithmetic of one width. Nothing traps: division by zero gives all
// ones and the dividend as remainder, the smallest integer by -1 wraps.
#include "core/softgpu/ops/integers.h"
#include "core/softgpu/ops/lanes.h"

namespace graphd::softgpu::GRAPHD_INSTRUCTION_SET {
namespace {

template <class T>
T Add(T a, T b) {
  return static_cast<T>(Unsigned<T>(a) + Unsigned<T>(b));
}
template <class T>
T Sub(T a, T b) {
  return static_cast<T>(Unsigned<T>(a) - Unsigned<T>(b));
}
int32_t AddSaturated(int32_t a, int32_t b) { return Clamp32(int64_t{a} + b); }
int32_t SubSaturated(int32_t a, int32_t b) { return Clamp32(int64_t{a} - b); }
template <class T>
T MulLow(T a, T b) {
  // 64 bits: 16-bit factors would be promoted to signed integers.
  return static_cast<T>(uint64_t{Unsigned<T>(a)} * uint64_t{Unsigned<T>(b)});
}
template <class T>
T MadLow(T a, T b, T c) {
  return Add<T>(MulLow<T>(a, b), c);
}
template <class T>
T Div(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if constexpr (kIsSigned<T>) {
    if (b == T(-1)) return static_cast<T>(Unsigned<T>(0) - Unsigned<T>(a));
  }
  return static_cast<T>(a / b);
}
template <class T>
T Rem(T a, T b) {
  if (b == 0) return a;
  if constexpr (kIsSigned<T>) {
    if (b == T(-1)) return 0;
  }
  return static_cast<T>(a % b);
}
template <class T>
T Neg(T a) {
  return static_cast<T>(Unsigned<T>(0) - Unsigned<T>(a));
}
template <class T>
T Abs(T a) {
  return a < 0 ? Neg<T>(a) : a;
}
template <class T>
T Min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
T Max(T a, T b) {
  return a < b ? b : a;
}
// |a - b| + c
template <class T>
T Sad(T a, T b, T c) {
  const Unsigned<T> difference =
      a < b ? Unsigned<T>(b) - Unsigned<T>(a) : Unsigned<T>(a) - Unsigned<T>(b);
  return static_cast<T>(difference + Unsigned<T>(c));
}

template <class T>
OpFunction Find(const OpKey& key) {
  switch (key.op) {
    case Op::kAdd:
      return kApply<&Add<T>>;
    case Op::kSub:
      return kApply<&Sub<T>>;
    case Op::kMulLow:
      return kApply<&MulLow<T>>;
    case Op::kMadLow:
      return kApply<&MadLow<T>>;
    case Op::kDiv:
      return kApply<&Div<T>>;
    case Op::kRem:
      return kApply<&Rem<T>>;
    case Op::kMin:
      return kApply<&Min<T>>;
    case Op::kMax:
      return kApply<&Max<T>>;
    case Op::kSad:
      return kApply<&Sad<T>>;
    case Op::kNeg:
      return kIsSigned<T> ? kApply<&Neg<T>> : nullptr;
    case Op::kAbs:
      return kIsSigned<T> ? kApply<&Abs<T>> : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

OpFunction FindInteger(const OpKey& key) {
  if (key.sat) {
    if (key.type != Scalar::kS32) return nullptr;
    if (key.op == Op::kAdd) return kApply<&AddSaturated>;
    if (key.op == Op::kSub) return kApply<&SubSaturated>;
    return nullptr;
  }
  switch (key.type) {
    case Scalar::kU16:
      return Find<uint16_t>(key);
    case Scalar::kS16:
      return Find<int16_t>(key);
    case Scalar::kU32:
      return Find<uint32_t>(key);
    case Scalar::kS32:
      return Find<int32_t>(key);
    case Scalar::kU64:
      return Find<uint64_t>(key);
    case Scalar::kS64:
      return Find<int64_t>(key);
    default:
      return nullptr;
  }
}

}  // namespace graphd::softgpu::GRAPHD_INSTRUCTION_SET
