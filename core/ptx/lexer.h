// PTX text to tokens, one at a time, with no memory beyond the current one.
//
// A name after a dot (".global", ".L2::128B") is one token, so that opcodes,
// types and directives need no look-ahead. Comments and white space leave only
// a flag on the token that follows them.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_PTX_LEXER_H_
#define GRAPHD_CORE_PTX_LEXER_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace graphd::ptx {

struct Token {
  enum class Kind : uint8_t {
    kEnd,
    kWord,         // name, %r1, $L__BB0_1, _
    kDotted,       // .global, .v4, .shared::cta
    kInteger,      // bits, is_unsigned
    kFloat,        // bits, is_double
    kString,       // with its quotes
    kPunctuation,  // one character
    kInvalid,      // text is what could not be read
  };
  Kind kind = Kind::kEnd;
  absl::string_view text;
  int line = 1;    // from 1
  int column = 1;  // from 1, in bytes
  uint64_t bits = 0;
  bool is_double = false;
  bool is_unsigned = false;
  bool space_before = false;

  bool Is(char punctuation) const {
    return kind == Kind::kPunctuation && text[0] == punctuation;
  }
  bool IsDotted(absl::string_view name) const {
    return kind == Kind::kDotted && text.substr(1) == name;
  }
};

class Lexer {
 public:
  // `text` must outlive the lexer and its tokens.
  explicit Lexer(absl::string_view text) : text_(text) {}

  Token Next();

 private:
  // False when a block comment does not end.
  bool SkipSpace();
  void Number(Token& token);
  void HexadecimalFloat(Token& token, size_t digits);
  void DecimalFloat(Token& token);
  void Integer(Token& token);
  char At(size_t offset) const {
    return offset < text_.size() ? text_[offset] : '\0';
  }

  absl::string_view text_;
  size_t position_ = 0;
  size_t line_start_ = 0;
  int line_ = 1;
};

}  // namespace graphd::ptx

#endif  // GRAPHD_CORE_PTX_LEXER_H_
