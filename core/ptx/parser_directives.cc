#include "core/ptx/parser_directives.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace graphd::ptx {
namespace {

constexpr uint64_t kMaxAlign = 1 << 20;
constexpr uint64_t kMaxRegisters = 1 << 20;
constexpr uint64_t kMaxDimension = uint64_t{1} << 40;
constexpr int kMaxDimensions = 16;
constexpr int kMaxInitialiserDepth = kMaxDimensions + 1;

int VectorWidth(const Token& token) {
  if (token.IsDotted("v2")) return 2;
  if (token.IsDotted("v4")) return 4;
  if (token.IsDotted("v8")) return 8;
  return 0;
}

// ".align 8", ".v2", ".attribute(…)" in any order, then the type.
bool ReadType(TokenReader& reader, Variable& variable) {
  while (true) {
    const Token token = reader.token();
    if (token.kind != Token::Kind::kDotted) return reader.Fail("a type");
    if (reader.Accept("align")) {
      uint64_t align = 0;
      if (!reader.ExpectCount("an alignment", kMaxAlign, align)) return false;
      if (align == 0 || (align & (align - 1)) != 0) {
        return reader.Fail("a power of two before this as the alignment");
      }
      variable.align = static_cast<uint32_t>(align);
    } else if (token.IsDotted("attribute")) {
      do {
        if (!reader.TakeRaw(variable.attributes, "\")\"")) return false;
      } while (!reader.token().Is(')'));
      if (!reader.TakeRaw(variable.attributes, "\")\"")) return false;
    } else if (const int width = VectorWidth(token)) {
      variable.vector_width = width;
      reader.Advance();
    } else if (const auto type = ParseType(token.text.substr(1))) {
      variable.type = *type;
      reader.Advance();
      return true;
    } else {
      return reader.Fail("a type");
    }
  }
}

bool ReadDimensions(TokenReader& reader, Variable& variable) {
  while (reader.Accept('[')) {
    if (variable.dimensions.size() == kMaxDimensions) {
      return reader.Fail("at most 16 dimensions");
    }
    variable.is_array = true;
    uint64_t count = 0;
    if (!reader.token().Is(']') &&
        !reader.ExpectCount("a number of elements", kMaxDimension, count)) {
      return false;
    }
    variable.dimensions.push_back(count);
    if (!reader.Expect(']')) return false;
  }
  return true;
}

bool ReadSymbolOffset(TokenReader& reader, InitialValue& value) {
  while (reader.token().Is('+') || reader.token().Is('-')) {
    bool negative = reader.token().Is('-');
    reader.Advance();
    if (!negative) negative = reader.Accept('-');
    if (reader.token().kind != Token::Kind::kInteger) {
      return reader.Fail("a byte offset");
    }
    const uint64_t bits = reader.token().bits;
    value.offset = static_cast<int64_t>(static_cast<uint64_t>(value.offset) +
                                        (negative ? 0 - bits : bits));
    reader.Advance();
  }
  return true;
}

// x, x+4, generic(x), generic(x)+4; "generic" only before "(".
bool ReadSymbol(TokenReader& reader, InitialValue& value) {
  value.kind = InitialValue::Kind::kSymbol;
  if (!reader.ExpectWord("a symbol or number", value.text)) return false;
  if (value.text == "generic" && reader.Accept('(')) {
    value.kind = InitialValue::Kind::kGenericSymbol;
    if (!reader.ExpectWord("a symbol", value.text)) return false;
    if (!ReadSymbolOffset(reader, value)) return false;
    if (!reader.Expect(')')) return false;
  }
  return ReadSymbolOffset(reader, value);
}

bool ReadInitialValue(TokenReader& reader, InitialValue& value) {
  if (reader.token().kind == Token::Kind::kWord) {
    return ReadSymbol(reader, value);
  }
  const bool negative = reader.Accept('-');
  const Token token = reader.token();
  value.bits = token.bits;
  if (token.kind == Token::Kind::kFloat) {
    value.kind = InitialValue::Kind::kFloat;
    value.is_double = token.is_double;
    if (negative) value.bits ^= 1ull << (token.is_double ? 63 : 31);
  } else if (token.kind == Token::Kind::kInteger) {
    value.kind = InitialValue::Kind::kInteger;
    if (negative) value.bits = 0 - value.bits;
  } else {
    return reader.Fail("a number or symbol");
  }
  reader.Advance();
  if (token.kind != Token::Kind::kInteger || negative || !reader.Accept('(')) {
    return true;
  }
  if (!ReadSymbol(reader, value)) return false;
  value.mask_of_generic = value.kind == InitialValue::Kind::kGenericSymbol;
  value.kind = InitialValue::Kind::kMask;
  value.mask = token.bits;
  value.bits = 0;
  return reader.Expect(')');
}

// The size in elements of one value at `depth` braces inside the initialiser.
uint64_t ElementsBelow(const Variable& variable, size_t depth) {
  uint64_t elements = static_cast<uint64_t>(variable.vector_width);
  for (size_t i = depth; i < variable.dimensions.size(); ++i) {
    if (__builtin_mul_overflow(elements, variable.dimensions[i], &elements)) {
      return UINT64_MAX;
    }
  }
  return elements;
}

// {1, 2, {3}}: inner braces that are not full are filled with zeroes, so that
// the list is flat in memory order.
bool ReadInitialiser(TokenReader& reader, int depth, Variable& variable) {
  if (!reader.Accept('{')) {
    variable.initial.emplace_back();
    return ReadInitialValue(reader, variable.initial.back());
  }
  if (depth >= kMaxInitialiserDepth) {
    return reader.Fail("initialisers nested at most 17 deep");
  }
  const size_t first = variable.initial.size();
  while (!reader.Accept('}')) {
    if (!ReadInitialiser(reader, depth + 1, variable)) return false;
    if (reader.Accept('}')) break;
    if (!reader.Accept(',')) return reader.Fail("\",\" or \"}\"");
  }
  if (depth == 0) return true;
  // The padding of an inner row may not exceed what the text itself can pay
  // for.
  constexpr uint64_t kMaxPadding = 1 << 20;
  const uint64_t row = ElementsBelow(variable, depth);
  const uint64_t given = variable.initial.size() - first;
  if (row > given) {
    if (row - given > kMaxPadding ||
        variable.initial.size() + (row - given) > 64 * kMaxPadding) {
      return reader.Fail("an initialiser that leaves fewer elements out");
    }
    InitialValue zero;
    if (variable.type == Type::kF32 || variable.type == Type::kF64) {
      zero.kind = InitialValue::Kind::kFloat;
      zero.is_double = variable.type == Type::kF64;
    }
    variable.initial.resize(variable.initial.size() + (row - given), zero);
  }
  return true;
}

bool ReadParam(TokenReader& reader, Variable& param) {
  param.line = reader.token().line;
  if (reader.Accept("reg")) {
    param.space = Space::kReg;
  } else if (reader.Accept("param")) {
    param.space = Space::kParam;
  } else {
    return reader.Fail("\".param\" or \".reg\"");
  }
  if (!ReadType(reader, param)) return false;
  // .ptr .global .align 8
  while (reader.token().kind == Token::Kind::kDotted) {
    if (!reader.TakeRaw(param.param_annotation, "a name")) return false;
    if (reader.token().kind == Token::Kind::kInteger &&
        !reader.TakeRaw(param.param_annotation, "a name")) {
      return false;
    }
  }
  std::replace(param.param_annotation.begin(), param.param_annotation.end(),
               '\n', ' ');
  if (!reader.ExpectWord("a parameter name", param.name)) return false;
  return ReadDimensions(reader, param);
}

}  // namespace

