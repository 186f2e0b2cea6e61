// Bitwise logic, shifts, fields and byte permutations, as PTX ISA 9.0 defines
// them.
#include "core/softgpu/ops/integers.h"
#include "core/softgpu/ops/lanes.h"

namespace graphd::softgpu::GRAPHD_INSTRUCTION_SET {
namespace {

template <class T>
T And(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
T Or(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
T Xor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T>
T Not(T a) {
  return static_cast<T>(~a);
}
uint8_t NotPredicate(uint8_t a) { return a ^ 1; }

// Shift counts beyond the width count as the width.
template <class T>
T Shl(T a, uint32_t count) {
  return count >= kBits<T> ? T(0) : static_cast<T>(uint64_t(a) << count);
}
template <class T>
T Shr(T a, uint32_t count) {
  constexpr uint32_t kMost = kBits<T> - 1;
  if constexpr (kIsSigned<T>) {
    return static_cast<T>(a >> (count > kMost ? kMost : count));
  } else {
    return count > kMost ? T(0) : static_cast<T>(a >> count);
  }
}

// b:a as 64 bits, shifted; the left shift keeps the upper word.
template <bool kClamp>
uint32_t FunnelLeft(uint32_t a, uint32_t b, uint32_t count) {
  count = kClamp ? (count > 32 ? 32 : count) : count & 31;
  const uint64_t both = (uint64_t{b} << 32) | a;
  return static_cast<uint32_t>(count == 32 ? a : (both << count) >> 32);
}
template <bool kClamp>
uint32_t FunnelRight(uint32_t a, uint32_t b, uint32_t count) {
  count = kClamp ? (count > 32 ? 32 : count) : count & 31;
  const uint64_t both = (uint64_t{b} << 32) | a;
  return static_cast<uint32_t>(both >> count);
}

// Bit i of `table` is the result for a, b, c = bits 2, 1, 0 of i.
uint32_t Lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t result = 0;
  for (uint32_t row = 0; row < 8; ++row) {
    const uint32_t chosen = (table >> row & 1) != 0 ? ~0u : 0u;
    result |=
        chosen & (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
  }
  return result;
}

uint32_t LeadingZeros(uint32_t a) { return a == 0 ? 32 : __builtin_clz(a); }
uint32_t LeadingZeros(uint64_t a) { return a == 0 ? 64 : __builtin_clzll(a); }

template <class T>
uint32_t Clz(T a) {
  return LeadingZeros(a);
}
template <class T>
uint32_t Popc(T a) {
  return __builtin_popcountll(a);
}
// The position of the highest bit that differs from the sign, or all ones; with
// .shiftamt how far it is from the top.
template <class T, bool kShift>
uint32_t FindMsb(T a) {
  const Unsigned<T> magnitude = a < 0 ? Unsigned<T>(~a) : Unsigned<T>(a);
  if (magnitude == 0) return ~0u;
  const uint32_t zeros = LeadingZeros(magnitude);
  return kShift ? zeros : kBits<T> - 1 - zeros;
}
template <class T>
T Reverse(T a) {
  T result = 0;
  for (int i = 0; i < kBits<T>; ++i) {
    result = static_cast<T>(result << 1 | (a >> i & 1));
  }
  return result;
}

template <class T>
Unsigned<T> LowMask(uint32_t bits) {
  return bits >= kBits<T> ? Unsigned<T>(~Unsigned<T>(0))
                          : (Unsigned<T>(1) << bits) - 1;
}
template <class T>
T Extract(T a, uint32_t position, uint32_t length) {
  position &= 0xFF;
  length &= 0xFF;
  constexpr uint32_t kTop = kBits<T> - 1;
  const Unsigned<T> bits = static_cast<Unsigned<T>>(a);
  const Unsigned<T> shifted = position > kTop ? 0 : bits >> position;
  // Only `length` bits, and only those that exist.
  const uint32_t there = position > kTop ? 0 : kTop + 1 - position;
  const uint32_t kept = length < there ? length : there;
  const Unsigned<T> mask = LowMask<T>(kept);
  bool ones = false;
  if constexpr (kIsSigned<T>) {
    const uint32_t last = position + length - 1;
    ones = length != 0 && (bits >> (last < kTop ? last : kTop) & 1) != 0;
  }
  return static_cast<T>((shifted & mask) |
                        (ones ? Unsigned<T>(~mask) : Unsigned<T>(0)));
}
template <class T>
T Insert(T field, T into, uint32_t position, uint32_t length) {
  position &= 0xFF;
  length &= 0xFF;
  if (position >= kBits<T>) return into;
  const T mask = static_cast<T>(LowMask<T>(length) << position);
  return static_cast<T>((into & ~mask) | ((field << position) & mask));
}

// The eight bytes of b:a, chosen by four nibbles; a nibble's top bit spreads
// the sign of its byte.
uint32_t Permute(uint32_t a, uint32_t b, uint32_t selectors) {
  const uint64_t bytes = (uint64_t{b} << 32) | a;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const uint32_t selector = selectors >> (4 * i) & 0xF;
    uint32_t byte = static_cast<uint32_t>(bytes >> (8 * (selector & 7))) & 0xFF;
    if ((selector & 8) != 0) byte = (byte & 0x80) != 0 ? 0xFF : 0;
    result |= byte << (8 * i);
  }
  return result;
}
// The other modes are tables of selectors, chosen by c's low two bits.
template <uint32_t k0, uint32_t k1, uint32_t k2, uint32_t k3>
uint32_t PermuteBy(uint32_t a, uint32_t b, uint32_t c) {
  const uint32_t low = (c & 1) != 0 ? k1 : k0;
  const uint32_t high = (c & 1) != 0 ? k3 : k2;
  return Permute(a, b, (c & 2) != 0 ? high : low);
}

OpFunction Find32(Op op) {
  switch (op) {
    case Op::kFunnelLeftClamp:
      return kApply<&FunnelLeft<true>>;
    case Op::kFunnelLeftWrap:
      return kApply<&FunnelLeft<false>>;
    case Op::kFunnelRightClamp:
      return kApply<&FunnelRight<true>>;
    case Op::kFunnelRightWrap:
      return kApply<&FunnelRight<false>>;
    case Op::kLop3:
      return kApply<&Lop3>;
    case Op::kPermute:
      return kApply<&Permute>;
    case Op::kPermuteF4e:
      return kApply<&PermuteBy<0x3210, 0x4321, 0x5432, 0x6543>>;
    case Op::kPermuteB4e:
      return kApply<&PermuteBy<0x5670, 0x6701, 0x7012, 0x0123>>;
    case Op::kPermuteRc8:
      return kApply<&PermuteBy<0x0000, 0x1111, 0x2222, 0x3333>>;
    case Op::kPermuteEcl:
      return kApply<&PermuteBy<0x3210, 0x3211, 0x3222, 0x3333>>;
    case Op::kPermuteEcr:
      return kApply<&PermuteBy<0x0000, 0x1110, 0x2210, 0x3210>>;
    case Op::kPermuteRc16:
      return kApply<&PermuteBy<0x1010, 0x3232, 0x1010, 0x3232>>;
    default:
      return nullptr;
  }
}

template <class T>
OpFunction FindLogic(Op op) {
  switch (op) {
    case Op::kAnd:
      return kApply<&And<T>>;
    case Op::kOr:
      return kApply<&Or<T>>;
    case Op::kXor:
      return kApply<&Xor<T>>;
    case Op::kNot:
      return kApply<&Not<T>>;
    case Op::kShl:
      return kApply<&Shl<T>>;
    case Op::kShr:
      return kApply<&Shr<T>>;
    default:
      return nullptr;
  }
}

template <class T>
OpFunction FindSigned(Op op) {
  switch (op) {
    case Op::kFindMsb:
      return kApply<&FindMsb<T, false>>;
    case Op::kFindMsbShift:
      return kApply<&FindMsb<T, true>>;
    case Op::kExtract:
      return kApply<&Extract<T>>;
    case Op::kShr:
      return kApply<&Shr<T>>;
    default:
      return nullptr;
  }
}

template <class T>
OpFunction FindWhole(Op op) {
  switch (op) {
    case Op::kPopc:
      return kApply<&Popc<T>>;
    case Op::kClz:
      return kApply<&Clz<T>>;
    case Op::kReverse:
      return kApply<&Reverse<T>>;
    case Op::kInsert:
      return kApply<&Insert<T>>;
    default:
      const OpFunction found = FindSigned<T>(op);
      return found != nullptr ? found : FindLogic<T>(op);
  }
}

OpFunction FindPredicate(Op op) {
  switch (op) {
    case Op::kNot:
      return kApply<&NotPredicate>;
    case Op::kAnd:
      return kApply<&And<uint8_t>>;
    case Op::kOr:
      return kApply<&Or<uint8_t>>;
    case Op::kXor:
      return kApply<&Xor<uint8_t>>;
    default:
      return nullptr;
  }
}

}  // namespace

OpFunction FindBits(const OpKey& key) {
  switch (key.type) {
    case Scalar::kPredicate:
      return FindPredicate(key.op);
    case Scalar::kU16:
      return FindLogic<uint16_t>(key.op);
    case Scalar::kS16:
      return key.op == Op::kShr ? kApply<&Shr<int16_t>> : nullptr;
    case Scalar::kU32: {
      const OpFunction found = Find32(key.op);
      return found != nullptr ? found : FindWhole<uint32_t>(key.op);
    }
    case Scalar::kS32:
      return FindSigned<int32_t>(key.op);
    case Scalar::kU64:
      return FindWhole<uint64_t>(key.op);
    case Scalar::kS64:
      return FindSigned<int64_t>(key.op);
    default:
      return nullptr;
  }
}

}  // namespace graphd::softgpu::GRAPHD_INSTRUCTION_SET
