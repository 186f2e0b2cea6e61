#include "core/ptx/lexer.h"

#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"

namespace graphd::ptx {
namespace {

bool StartsWord(char c) {
  return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_' ||
         c == '$' || c == '%';
}

bool ContinuesWord(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' ||
         c == '$';
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The value of a digit in any base up to 16; 16 when `c` is none.
unsigned DigitValue(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 16;
}

}  // namespace

bool Lexer::SkipSpace() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '\n') {
      ++position_;
      ++line_;
      line_start_ = position_;
    } else if (absl::ascii_isspace(static_cast<unsigned char>(c))) {
      ++position_;
    } else if (c == '/' && At(position_ + 1) == '/') {
      while (position_ < text_.size() && text_[position_] != '\n') ++position_;
    } else if (c == '/' && At(position_ + 1) == '*') {
      const size_t end = text_.find("*/", position_ + 2);
      if (end == absl::string_view::npos) return false;
      for (; position_ < end; ++position_) {
        if (text_[position_] == '\n') {
          ++line_;
          line_start_ = position_ + 1;
        }
      }
      position_ = end + 2;
    } else {
      break;
    }
  }
  return true;
}

Token Lexer::Next() {
  Token token;
  const size_t before = position_;
  const bool closed = SkipSpace();
  token.space_before = position_ != before;
  token.line = line_;
  token.column = static_cast<int>(position_ - line_start_) + 1;
  const size_t start = position_;
  if (!closed) {
    token.kind = Token::Kind::kInvalid;
    token.text = text_.substr(start, 2);
    position_ = text_.size();
    return token;
  }
  if (start == text_.size()) return token;
  const char c = text_[start];
  if (StartsWord(c)) {
    ++position_;
    while (ContinuesWord(At(position_))) ++position_;
    token.kind = c == '%' && position_ == start + 1 ? Token::Kind::kInvalid
                                                    : Token::Kind::kWord;
  } else if (c == '.' && ContinuesWord(At(start + 1))) {
    ++position_;
    while (true) {
      while (ContinuesWord(At(position_))) ++position_;
      if (At(position_) != ':' || At(position_ + 1) != ':') break;
      if (!ContinuesWord(At(position_ + 2))) break;
      position_ += 2;
    }
    token.kind = Token::Kind::kDotted;
  } else if (IsDigit(c)) {
    Number(token);
  } else if (c == '"') {
    ++position_;
    while (position_ < text_.size() && text_[position_] != '"' &&
           text_[position_] != '\n') {
      position_ += text_[position_] == '\\' && At(position_ + 1) == '"' ? 2 : 1;
    }
    token.kind =
        At(position_) == '"' ? Token::Kind::kString : Token::Kind::kInvalid;
    if (token.kind == Token::Kind::kString) ++position_;
  } else {
    ++position_;
    token.kind = std::strchr(",;:()[]{}<>+-=|!@*/&^~?", c) != nullptr && c != 0
                     ? Token::Kind::kPunctuation
                     : Token::Kind::kInvalid;
  }
  token.text = text_.substr(start, position_ - start);
  return token;
}

void Lexer::Number(Token& token) {
  const char next = At(position_ + 1);
  if (text_[position_] == '0' && (next == 'f' || next == 'F')) {
    HexadecimalFloat(token, 8);
  } else if (text_[position_] == '0' && (next == 'd' || next == 'D')) {
    HexadecimalFloat(token, 16);
  } else {
    size_t end = position_;
    while (IsDigit(At(end))) ++end;
    const char c = At(end);
    if ((c == '.' && IsDigit(At(end + 1))) || c == 'e' || c == 'E') {
      DecimalFloat(token);
    } else {
      Integer(token);
    }
  }
  // "12ab" is no number followed by a name.
  if (ContinuesWord(At(position_))) {
    while (ContinuesWord(At(position_))) ++position_;
    token.kind = Token::Kind::kInvalid;
  }
}

void Lexer::HexadecimalFloat(Token& token, size_t digits) {
  const size_t start = position_;
  position_ += 2;
  for (; DigitValue(At(position_)) < 16; ++position_) {
    token.bits = token.bits << 4 | DigitValue(At(position_));
  }
  token.is_double = digits == 16;
  token.kind = position_ - start - 2 == digits ? Token::Kind::kFloat
                                               : Token::Kind::kInvalid;
}

void Lexer::DecimalFloat(Token& token) {
  const size_t start = position_;
  while (IsDigit(At(position_))) ++position_;
  if (At(position_) == '.') {
    ++position_;
    while (IsDigit(At(position_))) ++position_;
  }
  if (At(position_) == 'e' || At(position_) == 'E') {
    ++position_;
    if (At(position_) == '+' || At(position_) == '-') ++position_;
    while (IsDigit(At(position_))) ++position_;
  }
  double value = 0;
  const bool read =
      absl::SimpleAtod(text_.substr(start, position_ - start), &value);
  std::memcpy(&token.bits, &value, sizeof(value));
  token.is_double = true;
  token.kind = read ? Token::Kind::kFloat : Token::Kind::kInvalid;
}

void Lexer::Integer(Token& token) {
  unsigned base = 10;
  size_t prefix = 0;
  if (text_[position_] == '0') {
    const char next = At(position_ + 1);
    if (next == 'x' || next == 'X') {
      base = 16;
      prefix = 2;
    } else if (next == 'b' || next == 'B') {
      base = 2;
      prefix = 2;
    } else {
      base = 8;
    }
  }
  position_ += prefix;
  const size_t first = position_;
  bool overflow = false;
  for (; DigitValue(At(position_)) < base; ++position_) {
    const unsigned digit = DigitValue(At(position_));
    overflow |= token.bits > (UINT64_MAX - digit) / base;
    token.bits = token.bits * base + digit;
  }
  token.is_unsigned = token.bits > static_cast<uint64_t>(INT64_MAX);
  const bool some = position_ > first;
  if (At(position_) == 'U') {
    ++position_;
    token.is_unsigned = true;
  }
  token.kind =
      some && !overflow ? Token::Kind::kInteger : Token::Kind::kInvalid;
}

}  // namespace graphd::ptx
