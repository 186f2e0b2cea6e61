// Integer and floating-point arithmetic and bit operations: opcodes whose
// operands all follow from one type.
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "core/base/status_macros.h"
#include "core/softgpu/decode_instruction.h"

namespace graphd::softgpu {
namespace {

// What the operands are: "s" of the type, "w" of the wide type, "u" 32 bits.
struct Row {
  Op op;
  const char* sources;
  char destination = 's';
};

bool IsFloat(Scalar type) {
  return type == Scalar::kF32 || type == Scalar::kF64;
}

const absl::flat_hash_map<absl::string_view, Row>& PlainRows() {
  static const auto& rows = *new absl::flat_hash_map<absl::string_view, Row>{
      {"add", {Op::kAdd, "ss"}},
      {"sub", {Op::kSub, "ss"}},
      {"fma", {Op::kFma, "sss"}},
      {"sad", {Op::kSad, "sss"}},
      {"div", {Op::kDiv, "ss"}},
      {"rem", {Op::kRem, "ss"}},
      {"abs", {Op::kAbs, "s"}},
      {"neg", {Op::kNeg, "s"}},
      {"min", {Op::kMin, "ss"}},
      {"max", {Op::kMax, "ss"}},
      {"sqrt", {Op::kSqrt, "s"}},
      {"rcp", {Op::kRcp, "s"}},
      {"rsqrt", {Op::kRsqrt, "s"}},
      {"ex2", {Op::kEx2, "s"}},
      {"lg2", {Op::kLg2, "s"}},
      {"sin", {Op::kSin, "s"}},
      {"cos", {Op::kCos, "s"}},
      {"tanh", {Op::kTanh, "s"}},
      {"copysign", {Op::kCopysign, "ss"}},
      {"and", {Op::kAnd, "ss"}},
      {"or", {Op::kOr, "ss"}},
      {"xor", {Op::kXor, "ss"}},
      {"not", {Op::kNot, "s"}},
      {"shl", {Op::kShl, "su"}},
      {"shr", {Op::kShr, "su"}},
      {"lop3", {Op::kLop3, "ssss"}},
      {"popc", {Op::kPopc, "s", 'u'}},
      {"clz", {Op::kClz, "s", 'u'}},
      {"bfind", {Op::kFindMsb, "s", 'u'}},
      {"brev", {Op::kReverse, "s"}},
      {"bfe", {Op::kExtract, "suu"}},
      {"bfi", {Op::kInsert, "ssuu"}},
      {"prmt", {Op::kPermute, "sss"}},
  };
  return rows;
}

std::optional<Row> ProductRow(const ptx::Instruction& i, Scalar type) {
  const bool mad = i.opcode == "mad";
  if (i.opcode == "mul24") {
    return Row{i.Has("hi") ? Op::kMul24High : Op::kMul24Low, "ss"};
  }
  if (i.opcode == "mad24") {
    return Row{i.Has("hi") ? Op::kMad24High : Op::kMad24Low, "sss"};
  }
  if (i.opcode != "mul" && !mad) return std::nullopt;
  if (IsFloat(type)) return mad ? Row{Op::kFma, "sss"} : Row{Op::kMul, "ss"};
  if (i.Has("wide")) {
    return mad ? Row{Op::kMadWide, "ssw", 'w'} : Row{Op::kMulWide, "ss", 'w'};
  }
  if (i.Has("hi")) {
    return mad ? Row{Op::kMadHigh, "sss"} : Row{Op::kMulHigh, "ss"};
  }
  return mad ? Row{Op::kMadLow, "sss"} : Row{Op::kMulLow, "ss"};
}

Op FunnelOp(const ptx::Instruction& i) {
  if (i.Has("l")) {
    return i.Has("clamp") ? Op::kFunnelLeftClamp : Op::kFunnelLeftWrap;
  }
  return i.Has("clamp") ? Op::kFunnelRightClamp : Op::kFunnelRightWrap;
}

Op PermuteOp(const ptx::Instruction& i) {
  if (i.Has("f4e")) return Op::kPermuteF4e;
  if (i.Has("b4e")) return Op::kPermuteB4e;
  if (i.Has("rc8")) return Op::kPermuteRc8;
  if (i.Has("ecl")) return Op::kPermuteEcl;
  if (i.Has("ecr")) return Op::kPermuteEcr;
  if (i.Has("rc16")) return Op::kPermuteRc16;
  return Op::kPermute;
}

std::optional<Row> RowOf(const ptx::Instruction& i, Scalar type) {
  if (const std::optional<Row> row = ProductRow(i, type)) return row;
  if (i.opcode == "shf") return Row{FunnelOp(i), "ssu"};
  const auto found = PlainRows().find(i.opcode);
  if (found == PlainRows().end()) return std::nullopt;
  Row row = found->second;
  if (row.op == Op::kPermute) row.op = PermuteOp(i);
  if (row.op == Op::kFindMsb && i.Has("shiftamt")) row.op = Op::kFindMsbShift;
  return row;
}

uint32_t Width(char letter, Scalar type) {
  return letter == 'u' ? 4 : letter == 'w' ? 2 * BytesOf(type) : BytesOf(type);
}
Scalar OperandType(char letter, Scalar type) {
  if (letter == 'u') return Scalar::kU32;
  if (letter == 's') return type;
  return BytesOf(type) == 2 ? Scalar::kU32 : Scalar::kU64;
}

}  // namespace

absl::StatusOr<Decoded> DecodeArithmetic(const ptx::Instruction& i,
                                         CodeBuilder& builder) {
  const std::optional<Scalar> type = ScalarOf(i.type());
  const std::optional<Row> row = RowOf(i, type.value_or(Scalar::kU32));
  if (!row) return Decoded::kNotMine;
  if (!type) return absl::UnimplementedError("expected a scalar type");
  OpKey key{.op = row->op,
            .type = *type,
            .ftz = i.Has("ftz"),
            .sat = i.Has("sat"),
            .propagate_nan = i.Has("NaN"),
            .approx = i.Has("approx")};
  const absl::string_view letters = row->sources;
  std::vector<uint32_t> sources;
  for (size_t k = 1; k < i.operands.size(); ++k) {
    const char letter = k <= letters.size() ? letters[k - 1] : 's';
    GRAPHD_ASSIGN_OR_RETURN(
        const uint32_t slot,
        builder.Source(i.operands[k], OperandType(letter, *type)));
    sources.push_back(slot);
  }
  GRAPHD_ASSIGN_OR_RETURN(
      const uint32_t destination,
      builder.Destination(i.operands[0], Width(row->destination, *type)));
  const Rounding rounding = IsFloat(*type) ? RoundingOf(i) : Rounding::kNearest;
  const auto emit = [&](uint32_t into, auto... from) {
    return builder.EmitCompute(key, into, {from...}, rounding);
  };
  switch (sources.size()) {
    case 1:
      GRAPHD_RETURN_IF_ERROR(emit(destination, sources[0]));
      break;
    case 2:
      GRAPHD_RETURN_IF_ERROR(emit(destination, sources[0], sources[1]));
      break;
    case 3:
      if (letters.size() == 2) {  // min and max of three
        const uint32_t first = builder.Temporary(BytesOf(*type));
        GRAPHD_RETURN_IF_ERROR(emit(first, sources[0], sources[1]));
        GRAPHD_RETURN_IF_ERROR(emit(destination, first, sources[2]));
      } else {
        GRAPHD_RETURN_IF_ERROR(
            emit(destination, sources[0], sources[1], sources[2]));
      }
      break;
    case 4:
      GRAPHD_RETURN_IF_ERROR(
          emit(destination, sources[0], sources[1], sources[2], sources[3]));
      break;
    default:
      return absl::UnimplementedError("unexpected number of operands");
  }
  return Decoded::kDone;
}

}  // namespace graphd::softgpu
