#include "core/ptx/parser.h"

#include <random>

#include "absl/strings/str_cat.h"
#include "core/ptx/check.h"
#include "core/ptx/printer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/ptx/corpus.h"

namespace graphd::ptx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using OperandKind = Operand::Kind;

constexpr char kHeader[] = ".version 9.0\n.target sm_75\n.address_size 64\n";

absl::StatusOr<Module> ParseAfterHeader(const std::string& text) {
  return Parse(kHeader + text);
}

std::string ErrorOf(const std::string& text) {
  const absl::StatusOr<Module> module = ParseAfterHeader(text);
  EXPECT_TRUE(absl::IsInvalidArgument(module.status())) << module.status();
  return std::string(module.status().message());
}

// The one instruction of an entry.
Instruction Only(const std::string& text) {
  const auto module = ParseAfterHeader(".entry e() {" + text + "}");
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return {};
  const auto& statements = module->Entries()[0]->body.statements;
  EXPECT_EQ(statements.size(), 1u);
  return std::get<Instruction>(statements[0]);
}

TEST(ParserTest, ReadsHeaderAndEntries) {
  const auto module = Parse(
      ".version 8.7\n.target sm_90, debug\n.address_size 64\n"
      ".visible .entry k(.param .u32 n) .maxntid 64, 1, 1 .minnctapersm 2 "
      "{ ret; }\n.extern .func (.param .b32 r) f(.param .b64 a);");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->version, "8.7");
  EXPECT_EQ(module->target, "sm_90, debug");
  const Function* k = module->FindEntry("k");
  ASSERT_NE(k, nullptr);
  EXPECT_EQ(k->linkage, "visible");
  EXPECT_THAT(k->directives,
              ElementsAre(".maxntid 64, 1, 1", ".minnctapersm 2"));
  EXPECT_EQ(k->line, 4);
  const Function* f = module->FindFunction("f");
  ASSERT_NE(f, nullptr);
  EXPECT_FALSE(f->has_body);
  EXPECT_EQ(f->results.size(), 1u);
  EXPECT_EQ(module->FindEntry("f"), nullptr);
}

TEST(ParserTest, ReadsGuardsModifiersAndOperandsOfEveryKind) {
  const Instruction i = Only(
      "@!%p1 some.op.L2::128B %r1|%p2, {%f1, _}, [%rd1+-8], -5, 0xFFU, "
      "0f3F800000, !%p3, sym+4, (a, b), [tex, {%f1, %f2}], %r1.b0, "
      "[16];");
  EXPECT_EQ(i.guard, "%p1");
  EXPECT_TRUE(i.guard_negated);
  EXPECT_EQ(i.FullName(), "some.op.L2::128B");
  ASSERT_EQ(i.operands.size(), 12u);
  EXPECT_EQ(i.operands[0].kind, OperandKind::kPair);
  EXPECT_EQ(i.operands[1].elements[1].kind, OperandKind::kDiscard);
  EXPECT_EQ(i.operands[2].integer, -8);
  EXPECT_EQ(i.operands[2].elements[0].text, "%rd1");
  EXPECT_EQ(i.operands[3].integer, -5);
  EXPECT_TRUE(i.operands[4].is_unsigned);
  EXPECT_EQ(i.operands[5].bits, 0x3F800000u);
  EXPECT_TRUE(i.operands[6].negated);
  EXPECT_EQ(i.operands[7].kind, OperandKind::kSymbol);
  EXPECT_EQ(i.operands[7].integer, 4);
  EXPECT_EQ(i.operands[8].kind, OperandKind::kTuple);
  EXPECT_EQ(i.operands[9].elements.size(), 2u);
  EXPECT_EQ(i.operands[10].text, "%r1.b0");
  EXPECT_EQ(i.operands[11].elements[0].integer, 16);
}

TEST(ParserTest, RegistersWithoutPercentAreRegistersWhereDeclared) {
  const auto module = ParseAfterHeader(
      ".entry e() { { .reg .b32 t<2>; mov.u32 t1, 5; mov.u32 t1, t2; } "
      "mov.u32 t1, 5; }");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto& outer = module->Entries()[0]->body.statements;
  const auto& inner = std::get<Block>(outer[0]).statements;
  EXPECT_EQ(std::get<Instruction>(inner[1]).operands[0].kind,
            OperandKind::kRegister);
  EXPECT_EQ(std::get<Instruction>(inner[2]).operands[1].kind,
            OperandKind::kSymbol);
  EXPECT_EQ(std::get<Instruction>(outer[1]).operands[0].kind,
            OperandKind::kSymbol);
}

