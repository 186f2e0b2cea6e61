// Products that need more bits than their factors: .hi, .wide and 24-bit ones.
#include "core/softgpu/ops/integers.h"
#include "core/softgpu/ops/lanes.h"

namespace graphd::softgpu::GRAPHD_INSTRUCTION_SET {
namespace {

template <class T>
T MulHigh(T a, T b) {
  return static_cast<T>((Wide<T>(a) * Wide<T>(b)) >> kBits<T>);
}
template <class T>
T MadHigh(T a, T b, T c) {
  return static_cast<T>(Unsigned<T>(MulHigh<T>(a, b)) + Unsigned<T>(c));
}
int32_t MadHighSaturated(int32_t a, int32_t b, int32_t c) {
  return Clamp32(int64_t{MulHigh<int32_t>(a, b)} + c);
}
template <class T>
Wide<T> MulWide(T a, T b) {
  return static_cast<Wide<T>>(Wide<T>(a) * Wide<T>(b));
}
template <class T>
Wide<T> MadWide(T a, T b, Wide<T> c) {
  return static_cast<Wide<T>>(Unsigned<Wide<T>>(MulWide<T>(a, b)) +
                              Unsigned<Wide<T>>(c));
}

// The low 24 bits, extended by the type's rule.
template <class T>
int64_t Low24(T a) {
  if constexpr (kIsSigned<T>) {
    return static_cast<int32_t>(static_cast<uint32_t>(a) << 8) >> 8;
  } else {
    return a & 0xFFFFFF;
  }
}
template <class T>
T Mul24Low(T a, T b) {
  return static_cast<T>(Low24<T>(a) * Low24<T>(b));
}
// Bits 16 to 47 of the 48-bit product.
template <class T>
T Mul24High(T a, T b) {
  return static_cast<T>((Low24<T>(a) * Low24<T>(b)) >> 16);
}
template <class T>
T Mad24Low(T a, T b, T c) {
  return static_cast<T>(uint32_t(Mul24Low<T>(a, b)) + uint32_t(c));
}
template <class T>
T Mad24High(T a, T b, T c) {
  return static_cast<T>(uint32_t(Mul24High<T>(a, b)) + uint32_t(c));
}
int32_t Mad24HighSaturated(int32_t a, int32_t b, int32_t c) {
  return Clamp32(int64_t{Mul24High<int32_t>(a, b)} + c);
}

template <class T>
OpFunction FindHigh(const OpKey& key) {
  if (key.op == Op::kMulHigh) return kApply<&MulHigh<T>>;
  if (key.op == Op::kMadHigh) return kApply<&MadHigh<T>>;
  return nullptr;
}
template <class T>
OpFunction FindWide(const OpKey& key) {
  if (key.op == Op::kMulWide) return kApply<&MulWide<T>>;
  if (key.op == Op::kMadWide) return kApply<&MadWide<T>>;
  return FindHigh<T>(key);
}
template <class T>
OpFunction Find32(const OpKey& key) {
  switch (key.op) {
    case Op::kMul24Low:
      return kApply<&Mul24Low<T>>;
    case Op::kMul24High:
      return kApply<&Mul24High<T>>;
    case Op::kMad24Low:
      return kApply<&Mad24Low<T>>;
    case Op::kMad24High:
      return kApply<&Mad24High<T>>;
    default:
      return FindWide<T>(key);
  }
}

}  // namespace

OpFunction FindWideInteger(const OpKey& key) {
  if (key.sat) {
    if (key.type != Scalar::kS32) return nullptr;
    if (key.op == Op::kMadHigh) return kApply<&MadHighSaturated>;
    if (key.op == Op::kMad24High) return kApply<&Mad24HighSaturated>;
    return nullptr;
  }
  switch (key.type) {
    case Scalar::kU16:
      return FindWide<uint16_t>(key);
    case Scalar::kS16:
      return FindWide<int16_t>(key);
    case Scalar::kU32:
      return Find32<uint32_t>(key);
    case Scalar::kS32:
      return Find32<int32_t>(key);
    case Scalar::kU64:
      return FindHigh<uint64_t>(key);
    case Scalar::kS64:
      return FindHigh<int64_t>(key);
    default:
      return nullptr;
  }
}

}  // namespace graphd::softgpu::GRAPHD_INSTRUCTION_SET
