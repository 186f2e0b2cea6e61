// Copies between registers, whole and in parts.
#include "core/softgpu/ops/lanes.h"

namespace graphd::softgpu::GRAPHD_INSTRUCTION_SET {
namespace {

template <class T>
T Move(T a) {
  return a;
}
// The first element is the least significant.
template <class T, class E>
T Pack2(E a, E b) {
  return static_cast<T>(T(a) | T(b) << (8 * sizeof(E)));
}
template <class T, class E>
T Pack4(E a, E b, E c, E d) {
  constexpr int kStep = 8 * sizeof(E);
  return static_cast<T>(T(a) | T(b) << kStep | T(c) << (2 * kStep) |
                        T(d) << (3 * kStep));
}
template <class E, class T, int kElement>
E Unpack(T a) {
  return static_cast<E>(a >> (8 * sizeof(E) * kElement));
}
template <class E, class T>
OpFunction FindUnpack(uint8_t element) {
  constexpr bool kFour = sizeof(T) == 4 * sizeof(E);
  switch (element) {
    case 0:
      return kApply<&Unpack<E, T, 0>>;
    case 1:
      return kApply<&Unpack<E, T, 1>>;
    case 2:
      if constexpr (kFour) return kApply<&Unpack<E, T, 2>>;
      return nullptr;
    case 3:
      if constexpr (kFour) return kApply<&Unpack<E, T, 3>>;
      return nullptr;
    default:
      return nullptr;
  }
}

OpFunction FindPlainMove(Scalar type) {
  switch (type) {
    case Scalar::kPredicate:
    case Scalar::kU8:
    case Scalar::kS8:
      return kApply<&Move<uint8_t>>;
    case Scalar::kU16:
    case Scalar::kS16:
    case Scalar::kF16:
      return kApply<&Move<uint16_t>>;
    case Scalar::kU32:
    case Scalar::kS32:
    case Scalar::kF32:
      return kApply<&Move<uint32_t>>;
    case Scalar::kU64:
    case Scalar::kS64:
    case Scalar::kF64:
      return kApply<&Move<uint64_t>>;
  }
  return nullptr;
}

bool Is(const OpKey& key, Scalar type, Scalar from) {
  return key.type == type && key.from == from;
}

}  // namespace

OpFunction FindMove(const OpKey& key) {
  switch (key.op) {
    case Op::kMove:
      return FindPlainMove(key.type);
    case Op::kPack2:
      if (Is(key, Scalar::kU16, Scalar::kU8))
        return kApply<&Pack2<uint16_t, uint8_t>>;
      if (Is(key, Scalar::kU32, Scalar::kU16))
        return kApply<&Pack2<uint32_t, uint16_t>>;
      if (Is(key, Scalar::kU64, Scalar::kU32))
        return kApply<&Pack2<uint64_t, uint32_t>>;
      return nullptr;
    case Op::kPack4:
      if (Is(key, Scalar::kU32, Scalar::kU8))
        return kApply<&Pack4<uint32_t, uint8_t>>;
      if (Is(key, Scalar::kU64, Scalar::kU16))
        return kApply<&Pack4<uint64_t, uint16_t>>;
      return nullptr;
    case Op::kUnpack:
      if (Is(key, Scalar::kU8, Scalar::kU16))
        return FindUnpack<uint8_t, uint16_t>(key.element);
      if (Is(key, Scalar::kU8, Scalar::kU32))
        return FindUnpack<uint8_t, uint32_t>(key.element);
      if (Is(key, Scalar::kU16, Scalar::kU32))
        return FindUnpack<uint16_t, uint32_t>(key.element);
      if (Is(key, Scalar::kU16, Scalar::kU64))
        return FindUnpack<uint16_t, uint64_t>(key.element);
      if (Is(key, Scalar::kU32, Scalar::kU64))
        return FindUnpack<uint32_t, uint64_t>(key.element);
      return nullptr;
    default:
      return nullptr;
  }
}

}  // namespace graphd::softgpu::GRAPHD_INSTRUCTION_SET
