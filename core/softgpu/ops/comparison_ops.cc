// Comparisons to predicates, and selection by them. A predicate is a byte, 0 or
// 1.
#include "core/softgpu/ops/floats.h"
#include "core/softgpu/ops/lanes.h"

namespace graphd::softgpu::GRAPHD_INSTRUCTION_SET {
namespace {

template <class T>
uint8_t Eq(T a, T b) {
  return a == b;
}
template <class T>
uint8_t Ne(T a, T b) {
  return a != b;
}
template <class T>
uint8_t Lt(T a, T b) {
  return a < b;
}
template <class T>
uint8_t Le(T a, T b) {
  return a <= b;
}
template <class T>
uint8_t Gt(T a, T b) {
  return a > b;
}
template <class T>
uint8_t Ge(T a, T b) {
  return a >= b;
}

template <class T>
OpFunction FindOrdered(Compare compare) {
  switch (compare) {
    case Compare::kEq:
      return kApply<&Eq<T>>;
    case Compare::kNe:
      return kApply<&Ne<T>>;
    case Compare::kLt:
      return kApply<&Lt<T>>;
    case Compare::kLe:
      return kApply<&Le<T>>;
    case Compare::kGt:
      return kApply<&Gt<T>>;
    case Compare::kGe:
      return kApply<&Ge<T>>;
    default:
      return nullptr;
  }
}

template <class T, bool kFtz, Compare kCompare>
uint8_t FloatCompare(T a, T b) {
  a = FlushIf<kFtz>(a);
  b = FlushIf<kFtz>(b);
  const bool unordered = IsNan(a) || IsNan(b);
  switch (kCompare) {
    case Compare::kEq:
      return a == b;
    case Compare::kNe:
      return !unordered && a != b;
    case Compare::kLt:
      return a < b;
    case Compare::kLe:
      return a <= b;
    case Compare::kGt:
      return a > b;
    case Compare::kGe:
      return a >= b;
    case Compare::kEqu:
      return unordered || a == b;
    case Compare::kNeu:
      return a != b;
    case Compare::kLtu:
      return unordered || a < b;
    case Compare::kLeu:
      return unordered || a <= b;
    case Compare::kGtu:
      return unordered || a > b;
    case Compare::kGeu:
      return unordered || a >= b;
    case Compare::kNum:
      return !unordered;
    case Compare::kNan:
      return unordered;
  }
}

template <class T, bool kFtz>
OpFunction FindFloatCompare(Compare compare) {
  switch (compare) {
#define GRAPHD_COMPARE(name) \
  case Compare::name:        \
    return kApply<&FloatCompare<T, kFtz, Compare::name>>;
    GRAPHD_COMPARE(kEq)
    GRAPHD_COMPARE(kNe)
    GRAPHD_COMPARE(kLt)
    GRAPHD_COMPARE(kLe)
    GRAPHD_COMPARE(kGt)
    GRAPHD_COMPARE(kGe)
    GRAPHD_COMPARE(kEqu)
    GRAPHD_COMPARE(kNeu)
    GRAPHD_COMPARE(kLtu)
    GRAPHD_COMPARE(kLeu)
    GRAPHD_COMPARE(kGtu)
    GRAPHD_COMPARE(kGeu)
    GRAPHD_COMPARE(kNum)
    GRAPHD_COMPARE(kNan)
#undef GRAPHD_COMPARE
  }
  return nullptr;
}

OpFunction FindCompare(const OpKey& key) {
  switch (key.from) {
    case Scalar::kU16:
      return FindOrdered<uint16_t>(key.compare);
    case Scalar::kS16:
      return FindOrdered<int16_t>(key.compare);
    case Scalar::kU32:
      return FindOrdered<uint32_t>(key.compare);
    case Scalar::kS32:
      return FindOrdered<int32_t>(key.compare);
    case Scalar::kU64:
      return FindOrdered<uint64_t>(key.compare);
    case Scalar::kS64:
      return FindOrdered<int64_t>(key.compare);
    case Scalar::kF32:
      return key.ftz ? FindFloatCompare<float, true>(key.compare)
                     : FindFloatCompare<float, false>(key.compare);
    case Scalar::kF64:
      return FindFloatCompare<double, false>(key.compare);
    default:
      return nullptr;
  }
}

uint32_t SetOnes(uint8_t predicate) { return predicate != 0 ? ~0u : 0u; }
float SetOne(uint8_t predicate) { return predicate != 0 ? 1.0f : 0.0f; }

template <class T>
T Select(T a, T b, uint8_t predicate) {
  return predicate != 0 ? a : b;
}

template <class T, class C, bool kFtz>
T Slct(T a, T b, C c) {
  if constexpr (kFtz) c = Flush(c);
  return c >= C(0) ? a : b;
}

template <class T>
OpFunction FindSelection(const OpKey& key) {
  if (key.op == Op::kSelect) return kApply<&Select<T>>;
  if (key.op != Op::kSlct) return nullptr;
  if (key.from == Scalar::kS32) return kApply<&Slct<T, int32_t, false>>;
  if (key.from != Scalar::kF32) return nullptr;
  return key.ftz ? kApply<&Slct<T, float, true>>
                 : kApply<&Slct<T, float, false>>;
}

}  // namespace

OpFunction FindComparison(const OpKey& key) {
  if (key.op == Op::kCompare) return FindCompare(key);
  if (key.op == Op::kSet) {
    return key.type == Scalar::kF32 ? kApply<&SetOne> : kApply<&SetOnes>;
  }
  switch (key.type) {
    case Scalar::kU16:
    case Scalar::kS16:
      return FindSelection<uint16_t>(key);
    case Scalar::kU32:
    case Scalar::kS32:
    case Scalar::kF32:
      return FindSelection<uint32_t>(key);
    case Scalar::kU64:
    case Scalar::kS64:
    case Scalar::kF64:
      return FindSelection<uint64_t>(key);
    default:
      return nullptr;
  }
}

}  // namespace graphd::softgpu::GRAPHD_INSTRUCTION_SET
