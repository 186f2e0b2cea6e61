// ld, st, cvta and isspacep.
#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/softgpu/decode_instruction.h"

namespace graphd::softgpu {
namespace {

using ptx::Operand;

MemorySpace SpaceOf(const ptx::Instruction& i) {
  if (i.Has("global")) return MemorySpace::kGlobal;
  if (i.Has("const")) return MemorySpace::kConst;
  if (i.Has("shared") || i.Has("shared::cta")) return MemorySpace::kShared;
  if (i.Has("local")) return MemorySpace::kLocal;
  if (i.Has("param") || i.Has("param::entry")) return MemorySpace::kParam;
  return MemorySpace::kGeneric;
}

uint64_t WindowOf(MemorySpace space) {
  switch (space) {
    case MemorySpace::kShared:
      return kSharedWindow;
    case MemorySpace::kLocal:
      return kLocalWindow;
    case MemorySpace::kParam:
      return kParamWindow;
    default:
      return 0;
  }
}

// The slot and offset of [base + offset].
absl::Status ReadAddress(const Operand& operand, CodeBuilder& builder,
                         MemoryAccess& access) {
  if (operand.kind != Operand::Kind::kAddress || operand.elements.size() != 1) {
    return absl::UnimplementedError("expected a plain address");
  }
  const Operand& base = operand.elements[0];
  access.offset = operand.integer;
  if (base.kind == Operand::Kind::kInteger) {
    access.address = builder.Constant(static_cast<uint64_t>(base.integer), 8);
    return absl::OkStatus();
  }
  if (base.kind == Operand::Kind::kSymbol) {
    const std::optional<Place> place = builder.Find(base.text);
    if (!place) {
      return absl::UnimplementedError(
          absl::StrCat("expected a variable, found ", base.text));
    }
    uint64_t address = place->address + base.integer;
    if (access.space == MemorySpace::kGeneric) {
      address += WindowOf(place->space);
    }
    access.address = builder.Constant(address, 8);
    return absl::OkStatus();
  }
  GRAPHD_ASSIGN_OR_RETURN(access.address, builder.Register(base));
  const uint32_t bytes = builder.bytes(access.address);
  if (bytes == 8 || bytes == 4) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("expected an address of 32 or 64 bits, found ", base.text));
}

absl::Status DecodeAccess(const ptx::Instruction& i, bool load,
                          CodeBuilder& builder) {
  if (i.operands.size() != 2) {
    return absl::UnimplementedError("expected two operands");
  }
  const std::optional<Scalar> type = ScalarOf(i.type());
  if (!type || *type == Scalar::kPredicate) {
    return absl::UnimplementedError("expected a scalar type");
  }
  MemoryAccess access;
  access.space = SpaceOf(i);
  if (!load && (access.space == MemorySpace::kParam ||
                access.space == MemorySpace::kConst)) {
    return absl::UnimplementedError("expected memory that may be written");
  }
  access.element_bytes = static_cast<uint8_t>(BytesOf(*type));
  access.sign_extend = *type == Scalar::kS8 || *type == Scalar::kS16 ||
                       *type == Scalar::kS32 || *type == Scalar::kS64;
  GRAPHD_RETURN_IF_ERROR(
      ReadAddress(i.operands[load ? 1 : 0], builder, access));
  const Operand& value = i.operands[load ? 0 : 1];
  const bool vector = value.kind == Operand::Kind::kVector;
  const size_t stated = i.Has("v2") ? 2 : i.Has("v4") ? 4 : 1;
  const size_t count = vector ? value.elements.size() : 1;
  if (count != stated) {
    return absl::UnimplementedError(
        absl::StrCat("expected ", stated, " elements, found ", count));
  }
  access.elements = static_cast<uint8_t>(count);
  for (size_t k = 0; k < count; ++k) {
    const Operand& element = vector ? value.elements[k] : value;
    if (load && element.kind == Operand::Kind::kDiscard) continue;
    if (!load && element.kind != Operand::Kind::kRegister) {
      GRAPHD_ASSIGN_OR_RETURN(access.values[k], builder.Source(element, *type));
      continue;
    }
    GRAPHD_ASSIGN_OR_RETURN(const uint32_t slot, builder.Register(element));
    const uint32_t bytes = builder.bytes(slot);
    if (bytes < access.element_bytes) {
      return absl::UnimplementedError(absl::StrCat(
          "expected a register of at least ", 8 * access.element_bytes,
          " bits, found ", element.text));
    }
    if (load) {
      GRAPHD_RETURN_IF_ERROR(builder.Destination(element, bytes).status());
    }
    access.values[k] = slot;
  }
  builder.EmitAccess(load ? Action::kLoad : Action::kStore, access);
  return absl::OkStatus();
}

absl::Status DecodeCvta(const ptx::Instruction& i, CodeBuilder& builder) {
  if (i.type() != ptx::Type::kU64) {
    return absl::UnimplementedError("expected addresses of 64 bits");
  }
  GRAPHD_ASSIGN_OR_RETURN(const uint32_t destination,
                          builder.Destination(i.operands[0], 8));
  GRAPHD_ASSIGN_OR_RETURN(const uint32_t from,
                          builder.Source(i.operands[1], Scalar::kU64));
  const uint32_t window = builder.Constant(WindowOf(SpaceOf(i)), 8);
  return builder.EmitCompute(
      {.op = i.Has("to") ? Op::kSub : Op::kAdd, .type = Scalar::kU64},
      destination, {from, window});
}

absl::Status DecodeIsspacep(const ptx::Instruction& i, CodeBuilder& builder) {
  MemoryAccess access;
  access.space = SpaceOf(i);
  GRAPHD_ASSIGN_OR_RETURN(const uint32_t destination,
                          builder.Destination(i.operands[0], 1));
  GRAPHD_ASSIGN_OR_RETURN(access.address,
                          builder.Source(i.operands[1], Scalar::kU64));
  builder.EmitAccess(Action::kSpaceTest, access, destination);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Decoded> DecodeMemory(const ptx::Instruction& i,
                                     CodeBuilder& builder) {
  if (i.opcode == "ld" || i.opcode == "st") {
    GRAPHD_RETURN_IF_ERROR(DecodeAccess(i, i.opcode == "ld", builder));
  } else if (i.opcode == "cvta") {
    GRAPHD_RETURN_IF_ERROR(DecodeCvta(i, builder));
  } else if (i.opcode == "isspacep") {
    GRAPHD_RETURN_IF_ERROR(DecodeIsspacep(i, builder));
  } else {
    return Decoded::kNotMine;
  }
  return Decoded::kDone;
}

}  // namespace graphd::softgpu
