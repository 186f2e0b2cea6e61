// mov, with its packing and unpacking forms, and cvt.
#include <optional>

#include "core/base/status_macros.h"
#include "core/softgpu/decode_instruction.h"

namespace graphd::softgpu {
namespace {

using ptx::Operand;

std::optional<Scalar> UnsignedOf(uint32_t bytes) {
  switch (bytes) {
    case 1:
      return Scalar::kU8;
    case 2:
      return Scalar::kU16;
    case 4:
      return Scalar::kU32;
    case 8:
      return Scalar::kU64;
    default:
      return std::nullopt;
  }
}

// The type of one of `count` elements of `whole`.
absl::StatusOr<Scalar> ElementOf(Scalar whole, size_t count) {
  const auto type = UnsignedOf(
      count == 0 ? 0 : BytesOf(whole) / static_cast<uint32_t>(count));
  if ((count != 2 && count != 4) || !type) {
    return absl::UnimplementedError("expected a vector of two or four");
  }
  return *type;
}

absl::Status Pack(const ptx::Instruction& i, Scalar whole,
                  CodeBuilder& builder) {
  const std::vector<Operand>& elements = i.operands[1].elements;
  GRAPHD_ASSIGN_OR_RETURN(const Scalar element,
                          ElementOf(whole, elements.size()));
  GRAPHD_ASSIGN_OR_RETURN(const uint32_t destination,
                          builder.Destination(i.operands[0], BytesOf(whole)));
  std::array<uint32_t, 4> from{};
  for (size_t k = 0; k < elements.size(); ++k) {
    GRAPHD_ASSIGN_OR_RETURN(from[k], builder.Source(elements[k], element));
  }
  if (elements.size() == 2) {
    return builder.EmitCompute(
        {.op = Op::kPack2, .type = whole, .from = element}, destination,
        {from[0], from[1]});
  }
  return builder.EmitCompute({.op = Op::kPack4, .type = whole, .from = element},
                             destination, {from[0], from[1], from[2], from[3]});
}

absl::Status Unpack(const ptx::Instruction& i, Scalar whole,
                    CodeBuilder& builder) {
  const std::vector<Operand>& elements = i.operands[0].elements;
  GRAPHD_ASSIGN_OR_RETURN(const Scalar element,
                          ElementOf(whole, elements.size()));
  GRAPHD_ASSIGN_OR_RETURN(const uint32_t from,
                          builder.Source(i.operands[1], whole));
  for (size_t k = 0; k < elements.size(); ++k) {
    if (elements[k].kind == Operand::Kind::kDiscard) continue;
    GRAPHD_ASSIGN_OR_RETURN(const uint32_t destination,
                            builder.Destination(elements[k], BytesOf(element)));
    GRAPHD_RETURN_IF_ERROR(
        builder.EmitCompute({.op = Op::kUnpack,
                             .type = element,
                             .from = whole,
                             .element = static_cast<uint8_t>(k)},
                            destination, {from}));
  }
  return absl::OkStatus();
}

absl::Status DecodeMov(const ptx::Instruction& i, CodeBuilder& builder) {
  const std::optional<Scalar> type = ScalarOf(i.type());
  if (!type) return absl::UnimplementedError("expected a scalar type");
  const std::optional<Scalar> whole = UnsignedOf(BytesOf(*type));
  if (i.operands[0].kind == Operand::Kind::kVector) {
    return Unpack(i, *whole, builder);
  }
  if (i.operands[1].kind == Operand::Kind::kVector) {
    return Pack(i, *whole, builder);
  }
  GRAPHD_ASSIGN_OR_RETURN(const uint32_t destination,
                          builder.Destination(i.operands[0], BytesOf(*type)));
  GRAPHD_ASSIGN_OR_RETURN(const uint32_t from,
                          builder.Source(i.operands[1], *type));
  return builder.EmitCompute({.op = Op::kMove, .type = *type}, destination,
                             {from});
}

bool IsFloat(Scalar type) {
  return type == Scalar::kF16 || type == Scalar::kF32 || type == Scalar::kF64;
}

// Registers may be wider than the types: read low bits, written extended.
absl::Status DecodeCvt(const ptx::Instruction& i, CodeBuilder& builder) {
  std::vector<Scalar> types;
  for (const std::string& modifier : i.modifiers) {
    const std::optional<ptx::Type> named = ptx::ParseType(modifier);
    if (!named) continue;
    const std::optional<Scalar> type = ScalarOf(*named);
    if (!type) return absl::UnimplementedError("expected scalar types");
    types.push_back(*type);
  }
  if (types.size() != 2 || i.operands.size() != 2) {
    return absl::UnimplementedError("expected two types and two operands");
  }
  const auto [to, from_type] = std::pair(types[0], types[1]);
  GRAPHD_ASSIGN_OR_RETURN(const uint32_t from,
                          builder.NarrowedSource(i.operands[1], from_type));
  GRAPHD_ASSIGN_OR_RETURN(const uint32_t target,
                          builder.Register(i.operands[0]));
  const uint32_t width = builder.bytes(target);
  if (width < BytesOf(to)) {
    return absl::UnimplementedError("expected a wider destination");
  }
  const bool widened = width > BytesOf(to);
  const uint32_t result = widened ? builder.Temporary(BytesOf(to)) : target;
  const bool integral =
      i.Has("rni") || i.Has("rzi") || i.Has("rmi") || i.Has("rpi");
  const Rounding rounding = RoundingOf(i);
  GRAPHD_RETURN_IF_ERROR(builder.Destination(i.operands[0], width).status());
  const bool own_rounding = integral || !IsFloat(to) || to == Scalar::kF16;
  const bool same =
      to == from_type && !integral && !i.Has("sat") && !i.Has("ftz");
  GRAPHD_RETURN_IF_ERROR(builder.EmitCompute(
      {.op = same ? Op::kMove : Op::kConvert,
       .type = to,
       .from = from_type,
       .rounding = own_rounding ? rounding : Rounding::kNearest,
       .to_integral = integral && IsFloat(to),
       .ftz = i.Has("ftz"),
       .sat = i.Has("sat")},
      result, {from}, own_rounding ? Rounding::kNearest : rounding));
  if (!widened) return absl::OkStatus();
  const std::optional<Scalar> wide = UnsignedOf(width);
  const Scalar narrow = IsFloat(to) ? *UnsignedOf(BytesOf(to)) : to;
  return builder.EmitCompute(
      {.op = Op::kConvert, .type = *wide, .from = narrow}, target, {result});
}

}  // namespace

absl::StatusOr<Decoded> DecodeMove(const ptx::Instruction& i,
                                   CodeBuilder& builder) {
  if (i.opcode == "mov") {
    GRAPHD_RETURN_IF_ERROR(DecodeMov(i, builder));
  } else if (i.opcode == "cvt") {
    GRAPHD_RETURN_IF_ERROR(DecodeCvt(i, builder));
  } else {
    return Decoded::kNotMine;
  }
  return Decoded::kDone;
}

}  // namespace graphd::softgpu
