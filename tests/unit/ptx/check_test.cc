#include "core/ptx/check.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/ptx/opcodes.h"
#include "core/ptx/parser.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/ptx/corpus.h"

namespace graphd::ptx {
namespace {

using ::testing::HasSubstr;

// An entry named k whose body starts on line 5.
Module Kernel(const std::string& body) {
  absl::StatusOr<Module> module =
      Parse(absl::StrCat(".version 9.0\n.target sm_75\n.address_size 64\n"
                         ".entry k(.param .u64 a) {\n",
                         body, "\n}\n"));
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : Module();
}

std::string Findings(const std::string& body) {
  const absl::Status status = Check(Kernel(body));
  EXPECT_TRUE(status.ok() || absl::IsInvalidArgument(status));
  return std::string(status.message());
}

std::string Refused(const std::string& body) {
  const Module module = Kernel(body);
  const auto found = FirstUnsupported(module, *module.FindEntry("k"));
  return found ? absl::StrCat(found->line, ": ", found->instruction) : "";
}

TEST(CheckTest, AcceptsEverythingInTheCorpus) {
  for (const std::string& file : CorpusFiles()) {
    const absl::StatusOr<Module> module = Parse(ReadFile(file));
    ASSERT_TRUE(module.ok()) << file << ": " << module.status();
    EXPECT_TRUE(Check(*module).ok()) << file << ": " << Check(*module);
  }
}

TEST(CheckTest, NamesUndeclaredRegistersWithFunctionAndLine) {
  EXPECT_EQ(Findings(".reg .b32 %r<3>;\nadd.s32 %r1, %r2, %r3;"),
            "function \"k\", line 6: expected a declared register, found "
            "\"%r3\"");
  EXPECT_THAT(Findings("@%p1 ret;"), HasSubstr("\"%p1\""));
}

TEST(CheckTest, NamesWhatIsDeclaredTwice) {
  EXPECT_THAT(Findings(".reg .b32 %r<3>;\n.reg .b64 %r<3>;"),
              HasSubstr("line 6: expected a new name for a register"));
  EXPECT_THAT(Findings(".reg .b32 %r<3>;\n.reg .b32 %r2;"),
              HasSubstr("found \"%r2\""));
  EXPECT_THAT(Findings("L:\nL:\nret;"), HasSubstr("a label, found \"L\""));
  EXPECT_THAT(Findings(".shared .b32 s;\n.shared .b32 s;"),
              HasSubstr("a variable, found \"s\""));
}

TEST(CheckTest, AParameterAndARegisterHaveDifferentNames) {
  EXPECT_THAT(Findings(".reg .b64 a;"), HasSubstr("a register, found \"a\""));
  EXPECT_EQ(Findings("{ .reg .b64 a; }"), "");
}

TEST(CheckTest, InnerBlocksHaveNamesOfTheirOwn) {
  EXPECT_EQ(Findings("{.reg .pred p; L: @p bra L;}\n"
                     "{.reg .pred p; L: @p bra L;}"),
            "");
  EXPECT_THAT(Findings("{ L: }\nbra L;"), HasSubstr("labels nothing here"));
}

TEST(CheckTest, ReportsAllFindingsTogetherUpToALimit) {
  std::string body;
  for (int i = 0; i < 40; ++i) absl::StrAppend(&body, "bra L", i, ";\n");
  const std::string findings = Findings(body);
  EXPECT_THAT(findings, HasSubstr("\"L0\""));
  EXPECT_THAT(findings, HasSubstr("\"L31\""));
  EXPECT_FALSE(absl::StrContains(findings, "\"L32\""));
  EXPECT_THAT(findings, HasSubstr("and 8 more"));
}

TEST(CheckTest, CountsOperandsOfKnownOpcodes) {
  const std::string registers = ".reg .b32 %r<3>; .reg .pred %p<2>;\n";
  EXPECT_EQ(Findings(registers + "add.s32 %r1, %r2;"),
            "function \"k\", line 6: add.s32: expected 3 operands, found 2");
  EXPECT_THAT(Findings(registers + "setp.eq.s32 %p1, %r1;"),
              HasSubstr("expected 3 to 4 operands, found 2"));
  EXPECT_THAT(Findings("ret 1;"), HasSubstr("expected 0 operands, found 1"));
  EXPECT_EQ(Findings(registers + "made.up.s32 %r1;"), "");
}

TEST(CheckTest, TellsPredicatesFromData) {
  const std::string registers = ".reg .b32 %r<3>; .reg .pred %p<2>;\n";
  EXPECT_THAT(Findings(registers + "add.s32 %r1, %p1, %r2;"),
              HasSubstr("expected a data register, found %p1 of type pred"));
  EXPECT_THAT(Findings(registers + "setp.eq.s32 %r1, %r1, %r2;"),
              HasSubstr("expected a predicate, found %r1 of type b32"));
  EXPECT_THAT(Findings(registers + "@%r1 ret;"),
              HasSubstr("expected a predicate as the guard"));
}

TEST(CheckTest, ComparesRegisterWidths) {
  const std::string registers =
      ".reg .b32 %r<3>; .reg .b64 %rd<3>; .reg .b16 %rs<3>;\n";
  EXPECT_THAT(Findings(registers + "add.s64 %rd1, %rd2, %r1;"),
              HasSubstr("add.s64: expected a register of 64 bits, found %r1"));
  EXPECT_THAT(Findings(registers + "mul.wide.s32 %r1, %r1, %r2;"),
              HasSubstr("expected a register of 64 bits"));
  EXPECT_THAT(Findings(registers + "ld.global.u32 %rs1, [%rd1];"),
              HasSubstr("at least 32 bits"));
  EXPECT_EQ(Findings(registers + "shl.b64 %rd1, %rd2, %r1;\n"
                                 "ld.global.u8 %r1, [%rd1];\n"
                                 "mul.wide.s32 %rd1, %r1, 4;\n"
                                 "popc.b64 %r1, %rd1;"),
            "");
}

TEST(CheckTest, InitialValuesNameDeclaredThingsAndFit) {
  const auto check = [](const std::string& text) {
    const auto module = Parse(
        absl::StrCat(".version 9.0\n.target sm_75\n.address_size 64\n", text));
    EXPECT_TRUE(module.ok()) << module.status();
    return std::string(Check(*module).message());
  };
  EXPECT_THAT(check(".global .u64 p = gone;"), HasSubstr("\"gone\""));
  EXPECT_THAT(check(".global .u32 p[2] = {1, 2, 3};"),
              HasSubstr("at most 2 initial values for \"p\", found 3"));
  EXPECT_THAT(check(".global .u32 p;\n.global .u32 p;"),
              HasSubstr("line 5: expected a new name, found \"p\""));
}

TEST(CheckTest, TheSoftwareGpuRefusesByNameAndLine) {
  const std::string r =
      ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<9>; .reg .b16 %h<9>;\n";
  EXPECT_EQ(Refused(r + "atom.global.add.u32 %r1, [%rd1], %r2;"),
            "6: atom.global.add.u32");
  EXPECT_EQ(Refused(r + "shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;"),
            "6: shfl.sync.down.b32");
  EXPECT_EQ(Refused(r + "{ mma.sync.aligned.m16n8k16 %r1; }"),
            "6: mma.sync.aligned.m16n8k16");
  EXPECT_EQ(Refused(r + "add.f16 %h1, %h1, %h1;"), "6: add.f16");
  EXPECT_EQ(Refused(r + "add.cc.u32 %r1, %r1, %r1;"), "6: add.cc.u32");
  EXPECT_EQ(Refused(r + "mov.u32 %r1, %laneid;"), "6: mov.u32 %laneid");
  EXPECT_EQ(Refused(r + "bar.sync 0, 64;"), "6: bar.sync");
  EXPECT_EQ(Refused(r + "ld.volatile.global.u32 %r1, [%rd1];"),
            "6: ld.volatile.global.u32");
  EXPECT_EQ(Refused(r + "ret;\nbar.sync 1;\nmov.u32 %r1, %tid.x;\n"
                        "cvt.f32.f16 %r1, %h1;\nmul.rn.ftz.f32 %r1,%r1,%r1;"),
            "");
}

TEST(CheckTest, KernelsOfTheFirstStagesRunAndLaterOnesNot) {
  for (const char* name :
       {"saxpy", "tiled_matmul", "stencil", "nbody", "float_math",
        "double_math", "long_division", "constant_table", "struct_argument",
        "vectors", "templates", "switch_table", "conversions"}) {
    const auto module = Parse(ReadFile(
        absl::StrCat(GRAPHD_SOURCE_DIR "/tests/data/ptx/", name, ".ptx")));
    ASSERT_TRUE(module.ok()) << name << module.status();
    for (const Function* entry : module->Entries()) {
      const auto found = FirstUnsupported(*module, *entry);
      EXPECT_FALSE(found) << name << ": " << found->instruction << " in line "
                          << found->line;
    }
  }
  for (const char* name : {"wmma", "textures", "printf", "histogram",
                           "shuffle_reduction", "async_copy", "cooperative"}) {
    const auto module = Parse(ReadFile(
        absl::StrCat(GRAPHD_SOURCE_DIR "/tests/data/ptx/", name, ".ptx")));
    ASSERT_TRUE(module.ok()) << name << module.status();
    EXPECT_TRUE(FirstUnsupported(*module, *module->Entries()[0])) << name;
  }
}

TEST(OpcodesTest, EveryRowHasItsOwnNameAndAKnownShape) {
  for (const OpcodeRow& row : AllOpcodes()) {
    EXPECT_EQ(FindOpcode(row.name), &row) << row.name;
    EXPECT_EQ(row.shape.find_first_not_of("dswuDpqal*?+"),
              absl::string_view::npos)
        << row.name;
    EXPECT_GE(row.stage, 1);
    EXPECT_LE(row.stage, 10);
  }
  EXPECT_EQ(FindOpcode("made"), nullptr);
}

}  // namespace
}  // namespace graphd::ptx