std::optional<Space> ParseSpace(absl::string_view name) {
  if (name == "global") return Space::kGlobal;
  if (name == "shared") return Space::kShared;
  if (name == "local") return Space::kLocal;
  if (name == "const") return Space::kConst;
  if (name == "param") return Space::kParam;
  if (name == "reg") return Space::kReg;
  return std::nullopt;
}

bool IsLinkage(absl::string_view name) {
  return name == "visible" || name == "extern" || name == "weak" ||
         name == "common";
}

bool ReadVariables(TokenReader& reader, const std::string& linkage,
                   std::vector<Variable>& variables) {
  Variable declared;
  declared.linkage = linkage;
  declared.line = reader.token().line;
  const std::optional<Space> space =
      reader.token().kind == Token::Kind::kDotted
          ? ParseSpace(reader.token().text.substr(1))
          : std::nullopt;
  if (!space || *space == Space::kReg) {
    return reader.Fail("a variable or function");
  }
  declared.space = *space;
  reader.Advance();
  if (!ReadType(reader, declared)) return false;
  do {
    Variable variable = declared;
    if (!reader.ExpectWord("a variable name", variable.name)) return false;
    if (!ReadDimensions(reader, variable)) return false;
    if (reader.Accept('=') && !ReadInitialiser(reader, 0, variable)) {
      return false;
    }
    // x[] = {1, 2, 3} has as many elements as it is given.
    if (!variable.initial.empty() && !variable.dimensions.empty() &&
        variable.dimensions[0] == 0) {
      const uint64_t row = std::max<uint64_t>(ElementsBelow(variable, 1), 1);
      variable.dimensions[0] = (variable.initial.size() - 1) / row + 1;
    }
    variables.push_back(std::move(variable));
  } while (reader.Accept(','));
  return reader.Expect(';');
}

