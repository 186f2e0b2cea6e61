#include "core/ptx/printer.h"

#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/ptx/check.h"
#include "core/ptx/parser.h"
#include "gtest/gtest.h"
#include "tests/unit/ptx/corpus.h"

namespace graphd::ptx {
namespace {

TEST(PrinterTest, ParsingWhatIsPrintedGivesTheSameModule) {
  const std::vector<std::string> files = CorpusFiles();
  ASSERT_GE(files.size(), 25u);
  for (const std::string& file : files) {
    const absl::StatusOr<Module> module = Parse(ReadFile(file));
    ASSERT_TRUE(module.ok()) << file << ": " << module.status();
    const std::string text = Print(*module);
    const absl::StatusOr<Module> again = Parse(text);
    ASSERT_TRUE(again.ok()) << file << ": " << again.status();
    EXPECT_TRUE(WithoutLines(*module) == WithoutLines(*again)) << file;
    EXPECT_EQ(Print(*again), text) << file;
  }
}

TEST(PrinterTest, PtxasAcceptsWhatIsPrintedWithExplicitRounding) {
  for (const std::string& file : CorpusFiles()) {
    absl::StatusOr<Module> module = Parse(ReadFile(file));
    ASSERT_TRUE(module.ok()) << file << ": " << module.status();
    MakeRoundingExplicit(*module);
    EXPECT_EQ(PtxasComplaint(Print(*module)), "") << file;
  }
}

TEST(PrinterTest, PtxasAcceptsWhatIsPrintedOfAHandWrittenModule) {
  const absl::StatusOr<Module> module = Parse(R"(
.version 9.0
.target sm_75
.address_size 64
.global .u32 a = 5, b;
.global .v4 .f32 quads[2] = {{0f3F800000, 1.5, -2.0}, {1.0, 2.0, 3.0, 4.0}};
.const .s32 grid[2][3] = {{1, 2}, {-3}};
.global .u8 bytes[4] = {0xFF(a), 0xFF00(a), 0xFF0000(generic(a)), 7};
.global .u64 links[3] = {a, generic(b)+4, a-4};
.global .s64 least = -9223372036854775808;
.global .u64 most = 0xFFFFFFFFFFFFFFFF;
.visible .entry e(.param .u64 .ptr .global .align 8 addr, .param .align 8 .b8 s[12])
.maxntid 64, 1, 1
{
  .reg .pred p, q;
  .reg .b32 t<3>;
  .reg .f32 f, g;
  .reg .f64 %d<2>;
  .reg .b64 w;
  ld.param.u64 w, [addr+0];
  setp.eq.s32 p|q, t0, 0b101;
  @!q add.f32 f, f, 0.5;
  mov.f64 %d0, -1e300;
  mov.u64 w, a+8;
  mov.b64 {t0, _}, w;
  mov.b64 w, 0x8000000000000000;
  mov.s64 w, -9223372036854775808;
  ld.global.u32 t1, [a+-0];
  { .reg .f32 f; mov.f32 f, 0f7F800000; }
  ret;
}
)");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_TRUE(Check(*module).ok()) << Check(*module);
  const std::string text = Print(*module);
  EXPECT_EQ(PtxasComplaint(text), "") << text;
  const absl::StatusOr<Module> again = Parse(text);
  ASSERT_TRUE(again.ok()) << again.status() << text;
  EXPECT_TRUE(WithoutLines(*module) == WithoutLines(*again)) << text;
}

TEST(PrinterTest, RoundingBecomesExplicitWhereNoneWasStated) {
  absl::StatusOr<Module> module = Parse(R"(
.version 9.0
.target sm_90
.address_size 64
.entry e() {
  .reg .f32 f; .reg .f64 d; .reg .b16 h; .reg .b32 r;
  add.f32 f, f, f;
  mul.ftz.sat.f32 f, f, f;
  { sub.f64 d, d, d; }
  add.rz.f32 f, f, f;
  mul.f16x2 r, r, r;
  add.bf16 h, h, h;
  add.s32 r, r, r;
  mul.lo.s32 r, r, r;
  fma.rn.f32 f, f, f, f;
  max.f32 f, f, f;
}
)");
  ASSERT_TRUE(module.ok()) << module.status();
  MakeRoundingExplicit(*module);
  const std::string text = Print(*module);
  for (const char* expected :
       {"\tadd.rn.f32 f", "\tmul.rn.ftz.sat.f32 f", "\tsub.rn.f64 d",
        "\tadd.rz.f32 f", "\tmul.rn.f16x2 r", "\tadd.rn.bf16 h", "\tadd.s32 r",
        "\tmul.lo.s32 r", "\tfma.rn.f32 f", "\tmax.f32 f"}) {
    EXPECT_TRUE(absl::StrContains(text, expected)) << expected << text;
  }
  EXPECT_EQ(PtxasComplaint(text), "") << text;
}

TEST(PrinterTest, WhatNvccWritesNowIsReadCheckedAndPrinted) {
  const std::string nvcc = FindCudaTool("nvcc");
  ASSERT_NE(nvcc, "") << "nvcc is not installed: see deploy/packages.txt";
  std::string folder = std::filesystem::temp_directory_path() / "ptx_XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string ptx = folder + "/out.ptx";
  for (const char* what :
       {"-arch=sm_75 -G saxpy", "-arch=sm_90 -lineinfo nbody",
        "-arch=sm_80 device_calls", "-arch=sm_75 -G module_variables"}) {
    const absl::string_view arguments(what);
    const size_t space = arguments.rfind(' ');
    std::string output;
    const std::string command =
        absl::StrCat(nvcc, " -ptx -std=c++17 ", arguments.substr(0, space), " ",
                     GRAPHD_SOURCE_DIR, "/tests/data/cuda/",
                     arguments.substr(space + 1), ".cu -o ", ptx);
    ASSERT_EQ(RunCommand(command, output), 0) << command << output;
    absl::StatusOr<Module> module = Parse(ReadFile(ptx));
    ASSERT_TRUE(module.ok()) << what << ": " << module.status();
    EXPECT_TRUE(Check(*module).ok()) << what << ": " << Check(*module);
    MakeRoundingExplicit(*module);
    EXPECT_EQ(PtxasComplaint(Print(*module)), "") << what;
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace graphd::ptx
