#include "core/ptx/parser_instructions.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_format.h"

namespace graphd::ptx {
namespace {

// Vectors in addresses in tuples: three levels occur.
constexpr int kMaxOperandDepth = 8;

bool ReadOperand(TokenReader& reader, int depth, Operand& operand);

// a, b, c up to `close`, which is stepped over.
bool ReadList(TokenReader& reader, int depth, char close,
              std::vector<Operand>& elements) {
  if (depth > kMaxOperandDepth) {
    return reader.Fail("operands nested at most 8 deep");
  }
  if (reader.Accept(close)) return true;
  while (true) {
    Operand element;
    if (!ReadOperand(reader, depth + 1, element)) return false;
    elements.push_back(std::move(element));
    if (reader.Accept(close)) return true;
    if (!reader.Accept(',')) {
      return reader.Fail(absl::StrFormat("\",\" or \"%c\"", close));
    }
  }
}

bool ReadNumber(TokenReader& reader, Operand& operand) {
  const bool negative = reader.Accept('-');
  const bool complement = !negative && reader.Accept('~');
  const Token token = reader.token();
  if (token.kind == Token::Kind::kInteger) {
    uint64_t bits = token.bits;
    if (negative) bits = 0 - bits;
    if (complement) bits = ~bits;
    operand.kind = Operand::Kind::kInteger;
    operand.integer = static_cast<int64_t>(bits);
    operand.is_unsigned = token.is_unsigned && !negative;
  } else if (token.kind == Token::Kind::kFloat && !complement) {
    operand.kind = Operand::Kind::kFloat;
    operand.bits = token.bits;
    operand.is_double = token.is_double;
    if (negative) operand.bits ^= 1ull << (token.is_double ? 63 : 31);
    operand.text = token.is_double ? absl::StrFormat("0d%016X", operand.bits)
                                   : absl::StrFormat("0f%08X", operand.bits);
  } else {
    return reader.Fail("a number");
  }
  reader.Advance();
  return true;
}

// +4, +-4, -4 and nothing.
bool ReadOffset(TokenReader& reader, int64_t& offset) {
  uint64_t sum = 0;
  while (reader.token().Is('+') || reader.token().Is('-')) {
    bool negative = reader.token().Is('-');
    reader.Advance();
    if (!negative) negative = reader.Accept('-');
    if (reader.token().kind != Token::Kind::kInteger) {
      return reader.Fail("a byte offset");
    }
    const uint64_t bits = reader.token().bits;
    sum += negative ? 0 - bits : bits;
    reader.Advance();
  }
  offset = static_cast<int64_t>(sum);
  return true;
}

// A register with its element (%tid.x, %r1.b0), or a name with an offset.
bool ReadName(TokenReader& reader, Operand& operand) {
  if (!reader.ExpectWord("an operand", operand.text)) return false;
  if (operand.text == "_") {
    operand.kind = Operand::Kind::kDiscard;
    operand.text.clear();
    return true;
  }
  operand.kind = operand.text[0] == '%' ? Operand::Kind::kRegister
                                        : Operand::Kind::kSymbol;
  while (reader.token().kind == Token::Kind::kDotted) {
    operand.text += std::string(reader.token().text);
    reader.Advance();
  }
  return true;
}

bool ReadAddress(TokenReader& reader, int depth, Operand& operand) {
  operand.kind = Operand::Kind::kAddress;
  Operand base;
  if (reader.token().kind == Token::Kind::kWord) {
    if (!ReadName(reader, base)) return false;
    if (!ReadOffset(reader, operand.integer)) return false;
  } else if (!ReadOperand(reader, depth + 1, base)) {
    return false;
  }
  operand.elements.push_back(std::move(base));
  if (reader.Accept(']')) return true;
  if (!reader.Accept(',')) return reader.Fail("\"+\", \",\" or \"]\"");
  return ReadList(reader, depth, ']', operand.elements);
}

bool ReadSimple(TokenReader& reader, int depth, Operand& operand) {
  const Token& token = reader.token();
  if (token.kind == Token::Kind::kWord) {
    if (!ReadName(reader, operand)) return false;
    if (operand.kind == Operand::Kind::kDiscard) return true;
    return ReadOffset(reader, operand.integer);
  }
  if (reader.Accept('!')) {
    operand.negated = true;
    return ReadName(reader, operand);
  }
  if (reader.Accept('[')) return ReadAddress(reader, depth, operand);
  if (reader.Accept('{')) {
    operand.kind = Operand::Kind::kVector;
    return ReadList(reader, depth, '}', operand.elements);
  }
  if (reader.Accept('(')) {
    operand.kind = Operand::Kind::kTuple;
    return ReadList(reader, depth, ')', operand.elements);
  }
  if (token.kind == Token::Kind::kInteger ||
      token.kind == Token::Kind::kFloat || token.Is('-') || token.Is('~')) {
    return ReadNumber(reader, operand);
  }
  return reader.Fail("an operand");
}

bool ReadOperand(TokenReader& reader, int depth, Operand& operand) {
  if (depth > kMaxOperandDepth) {
    return reader.Fail("operands nested at most 8 deep");
  }
  if (!ReadSimple(reader, depth, operand)) return false;
  if (!reader.Accept('|')) return true;
  Operand pair;
  pair.kind = Operand::Kind::kPair;
  pair.elements.push_back(std::move(operand));
  Operand second;
  if (!ReadSimple(reader, depth, second)) return false;
  pair.elements.push_back(std::move(second));
  operand = std::move(pair);
  return true;
}

}  // namespace

bool ReadInstruction(TokenReader& reader, Instruction& instruction) {
  instruction.line = reader.token().line;
  if (reader.Accept('@')) {
    instruction.guard_negated = reader.Accept('!');
    if (!reader.ExpectWord("a predicate register", instruction.guard)) {
      return false;
    }
    while (reader.token().kind == Token::Kind::kDotted) {
      instruction.guard += std::string(reader.token().text);
      reader.Advance();
    }
  }
  if (!reader.ExpectWord("an instruction", instruction.opcode)) return false;
  while (reader.token().kind == Token::Kind::kDotted) {
    instruction.modifiers.emplace_back(reader.token().text.substr(1));
    reader.Advance();
  }
  if (reader.Accept(';')) return true;
  while (true) {
    Operand operand;
    if (!ReadOperand(reader, 0, operand)) return false;
    instruction.operands.push_back(std::move(operand));
    if (reader.Accept(';')) return true;
    if (!reader.Accept(',')) return reader.Fail("\",\" or \";\"");
  }
}

}  // namespace graphd::ptx