bool ReadRegisters(TokenReader& reader,
                   std::vector<RegisterDeclaration>& registers) {
  const int line = reader.token().line;
  Variable declared;
  if (!reader.Accept("reg")) return reader.Fail("\".reg\"");
  if (!ReadType(reader, declared)) return false;
  do {
    RegisterDeclaration declaration;
    declaration.type = declared.type;
    declaration.vector_width = declared.vector_width;
    declaration.line = line;
    if (!reader.ExpectWord("a register name", declaration.name)) return false;
    if (reader.Accept('<')) {
      uint64_t count = 0;
      if (!reader.ExpectCount("a number of registers", kMaxRegisters, count)) {
        return false;
      }
      declaration.count = static_cast<uint32_t>(count);
      if (!reader.Expect('>')) return false;
    }
    registers.push_back(std::move(declaration));
  } while (reader.Accept(','));
  return reader.Expect(';');
}

bool ReadParams(TokenReader& reader, std::vector<Variable>& params) {
  if (!reader.Accept('(')) return true;
  if (reader.Accept(')')) return true;
  do {
    params.emplace_back();
    if (!ReadParam(reader, params.back())) return false;
  } while (reader.Accept(','));
  return reader.Expect(')');
}

bool IsRaw(absl::string_view name) {
  static constexpr absl::string_view kNames[] = {
      "loc",           "file",        "pragma", "section",
      "branchtargets", "calltargets", "alias",  "callprototype"};
  return std::find(std::begin(kNames), std::end(kNames), name) !=
         std::end(kNames);
}

bool ReadRaw(TokenReader& reader, RawDirective& directive) {
  directive.line = reader.token().line;
  if (reader.token().IsDotted("loc") || reader.token().IsDotted("file")) {
    do {
      if (!reader.TakeRaw(directive.text, "a line")) return false;
    } while (reader.token().line == directive.line &&
             reader.token().kind != Token::Kind::kEnd);
    return true;
  }
  const bool section = reader.token().IsDotted("section");
  const absl::string_view last = section ? "}" : ";";
  const std::string until = absl::StrCat("\"", last, "\"");
  bool ended = false;
  while (!ended) {
    ended = reader.token().Is(last[0]);
    if (!reader.TakeRaw(directive.text, until)) return false;
  }
  return true;
}

}  // namespace graphd::ptx
