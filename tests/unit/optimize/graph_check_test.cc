#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/graph/graph_builder.h"
#include "core/optimize/compile.h"
#include "core/optimize/kernel_table.h"
#include "tests/unit/optimize/kernels.h"

namespace graphd {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

// Every finding, one a line.
std::string Findings(GraphBuilder& b) {
  const auto graph = b.Build();
  if (!graph.ok()) return std::string(graph.status().message());
  const Violations found = CheckGraph(*graph, ImagesOf(*graph));
  return std::string(found.ToStatus("graph").message());
}

GraphBuilder WithModule(const std::string& text) {
  GraphBuilder b;
  b.Input("x", ScalarType::kU32, {64})
      .Output("y", ScalarType::kU32, {64})
      .Ptx("m", text);
  return b;
}

GraphBuilder Copying() { return WithModule(ElementwiseModule({"copy"})); }

KernelFields Copy(GraphBuilder& b) {
  return b.Kernel("k", "m", "copy").Grid(1).Block(64);
}

TEST(GraphCheckTest, ASoundGraphHasNoFindings) {
  GraphBuilder b = Copying();
  Copy(b).Buffer("x").Buffer("y").Value(Scalar::U32(64));
  EXPECT_THAT(Findings(b), IsEmpty());
}

TEST(GraphCheckTest, MalformedPtxIsNamedWithItsLine) {
  GraphBuilder b = WithModule(
      ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry copy( "
      "{\n}\n");
  Copy(b).Buffer("x").Buffer("y").Value(Scalar::U32(64));
  EXPECT_THAT(Findings(b),
              AllOf(HasSubstr("modules[0].ptx"), HasSubstr("line 4")));
}

TEST(GraphCheckTest, AnUnknownFunctionComesWithThoseThatExist) {
  GraphBuilder b = WithModule(ElementwiseModule({"copy", "move"}));
  b.Kernel("k", "m", "copi").Grid(1).Block(64);
  b.Fill("fill", "y", 0);
  EXPECT_THAT(Findings(b),
              AllOf(HasSubstr("nodes[0].function"), HasSubstr("\"copi\""),
                    HasSubstr("it has \"copy\", \"move\"")));
}

TEST(GraphCheckTest, ThePlainNameOfAMangledKernelFindsIt) {
  GraphBuilder b = WithModule(ElementwiseModule({"_Z4copyPKjPjj"}));
  Copy(b).Buffer("x").Buffer("y").Value(Scalar::U32(64));
  EXPECT_THAT(Findings(b), IsEmpty());
}

TEST(GraphCheckTest, APlainNameOfSeveralKernelsIsRefused) {
  GraphBuilder b =
      WithModule(ElementwiseModule({"_Z4copyPKjPjj", "_Z4copyPKfPfj"}));
  Copy(b).Buffer("x").Buffer("y").Value(Scalar::U32(64));
  EXPECT_THAT(Findings(b), HasSubstr("several kernels have that name"));
}

TEST(GraphCheckTest, PlainNamesAreThoseOfTheSource) {
  EXPECT_EQ(PlainName("_Z4reluPKfPfi"), "relu");
  EXPECT_EQ(PlainName("_Z5scaleIfEvPT_"), "scale");
  EXPECT_EQ(PlainName("plain"), "plain");
}

TEST(GraphCheckTest, AWrongNumberOfArgumentsIsNamed) {
  GraphBuilder b = Copying();
  Copy(b).Buffer("x").Buffer("y");
  EXPECT_THAT(Findings(b), HasSubstr("nodes[0].args: has 2 entries; kernel "
                                     "\"copy\" takes 3"));
}

TEST(GraphCheckTest, AnArgumentOfAnotherSizeIsNamed) {
  GraphBuilder b = Copying();
  Copy(b).Buffer("x").Buffer("y").Value(Scalar::S64(64));
  EXPECT_THAT(Findings(b), HasSubstr("nodes[0].args[2]: is 8 bytes (s64), "
                                     "kernel \"copy\" takes 4"));
}

TEST(GraphCheckTest, AFloatForAnIntegerIsNamed) {
  GraphBuilder b = Copying();
  Copy(b).Buffer("x").Buffer("y").Value(Scalar::F32(64));
  EXPECT_THAT(Findings(b),
              HasSubstr("nodes[0].args[2]: is f32, kernel \"copy\" takes u32"));
}

TEST(GraphCheckTest, ABufferForASmallParameterIsNamed) {
  GraphBuilder b = Copying();
  Copy(b).Buffer("x").Buffer("y").Buffer("x");
  EXPECT_THAT(Findings(b), AllOf(HasSubstr("nodes[0].args[2]"),
                                 HasSubstr("address takes 8 bytes")));
}

TEST(GraphCheckTest, ANumberThatIsUsedAsAnAddressIsRefused) {
  GraphBuilder b = Copying();
  Copy(b).Value(Scalar::U64(4096)).Buffer("y").Value(Scalar::U32(64));
  EXPECT_THAT(Findings(b), AllOf(HasSubstr("nodes[0].args[0]"),
                                 HasSubstr("takes an address from there")));
}

TEST(GraphCheckTest, AStructOfAnotherSizeIsNamed) {
  GraphBuilder b =
      WithModule(OneKernel("k", ".param .align 8 .b8 p0[24]", "", ""));
  b.Kernel("k", "m", "k").Grid(1).Block(1).Struct(std::string(16, '\0'));
  b.Fill("fill", "y", 0);
  EXPECT_THAT(
      Findings(b),
      HasSubstr("nodes[0].args[0]: is 16 bytes, kernel \"k\" takes 24"));
}

TEST(GraphCheckTest, ADeclarationThatTheCodeContradictsIsRefused) {
  GraphBuilder b = Copying();
  Copy(b)
      .Buffer("x")
      .Buffer("y")
      .Value(Scalar::U32(64))
      .Accesses("x", AccessKind::kMayRead)
      .Accesses("y", AccessKind::kMayRead);
  b.Fill("fill", "y", 0);
  EXPECT_THAT(Findings(b),
              AllOf(HasSubstr("nodes[0].accesses: declares no write of buffer "
                              "\"y\""),
                    HasSubstr("stores to argument 1")));
}

TEST(GraphCheckTest, ABlockBeyondTheKernelsOwnLimitIsRefused) {
  std::string text = ElementwiseModule({"copy"});
  text.replace(text.find(")\n{"), 3, ")\n.maxntid 32, 1, 1\n{");
  GraphBuilder b = WithModule(text);
  Copy(b).Buffer("x").Buffer("y").Value(Scalar::U32(64));
  EXPECT_THAT(Findings(b),
              AllOf(HasSubstr("nodes[0].block"), HasSubstr("64 threads"),
                    HasSubstr("32 x 1 x 1 (.maxntid)")));
}

TEST(GraphCheckTest, ABlockOfAnotherShapeThanRequiredIsRefused) {
  std::string text = ElementwiseModule({"copy"});
  text.replace(text.find(")\n{"), 3, ")\n.reqntid 128\n{");
  GraphBuilder b = WithModule(text);
  Copy(b).Buffer("x").Buffer("y").Value(Scalar::U32(64));
  EXPECT_THAT(Findings(b), HasSubstr("runs in blocks of 128 x 1 x 1 only"));
}

TEST(GraphCheckTest, AnAddressThatNoArgumentGivesMustBeDeclared) {
  const std::string text = OneKernel("k", ".param .u64 p0", R"(
  .reg .b64 %a, %b;
  .reg .b32 %v;
  ld.param.u64 %a, [p0];
  ld.global.u64 %b, [%a];
  ld.global.u32 %v, [%b];)");
  GraphBuilder b = WithModule(text);
  b.Kernel("k", "m", "k").Grid(1).Block(1).Buffer("x");
  b.Fill("fill", "y", 0);
  EXPECT_THAT(Findings(b), AllOf(HasSubstr("nodes[0].accesses: is missing"),
                                 HasSubstr("comes from no argument")));
  GraphBuilder declared = WithModule(text);
  declared.Kernel("k", "m", "k")
      .Grid(1)
      .Block(1)
      .Buffer("x")
      .Accesses("x", AccessKind::kMayRead);
  declared.Fill("fill", "y", 0);
  EXPECT_THAT(Findings(declared), IsEmpty());
}

TEST(GraphCheckTest, UnknownVariablesAndWrongRangesOfThemAreNamed) {
  GraphBuilder b = WithModule(
      OneKernel("k", "", "", ".visible .global .align 4 .b8 table[16];\n"));
  b.Copy2D("missing", {.name = "m", .symbol = "tabel"}, {.name = "y"}, 4, 1);
  b.Copy2D("beyond", {.name = "m", .offset_bytes = 8, .symbol = "table"},
           {.name = "y"}, 16, 1);
  EXPECT_THAT(
      Findings(b),
      AllOf(HasSubstr("nodes[0].src: module \"m\" has no variable \"tabel\""),
            HasSubstr("nodes[1].src: copies bytes 8..23 of variable "
                      "\"table\", which has 16 bytes")));
}

TEST(GraphCheckTest, AllFindingsComeTogether) {
  GraphBuilder b = Copying();
  Copy(b).Buffer("x");
  b.Kernel("k2", "m", "nothing").Grid(1).Block(1);
  b.Fill("fill", "y", 0);
  EXPECT_THAT(Findings(b), AllOf(HasSubstr("nodes[0].args"),
                                 HasSubstr("nodes[1].function")));
}

}  // namespace
}  // namespace graphd
