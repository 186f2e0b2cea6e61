#include "core/ptx/token_reader.h"

#include "absl/strings/str_cat.h"

namespace graphd::ptx {
namespace {

std::string Found(const Token& token) {
  constexpr size_t kShownBytes = 60;
  if (token.kind == Token::Kind::kEnd) return "the end of the text";
  std::string shown;
  for (const char c : token.text.substr(0, kShownBytes)) {
    // Only printable ASCII reaches a message.
    if (c >= ' ' && c <= '~') {
      shown.push_back(c);
    } else {
      absl::StrAppend(
          &shown, "\\x",
          absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    }
  }
  if (token.text.size() > kShownBytes) shown += "...";
  return absl::StrCat("\"", shown, "\"");
}

}  // namespace

TokenReader::TokenReader(absl::string_view text) : lexer_(text) {
  token_ = lexer_.Next();
  next_ = lexer_.Next();
}

void TokenReader::Advance() {
  last_line_ = token_.line;
  token_ = next_;
  next_ = lexer_.Next();
}

bool TokenReader::Accept(char punctuation) {
  if (!token_.Is(punctuation)) return false;
  Advance();
  return true;
}

bool TokenReader::Accept(absl::string_view dotted) {
  if (!token_.IsDotted(dotted)) return false;
  Advance();
  return true;
}

bool TokenReader::Expect(char punctuation) {
  if (Accept(punctuation)) return true;
  return Fail(absl::StrCat("\"", std::string(1, punctuation), "\""));
}

bool TokenReader::ExpectWord(absl::string_view what, std::string& word) {
  if (token_.kind != Token::Kind::kWord) return Fail(what);
  word = std::string(token_.text);
  Advance();
  return true;
}

bool TokenReader::ExpectCount(absl::string_view what, uint64_t limit,
                              uint64_t& count) {
  if (token_.kind != Token::Kind::kInteger || token_.bits > limit) {
    return Fail(absl::StrCat(what, " of at most ", limit));
  }
  count = token_.bits;
  Advance();
  return true;
}

bool TokenReader::TakeRaw(std::string& text, absl::string_view until) {
  if (token_.kind == Token::Kind::kEnd ||
      token_.kind == Token::Kind::kInvalid) {
    return Fail(until);
  }
  if (!text.empty()) {
    if (token_.line != last_line_) {
      text += '\n';
    } else if (token_.space_before) {
      text += ' ';
    }
  }
  text.append(token_.text.data(), token_.text.size());
  Advance();
  return true;
}

bool TokenReader::Fail(absl::string_view expected) {
  if (status_.ok()) {
    status_ = absl::InvalidArgumentError(
        absl::StrCat("line ", token_.line, ", column ", token_.column,
                     ": expected ", expected, ", found ", Found(token_)));
  }
  return false;
}

}  // namespace graphd::ptx
