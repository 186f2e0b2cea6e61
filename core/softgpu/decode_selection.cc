// setp, set, selp, slct and testp.
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "core/base/status_macros.h"
#include "core/softgpu/decode_instruction.h"

namespace graphd::softgpu {
namespace {

constexpr Scalar kPredicate = Scalar::kPredicate;

// The comparison and, when lo, ls, hi or hs state it, that it is unsigned.
std::optional<Compare> CompareOf(const ptx::Instruction& i) {
  static const auto& names =
      *new absl::flat_hash_map<absl::string_view, Compare>{
          {"eq", Compare::kEq},   {"ne", Compare::kNe},
          {"lt", Compare::kLt},   {"le", Compare::kLe},
          {"gt", Compare::kGt},   {"ge", Compare::kGe},
          {"lo", Compare::kLt},   {"ls", Compare::kLe},
          {"hi", Compare::kGt},   {"hs", Compare::kGe},
          {"equ", Compare::kEqu}, {"neu", Compare::kNeu},
          {"ltu", Compare::kLtu}, {"leu", Compare::kLeu},
          {"gtu", Compare::kGtu}, {"geu", Compare::kGeu},
          {"num", Compare::kNum}, {"nan", Compare::kNan}};
  if (i.modifiers.empty()) return std::nullopt;
  const auto found = names.find(i.modifiers[0]);
  if (found == names.end()) return std::nullopt;
  return found->second;
}

std::optional<Op> Combination(const ptx::Instruction& i) {
  if (i.Has("and")) return Op::kAnd;
  if (i.Has("or")) return Op::kOr;
  if (i.Has("xor")) return Op::kXor;
  return std::nullopt;
}

absl::Status EmitPredicate(CodeBuilder& builder, Op op, uint32_t destination,
                           uint32_t a, uint32_t b) {
  return builder.EmitCompute({.op = op, .type = kPredicate}, destination,
                             {a, b});
}

// a <compare> b in a slot of its own, before anything combines it.
absl::StatusOr<uint32_t> EmitCompare(const ptx::Instruction& i, Scalar type,
                                     CodeBuilder& builder) {
  const std::optional<Compare> compare = CompareOf(i);
  if (!compare) return absl::UnimplementedError("expected a comparison");
  GRAPHD_ASSIGN_OR_RETURN(const uint32_t a,
                          builder.Source(i.operands[1], type));
  GRAPHD_ASSIGN_OR_RETURN(const uint32_t b,
                          builder.Source(i.operands[2], type));
  const uint32_t result = builder.Temporary(1);
  GRAPHD_RETURN_IF_ERROR(builder.EmitCompute({.op = Op::kCompare,
                                              .type = kPredicate,
                                              .from = type,
                                              .compare = *compare,
                                              .ftz = i.Has("ftz")},
                                             result, {a, b}));
  return result;
}

// p = compared op c and q = !compared op c; without c, the plain values.
absl::Status DecodeSetp(const ptx::Instruction& i, Scalar type,
                        CodeBuilder& builder) {
  const ptx::Operand& target = i.operands[0];
  const bool pair = target.kind == ptx::Operand::Kind::kPair;
  GRAPHD_ASSIGN_OR_RETURN(
      const uint32_t p,
      builder.Destination(pair ? target.elements[0] : target, 1));
  GRAPHD_ASSIGN_OR_RETURN(uint32_t compared, EmitCompare(i, type, builder));
  uint32_t inverse = Step::kNone;
  if (pair) {
    inverse = builder.Temporary(1);
    GRAPHD_RETURN_IF_ERROR(builder.EmitCompute(
        {.op = Op::kNot, .type = kPredicate}, inverse, {compared}));
  }
  if (const std::optional<Op> op = Combination(i)) {
    if (i.operands.size() < 4) {
      return absl::UnimplementedError("expected a predicate to combine with");
    }
    GRAPHD_ASSIGN_OR_RETURN(const uint32_t c,
                            builder.Source(i.operands[3], kPredicate));
    GRAPHD_RETURN_IF_ERROR(EmitPredicate(builder, *op, compared, compared, c));
    if (pair) {
      GRAPHD_RETURN_IF_ERROR(EmitPredicate(builder, *op, inverse, inverse, c));
    }
  }
  const OpKey move{.op = Op::kMove, .type = kPredicate};
  GRAPHD_RETURN_IF_ERROR(builder.EmitCompute(move, p, {compared}));
  if (!pair) return absl::OkStatus();
  GRAPHD_ASSIGN_OR_RETURN(const uint32_t q,
                          builder.Destination(target.elements[1], 1));
  return builder.EmitCompute(move, q, {inverse});
}

// set.cmp.dtype.stype
absl::Status DecodeSet(const ptx::Instruction& i, Scalar type,
                       CodeBuilder& builder) {
  std::optional<Scalar> to;
  for (const std::string& modifier : i.modifiers) {
    const std::optional<ptx::Type> named = ptx::ParseType(modifier);
    if (named && !to) to = ScalarOf(*named);
  }
  if (to != Scalar::kU32 && to != Scalar::kS32 && to != Scalar::kF32) {
    return absl::UnimplementedError("expected a result of 32 bits");
  }
  GRAPHD_ASSIGN_OR_RETURN(const uint32_t destination,
                          builder.Destination(i.operands[0], 4));
  GRAPHD_ASSIGN_OR_RETURN(const uint32_t compared,
                          EmitCompare(i, type, builder));
  if (const std::optional<Op> op = Combination(i)) {
    if (i.operands.size() < 4) {
      return absl::UnimplementedError("expected a predicate to combine with");
    }
    GRAPHD_ASSIGN_OR_RETURN(const uint32_t c,
                            builder.Source(i.operands[3], kPredicate));
    GRAPHD_RETURN_IF_ERROR(EmitPredicate(builder, *op, compared, compared, c));
  }
  return builder.EmitCompute({.op = Op::kSet, .type = *to}, destination,
                             {compared});
}

absl::Status DecodeSlct(const ptx::Instruction& i, Scalar condition,
                        CodeBuilder& builder) {
  std::optional<Scalar> type;
  for (const std::string& modifier : i.modifiers) {
    const std::optional<ptx::Type> named = ptx::ParseType(modifier);
    if (named && !type) type = ScalarOf(*named);
  }
  GRAPHD_ASSIGN_OR_RETURN(const uint32_t destination,
                          builder.Destination(i.operands[0], BytesOf(*type)));
  GRAPHD_ASSIGN_OR_RETURN(const uint32_t a,
                          builder.Source(i.operands[1], *type));
  GRAPHD_ASSIGN_OR_RETURN(const uint32_t b,
                          builder.Source(i.operands[2], *type));
  GRAPHD_ASSIGN_OR_RETURN(const uint32_t c,
                          builder.Source(i.operands[3], condition));
  return builder.EmitCompute(
      {.op = Op::kSlct, .type = *type, .from = condition, .ftz = i.Has("ftz")},
      destination, {a, b, c});
}

absl::Status DecodeSelp(const ptx::Instruction& i, Scalar type,
                        CodeBuilder& builder) {
  GRAPHD_ASSIGN_OR_RETURN(const uint32_t destination,
                          builder.Destination(i.operands[0], BytesOf(type)));
  GRAPHD_ASSIGN_OR_RETURN(const uint32_t a,
                          builder.Source(i.operands[1], type));
  GRAPHD_ASSIGN_OR_RETURN(const uint32_t b,
                          builder.Source(i.operands[2], type));
  GRAPHD_ASSIGN_OR_RETURN(const uint32_t c,
                          builder.Source(i.operands[3], kPredicate));
  return builder.EmitCompute({.op = Op::kSelect, .type = type}, destination,
                             {a, b, c});
}

absl::Status DecodeTestp(const ptx::Instruction& i, Scalar type,
                         CodeBuilder& builder) {
  static const auto& tests = *new absl::flat_hash_map<absl::string_view, Op>{
      {"finite", Op::kTestFinite}, {"infinite", Op::kTestInfinite},
      {"number", Op::kTestNumber}, {"notanumber", Op::kTestNotANumber},
      {"normal", Op::kTestNormal}, {"subnormal", Op::kTestSubnormal}};
  const auto test = tests.find(i.modifiers.empty() ? "" : i.modifiers[0]);
  if (test == tests.end()) return absl::UnimplementedError("expected a test");
  GRAPHD_ASSIGN_OR_RETURN(const uint32_t destination,
                          builder.Destination(i.operands[0], 1));
  GRAPHD_ASSIGN_OR_RETURN(const uint32_t a,
                          builder.Source(i.operands[1], type));
  return builder.EmitCompute({.op = test->second, .type = type}, destination,
                             {a});
}

}  // namespace

absl::StatusOr<Decoded> DecodeSelection(const ptx::Instruction& i,
                                        CodeBuilder& builder) {
  using Decode =
      absl::Status (*)(const ptx::Instruction&, Scalar, CodeBuilder&);
  static const auto& decoders =
      *new absl::flat_hash_map<absl::string_view, Decode>{
          {"setp", DecodeSetp},
          {"set", DecodeSet},
          {"selp", DecodeSelp},
          {"slct", DecodeSlct},
          {"testp", DecodeTestp}};
  const auto decode = decoders.find(i.opcode);
  if (decode == decoders.end()) return Decoded::kNotMine;
  const std::optional<Scalar> type = ScalarOf(i.type());
  if (!type) return absl::UnimplementedError("expected a scalar type");
  GRAPHD_RETURN_IF_ERROR(decode->second(i, *type, builder));
  return Decoded::kDone;
}

}  // namespace graphd::softgpu
