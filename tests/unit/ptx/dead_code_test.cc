#include "core/ptx/dead_code.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/ptx/parser.h"
#include "core/ptx/printer.h"

namespace graphd::ptx {
namespace {

std::vector<Instruction> Code(const std::string& text) {
  const auto module = Parse(absl::StrCat(
      ".version 7.0\n.target sm_75\n.address_size 64\n"
      ".visible .entry k(.param .u64 x)\n{\n"
      ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>;\n",
      text, "}\n"));
  EXPECT_TRUE(module.ok()) << module.status();
  std::vector<Instruction> code;
  for (const Statement& s : module->FindEntry("k")->body.statements) {
    if (const auto* i = std::get_if<Instruction>(&s)) code.push_back(*i);
  }
  return code;
}

std::string Text(const std::vector<Instruction>& code) {
  std::string text;
  for (const Instruction& i : code) absl::StrAppend(&text, Print(i), "\n");
  return text;
}

std::string Alive(const std::string& text) {
  std::vector<Instruction> code = Code(text);
  RemoveDeadCode(code);
  return Text(code);
}

Type TypeOf(const std::string& reg) {
  if (absl::StartsWith(reg, "%p")) return Type::kPred;
  if (absl::StartsWith(reg, "%d")) return Type::kB64;
  return absl::StartsWith(reg, "%f") ? Type::kF32 : Type::kB32;
}

std::string Shared(const std::string& text) {
  std::vector<Instruction> code = Code(text);
  ShareEqualValues(code, &TypeOf);
  return Text(code);
}

TEST(DeadCodeTest, WhatNoStoreDependsOnGoes) {
  EXPECT_EQ(Alive("ld.param.u64 %d1, [x];\n"
                  "mov.u32 %r1, %tid.x;\n"
                  "add.s32 %r2, %r1, 1;\n"
                  "ld.global.u32 %r3, [%d1];\n"
                  "add.s32 %r4, %r3, %r2;\n"
                  "st.global.u32 [%d1], %r1;\n"),
            "ld.param.u64 %d1, [x];\n"
            "mov.u32 %r1, %tid.x;\n"
            "st.global.u32 [%d1], %r1;\n");
}

TEST(DeadCodeTest, AResultThatIsOverwrittenUnreadGoes) {
  EXPECT_EQ(Alive("ld.param.u64 %d1, [x];\n"
                  "mov.u32 %r1, 1;\n"
                  "mov.u32 %r1, 2;\n"
                  "st.global.u32 [%d1], %r1;\n"),
            "ld.param.u64 %d1, [x];\n"
            "mov.u32 %r1, 2;\n"
            "st.global.u32 [%d1], %r1;\n");
}

TEST(DeadCodeTest, AGuardedResultDoesNotEndTheNeedForTheOneBefore) {
  const std::string code =
      "ld.param.u64 %d1, [x];\n"
      "setp.eq.u64 %p1, %d1, 0;\n"
      "mov.u32 %r1, 1;\n"
      "@%p1 mov.u32 %r1, 2;\n"
      "st.global.u32 [%d1], %r1;\n";
  EXPECT_EQ(Alive(code), code);
}

TEST(DeadCodeTest, LoadsThatMayDoMoreThanLoadStay) {
  const std::string code =
      "ld.param.u64 %d1, [x];\n"
      "ld.volatile.global.u32 %r1, [%d1];\n"
      "atom.global.add.u32 %r2, [%d1], 1;\n"
      "add.cc.u32 %r3, %r1, 1;\n";
  EXPECT_EQ(Alive(code), code);
}

TEST(DeadCodeTest, OneVectorElementKeepsTheWholeLoad) {
  const std::string code =
      "ld.param.u64 %d1, [x];\n"
      "ld.global.v2.u32 {%r1, %r2}, [%d1];\n"
      "st.global.u32 [%d1+8], %r2;\n";
  EXPECT_EQ(Alive(code), code);
}

TEST(DeadCodeTest, EqualComputationsShareOneRegister) {
  EXPECT_EQ(Shared("ld.param.u64 %d1, [x];\n"
                   "mov.u32 %r1, %tid.x;\n"
                   "ld.param.u64 %d2, [x];\n"
                   "mov.u32 %r2, %tid.x;\n"
                   "mul.wide.s32 %d3, %r1, 4;\n"
                   "mul.wide.s32 %d4, %r2, 4;\n"
                   "add.s64 %d5, %d1, %d3;\n"
                   "add.s64 %d6, %d2, %d4;\n"
                   "st.global.u32 [%d5], %r1;\n"
                   "st.global.u32 [%d6+4], %r2;\n"),
            "ld.param.u64 %d1, [x];\n"
            "mov.u32 %r1, %tid.x;\n"
            "mul.wide.s32 %d3, %r1, 4;\n"
            "add.s64 %d5, %d1, %d3;\n"
            "st.global.u32 [%d5], %r1;\n"
            "st.global.u32 [%d5+4], %r1;\n");
}

TEST(DeadCodeTest, ACopyIsReadWhereItCameFrom) {
  EXPECT_EQ(Shared("ld.param.u64 %d1, [x];\n"
                   "mov.u32 %r1, %tid.x;\n"
                   "mov.b32 %r2, %r1;\n"
                   "mov.b32 %f1, %r2;\n"
                   "setp.eq.u32 %p1, %r2, 0;\n"
                   "@%p1 st.global.u32 [%d1], %r2;\n"),
            "ld.param.u64 %d1, [x];\n"
            "mov.u32 %r1, %tid.x;\n"
            "mov.b32 %f1, %r1;\n"
            "setp.eq.u32 %p1, %r1, 0;\n"
            "@%p1 st.global.u32 [%d1], %r1;\n");
}

TEST(DeadCodeTest, WhatChangesInBetweenIsNotShared) {
  const std::string code =
      "ld.param.u64 %d1, [x];\n"
      "mov.u32 %r1, %tid.x;\n"
      "add.s32 %r2, %r1, 1;\n"
      "mov.u32 %r1, 7;\n"
      "add.s32 %r3, %r1, 1;\n"
      "ld.global.u32 %r4, [%d1];\n"
      "st.global.u32 [%d1], %r2;\n"
      "ld.global.u32 %r5, [%d1];\n"
      "add.f32 %f1, %f2, %f3;\n"
      "add.rz.f32 %f4, %f2, %f3;\n"
      "@%p1 mov.u32 %r6, 3;\n"
      "mov.u32 %r7, 3;\n";
  EXPECT_EQ(Shared(code), code);
}

}  // namespace
}  // namespace graphd::ptx
