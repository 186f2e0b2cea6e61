// Names one vector operation: what an instruction computes for every thread of
// a block, without operands.
//
// Plain data on purpose: the operations are compiled once for every instruction
// set, and nothing that a library also instantiates may be compiled for one
// that the machine perhaps lacks.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_SOFTGPU_OPS_OP_KEY_H_
#define GRAPHD_CORE_SOFTGPU_OPS_OP_KEY_H_

#include <cstdint>

namespace graphd::softgpu {

// Bit types count as unsigned.
enum class Scalar : uint8_t {
  kU8,
  kS8,
  kU16,
  kS16,
  kU32,
  kS32,
  kU64,
  kS64,
  kF16,
  kF32,
  kF64,
  kPredicate,
};

enum class Op : uint8_t {
  // Integers and floats.
  kAdd,
  kSub,
  kMulLow,
  kMulHigh,
  kMulWide,
  kMadLow,
  kMadHigh,
  kMadWide,
  kFma,
  kMul,  // of floats
  kMul24Low,
  kMul24High,
  kMad24Low,
  kMad24High,
  kSad,
  kDiv,
  kRem,
  kAbs,
  kNeg,
  kMin,
  kMax,
  // Floats only.
  kSqrt,
  kRcp,
  kRsqrt,
  kEx2,
  kLg2,
  kSin,
  kCos,
  kTanh,
  kCopysign,
  kTestFinite,
  kTestInfinite,
  kTestNumber,
  kTestNotANumber,
  kTestNormal,
  kTestSubnormal,
  // Comparison and selection.
  kCompare,  // to a predicate
  kSet,      // predicate to all ones, or 1.0
  kSelect,   // (a, b, predicate)
  kSlct,     // (a, b, c): c >= 0
  // Bits.
  kAnd,
  kOr,
  kXor,
  kNot,
  kShl,
  kShr,
  kFunnelLeftClamp,
  kFunnelLeftWrap,
  kFunnelRightClamp,
  kFunnelRightWrap,
  kLop3,
  kPopc,
  kClz,
  kFindMsb,       // bfind
  kFindMsbShift,  // bfind.shiftamt
  kReverse,
  kExtract,  // bfe
  kInsert,   // bfi
  kPermute,
  kPermuteF4e,
  kPermuteB4e,
  kPermuteRc8,
  kPermuteEcl,
  kPermuteEcr,
  kPermuteRc16,
  // Movement.
  kMove,
  kConvert,  // `from` to `type`
  kPack2,    // two of `from` into `type`
  kPack4,    // four of `from` into `type`
  kUnpack,   // element `element` of `from` as `type`
};

enum class Compare : uint8_t {
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  // True when an operand is NaN.
  kEqu,
  kNeu,
  kLtu,
  kLeu,
  kGtu,
  kGeu,
  kNum,
  kNan,
};

enum class Rounding : uint8_t { kNearest, kZero, kDown, kUp };

struct OpKey {
  Op op = Op::kMove;
  Scalar type = Scalar::kU32;
  Scalar from = Scalar::kU32;
  Compare compare = Compare::kEq;
  // To an integer, or of a conversion to f16. Other directed roundings are
  // the floating-point environment's, which the caller sets.
  Rounding rounding = Rounding::kNearest;
  bool to_integral = false;  // a float rounded to a whole number
  bool ftz = false;
  bool sat = false;
  bool propagate_nan = false;  // min.NaN, max.NaN
  bool approx = false;         // rcp.approx.ftz.f64 and rsqrt.approx.f64
  uint8_t element = 0;
};

// Computes destination[i] from sources[k][i] for i < lanes, where mask is null
// or mask[i] is not 0. Every pointer is to a whole register, one element a
// lane. A destination may be one of the sources.
using OpFunction = void (*)(uint32_t lanes, const uint8_t* mask,
                            void* destination, const void* const* sources);

// The operation, or null when there is none of that type.
namespace baseline {
OpFunction FindOp(const OpKey& key);
}
// For machines with AVX2 and FMA.
namespace avx2 {
OpFunction FindOp(const OpKey& key);
}

}  // namespace graphd::softgpu

#endif  // GRAPHD_CORE_SOFTGPU_OPS_OP_KEY_H_
