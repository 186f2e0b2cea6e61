// The parser's hand on the tokens: the current one, the next one, and the
// first error.
//
// Every reading function returns false once something failed; the error kept is
// the first.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_PTX_TOKEN_READER_H_
#define GRAPHD_CORE_PTX_TOKEN_READER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "core/ptx/lexer.h"

namespace graphd::ptx {

class TokenReader {
 public:
  // `text` must outlive the reader.
  explicit TokenReader(absl::string_view text);

  const Token& token() const { return token_; }
  const Token& next() const { return next_; }
  bool failed() const { return !status_.ok(); }
  const absl::Status& status() const { return status_; }

  // Steps to the next token.
  void Advance();

  // Steps over `punctuation` when it is the current token.
  bool Accept(char punctuation);
  bool Accept(absl::string_view dotted);

  // As Accept, but anything else is an error.
  bool Expect(char punctuation);
  bool ExpectWord(absl::string_view what, std::string& word);
  // A non-negative integer of at most `limit`.
  bool ExpectCount(absl::string_view what, uint64_t limit, uint64_t& count);

  // Appends the current token to `text`, with the space before it, and steps.
  // Fails at the end and on what is no token.
  bool TakeRaw(std::string& text, absl::string_view until);

  // Notes "line L, column C: expected X, found Y" at the current token.
  // Returns false.
  bool Fail(absl::string_view expected);

 private:
  Lexer lexer_;
  Token token_;
  Token next_;
  int last_line_ = 1;
  absl::Status status_;
};

}  // namespace graphd::ptx

#endif  // GRAPHD_CORE_PTX_TOKEN_READER_H_
