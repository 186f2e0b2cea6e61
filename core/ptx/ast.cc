#include "core/ptx/ast.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace graphd::ptx {
namespace {

struct TypeRow {
  Type type;
  absl::string_view name;
  uint32_t size_bytes;
};

// In the order of the enumeration.
constexpr TypeRow kTypes[] = {
    {Type::kNone, "", 0},
    {Type::kS8, "s8", 1},
    {Type::kS16, "s16", 2},
    {Type::kS32, "s32", 4},
    {Type::kS64, "s64", 8},
    {Type::kU8, "u8", 1},
    {Type::kU16, "u16", 2},
    {Type::kU32, "u32", 4},
    {Type::kU64, "u64", 8},
    {Type::kF16, "f16", 2},
    {Type::kF16x2, "f16x2", 4},
    {Type::kBF16, "bf16", 2},
    {Type::kBF16x2, "bf16x2", 4},
    {Type::kF32, "f32", 4},
    {Type::kF64, "f64", 8},
    {Type::kB8, "b8", 1},
    {Type::kB16, "b16", 2},
    {Type::kB32, "b32", 4},
    {Type::kB64, "b64", 8},
    {Type::kB128, "b128", 16},
    {Type::kPred, "pred", 0},
    {Type::kTexref, "texref", 0},
    {Type::kSamplerref, "samplerref", 0},
    {Type::kSurfref, "surfref", 0},
};

uint64_t MultiplySaturated(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

uint32_t AlignUp(uint32_t value, uint32_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace

uint32_t SizeBytes(Type type) {
  return kTypes[static_cast<size_t>(type)].size_bytes;
}

absl::string_view Name(Type type) {
  return kTypes[static_cast<size_t>(type)].name;
}

std::optional<Type> ParseType(absl::string_view name) {
  if (name.empty()) return std::nullopt;
  for (const TypeRow& row : kTypes) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;
}

bool Instruction::Has(absl::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) !=
         modifiers.end();
}

std::string Instruction::FullName() const {
  std::string name = opcode;
  for (const std::string& modifier : modifiers) {
    absl::StrAppend(&name, ".", modifier);
  }
  return name;
}

Type Instruction::type() const {
  for (auto it = modifiers.rbegin(); it != modifiers.rend(); ++it) {
    if (const std::optional<Type> type = ParseType(*it)) return *type;
  }
  return Type::kNone;
}

// Written out: clang 14 cannot compile the defaulted one of a recursive type.
bool Block::operator==(const Block& other) const {
  return line == other.line && statements == other.statements;
}

uint64_t Variable::size_bytes() const {
  // Opaque references are 64-bit handles.
  const bool opaque = type == Type::kTexref || type == Type::kSamplerref ||
                      type == Type::kSurfref;
  uint64_t size = opaque ? 8 : SizeBytes(type);
  size = MultiplySaturated(size, vector_width);
  for (const uint64_t dimension : dimensions) {
    size = MultiplySaturated(size, dimension);
  }
  return size;
}

uint32_t Variable::alignment() const {
  if (align != 0) return align;
  const uint32_t natural = SizeBytes(type) * vector_width;
  return natural == 0 ? 8 : natural;
}

const Function* Module::FindEntry(absl::string_view name) const {
  for (const Function* entry : Entries()) {
    if (entry->name == name) return entry;
  }
  return nullptr;
}

const Function* Module::FindFunction(absl::string_view name) const {
  const Function* declaration = nullptr;
  for (const TopLevel& item : items) {
    const Function* function = std::get_if<Function>(&item);
    if (function == nullptr || function->name != name) continue;
    if (function->has_body) return function;
    declaration = function;
  }
  return declaration;
}

const Variable* Module::FindVariable(absl::string_view name) const {
  for (const TopLevel& item : items) {
    const Variable* variable = std::get_if<Variable>(&item);
    if (variable != nullptr && variable->name == name) return variable;
  }
  return nullptr;
}

std::vector<const Function*> Module::Entries() const {
  std::vector<const Function*> entries;
  for (const TopLevel& item : items) {
    const Function* function = std::get_if<Function>(&item);
    if (function != nullptr && function->is_entry && function->has_body) {
      entries.push_back(function);
    }
  }
  return entries;
}

Signature SignatureOf(const Function& entry) {
  Signature signature;
  for (const Variable& variable : entry.params) {
    Signature::Param param;
    param.name = variable.name;
    param.type = variable.type;
    param.size_bytes = static_cast<uint32_t>(
        std::min<uint64_t>(variable.size_bytes(), UINT16_MAX));
    param.align_bytes = variable.alignment();
    param.offset_bytes = AlignUp(signature.block_bytes, param.align_bytes);
    param.is_array = variable.is_array;
    signature.block_bytes = param.offset_bytes + param.size_bytes;
    signature.params.push_back(std::move(param));
  }
  return signature;
}

}  // namespace graphd::ptx
