#include "core/ptx/lexer.h"

#include <bit>

#include "gtest/gtest.h"

namespace graphd::ptx {
namespace {

using Kind = Token::Kind;

Token Only(absl::string_view text) {
  Lexer lexer(text);
  const Token token = lexer.Next();
  EXPECT_EQ(lexer.Next().kind, Kind::kEnd) << text;
  return token;
}

TEST(LexerTest, ReadsIntegersInFourBases) {
  for (const char* text : {"42", "0x2A", "0X2a", "052", "0b101010"}) {
    const Token token = Only(text);
    EXPECT_EQ(token.kind, Kind::kInteger) << text;
    EXPECT_EQ(token.bits, 42u) << text;
    EXPECT_FALSE(token.is_unsigned) << text;
  }
  EXPECT_TRUE(Only("42U").is_unsigned);
  EXPECT_TRUE(Only("18446744073709551615").is_unsigned);
  EXPECT_EQ(Only("0").bits, 0u);
}

TEST(LexerTest, RefusesIntegersThatDoNotFitOrEndInLetters) {
  for (const char* text : {"18446744073709551616", "0x", "0b", "12ab", "0b12",
                           "0x1FFFFFFFFFFFFFFFF", "09"}) {
    EXPECT_EQ(Only(text).kind, Kind::kInvalid) << text;
  }
}

TEST(LexerTest, ReadsFloatsToTheBit) {
  EXPECT_EQ(Only("0f3F800000").bits, 0x3F800000u);
  EXPECT_FALSE(Only("0F3f800000").is_double);
  EXPECT_EQ(Only("0dBFF8000000000000").bits, 0xBFF8000000000000u);
  EXPECT_TRUE(Only("0dBFF8000000000000").is_double);
  EXPECT_EQ(Only("1.5").bits, std::bit_cast<uint64_t>(1.5));
  EXPECT_EQ(Only("1e-3").bits, std::bit_cast<uint64_t>(1e-3));
  EXPECT_EQ(Only("0f3F8000").kind, Kind::kInvalid);
  EXPECT_EQ(Only("0d3F800000").kind, Kind::kInvalid);
}

TEST(LexerTest, NamesAfterDotsAreOneToken) {
  EXPECT_EQ(Only(".L2::128B").text, ".L2::128B");
  EXPECT_TRUE(Only(".global").IsDotted("global"));
  Lexer lexer("ld.global.v4.f32 %f1");
  for (const char* text : {"ld", ".global", ".v4", ".f32", "%f1"}) {
    EXPECT_EQ(lexer.Next().text, text);
  }
}

TEST(LexerTest, SkipsCommentsAndCountsLines) {
  Lexer lexer("// one\n/* two\n three */ x // four\n  y");
  const Token x = lexer.Next();
  EXPECT_EQ(x.line, 3);
  EXPECT_EQ(x.column, 11);
  EXPECT_TRUE(x.space_before);
  const Token y = lexer.Next();
  EXPECT_EQ(y.line, 4);
  EXPECT_EQ(y.column, 3);
}

TEST(LexerTest, RefusesWhatDoesNotEndAndWhatIsNoToken) {
  EXPECT_EQ(Only("/* open").kind, Kind::kInvalid);
  EXPECT_EQ(Only("\"open").kind, Kind::kInvalid);
  EXPECT_EQ(Only("\\").kind, Kind::kInvalid);
  EXPECT_EQ(Only(absl::string_view("\0", 1)).kind, Kind::kInvalid);
  EXPECT_EQ(Only("\xff").kind, Kind::kInvalid);
  EXPECT_EQ(Only("%").kind, Kind::kInvalid);
  EXPECT_EQ(Only("_").kind, Kind::kWord);
}

}  // namespace
}  // namespace graphd::ptx