TEST(ParserTest, FlattensInitialisersInMemoryOrder) {
  const auto module = ParseAfterHeader(
      ".global .s32 a[2][3] = {{1}, {2, 3}};\n.global .u8 b[] = {7, 8};\n"
      ".global .u64 c[2] = {generic(a)+4, 0xFF00(a)};");
  ASSERT_TRUE(module.ok()) << module.status();
  const Variable* a = module->FindVariable("a");
  ASSERT_EQ(a->initial.size(), 6u);
  EXPECT_EQ(a->initial[0].bits, 1u);
  EXPECT_EQ(a->initial[1].bits, 0u);
  EXPECT_EQ(a->initial[3].bits, 2u);
  EXPECT_EQ(a->initial[4].bits, 3u);
  EXPECT_EQ(a->size_bytes(), 24u);
  EXPECT_EQ(module->FindVariable("b")->size_bytes(), 2u);
  const Variable* c = module->FindVariable("c");
  EXPECT_EQ(c->initial[0].kind, InitialValue::Kind::kGenericSymbol);
  EXPECT_EQ(c->initial[0].offset, 4);
  EXPECT_EQ(c->initial[1].kind, InitialValue::Kind::kMask);
  EXPECT_EQ(c->initial[1].mask, 0xFF00u);
}

TEST(ParserTest, ErrorsSayWhereWhatWasExpectedAndWhatWasFound) {
  EXPECT_EQ(ErrorOf(".entry e() {\n  ret }"),
            "line 5, column 7: expected an operand, found \"}\"");
  EXPECT_EQ(ErrorOf(".entry e() {\n add.s32 %r1, %r2"),
            "line 5, column 18: expected \",\" or \";\", found the end of the "
            "text");
  EXPECT_EQ(ErrorOf("hello"),
            "line 4, column 1: expected a variable or function, found "
            "\"hello\"");
  EXPECT_THAT(ErrorOf(".global .u33 x;"), HasSubstr("expected a type"));
  EXPECT_THAT(ErrorOf(".entry e() { \x01 }"), HasSubstr("\"\\x01\""));
  EXPECT_EQ(Parse("").status().message(),
            "line 1, column 1: expected \".version\", found the end of the "
            "text");
}

TEST(ParserTest, NestingIsBounded) {
  EXPECT_THAT(ErrorOf(".entry e() " + std::string(100000, '{')),
              HasSubstr("blocks nested at most 64 deep"));
  EXPECT_THAT(ErrorOf(".entry e() { x " + std::string(100000, '{')),
              HasSubstr("operands nested at most 8 deep"));
  EXPECT_THAT(ErrorOf(".entry e() { x " + std::string(100000, '[')),
              HasSubstr("operands nested at most 8 deep"));
  EXPECT_THAT(ErrorOf(".global .u32 x[2] = " + std::string(100000, '{')),
              HasSubstr("initialisers nested at most 17 deep"));
  EXPECT_THAT(ErrorOf(".global .u32 x[9][1099511627776] = {{1}};"),
              HasSubstr("leaves fewer elements out"));
}

TEST(ParserTest, FindsTheSignature) {
  const auto module = ParseAfterHeader(
      ".entry k(.param .u8 a, .param .align 8 .b8 s[12], .param .u32 n, "
      ".param .u64 .ptr .global .align 16 p) { ret; }");
  ASSERT_TRUE(module.ok()) << module.status();
  const Signature signature = SignatureOf(*module->FindEntry("k"));
  ASSERT_EQ(signature.params.size(), 4u);
  EXPECT_EQ(signature.params[0].offset_bytes, 0u);
  EXPECT_EQ(signature.params[1].offset_bytes, 8u);
  EXPECT_EQ(signature.params[1].size_bytes, 12u);
  EXPECT_TRUE(signature.params[1].is_array);
  EXPECT_EQ(signature.params[2].offset_bytes, 20u);
  EXPECT_EQ(signature.params[3].offset_bytes, 24u);
  EXPECT_EQ(signature.params[3].align_bytes, 8u);
  EXPECT_EQ(signature.block_bytes, 32u);
}

// Reads, and where that succeeds checks and prints, without caring how it ends.
void Exercise(const std::string& text) {
  const absl::StatusOr<Module> module = Parse(text);
  if (!module.ok()) {
    EXPECT_THAT(std::string(module.status().message()), HasSubstr("expected"));
    return;
  }
  Check(*module).IgnoreError();
  for (const Function* entry : module->Entries()) {
    SignatureOf(*entry);
    FirstUnsupported(*module, *entry);
  }
  const absl::StatusOr<Module> again = Parse(Print(*module));
  EXPECT_TRUE(again.ok()) << again.status();
}

TEST(ParserTest, TruncatedTextIsAnErrorOrAModule) {
  for (const std::string& file : CorpusFiles()) {
    const std::string text = ReadFile(file);
    const size_t step = std::max<size_t>(text.size() / 40, 1);
    for (size_t size = 0; size < text.size(); size += step) {
      Exercise(text.substr(0, size));
    }
  }
}

TEST(ParserTest, DamagedTextIsAnErrorOrAModule) {
  std::mt19937 random(1);
  const std::string interesting = "{}[]();,.%@!|+-0xfd\"/*<>_ \n";
  for (const std::string& file : CorpusFiles()) {
    const std::string text = ReadFile(file);
    for (int round = 0; round < 30; ++round) {
      std::string damaged = text;
      for (int flip = 0; flip <= round % 4; ++flip) {
        char& c = damaged[random() % damaged.size()];
        c = round % 2 == 0 ? interesting[random() % interesting.size()]
                           : static_cast<char>(random());
      }
      Exercise(damaged);
    }
  }
}

}  // namespace
}  // namespace graphd::ptx
