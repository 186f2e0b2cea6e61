#include "core/codec/definition.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

namespace graphd {
namespace {

using google::protobuf::util::MessageDifferencer;
using testing::HasSubstr;

constexpr char kText[] = R"(
buffers { name: "x" role: ROLE_OUTPUT size_bytes: 16 }
modules { name: "m" file: "kernels/k.cu" }
nodes { name: "fill" memset { buffer: "x" width: 16 } }
)";

TEST(DefinitionTest, TheEndingSaysTheFormat) {
  EXPECT_EQ(DefinitionFormatOf("a/graph.textproto"), DefinitionFormat::kText);
  EXPECT_EQ(DefinitionFormatOf("g.txtpb"), DefinitionFormat::kText);
  EXPECT_EQ(DefinitionFormatOf("g.json"), DefinitionFormat::kJson);
  EXPECT_EQ(DefinitionFormatOf("g.binpb"), DefinitionFormat::kBinary);
  EXPECT_EQ(DefinitionFormatOf("graph.yaml"), std::nullopt);
}

TEST(DefinitionTest, EveryFormReadsBackAsTheSameMessage) {
  const auto graph = ParseGraphText(kText);
  ASSERT_TRUE(graph.ok()) << graph.status();
  for (const DefinitionFormat format :
       {DefinitionFormat::kText, DefinitionFormat::kJson,
        DefinitionFormat::kBinary}) {
    const auto bytes = WriteGraph(*graph, format);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const auto back = ParseGraph(*bytes, format);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_TRUE(MessageDifferencer::Equals(*graph, *back)) << *bytes;
  }
}

TEST(DefinitionTest, AnErrorInTextHasLineAndColumn) {
  const auto graph = ParseGraphText("nodes {\n  name: \"a\"\n  bogus: 3\n}\n");
  EXPECT_EQ(graph.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(graph.status().message()),
              HasSubstr("line 3, column 8: Message type \"graphd.v1.Node\" has "
                        "no field named \"bogus\""));
}

TEST(DefinitionTest, BrokenJsonAndBytesAreErrors) {
  EXPECT_EQ(ParseGraphJson("{\"nodes\": [").status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(ParseGraphJson("{\"bogus\": 1}").status().message()),
              HasSubstr("bogus"));
  EXPECT_THAT(std::string(ParseGraphBinary("\xff\xff").status().message()),
              HasSubstr("2 bytes do not parse"));
}

TEST(DefinitionTest, ModuleFilesBecomeTheirCode) {
  v1::Graph graph;
  for (const char* file : {"kernels/k.cu", "k.ptx", "k.cubin", "k.fatbin"}) {
    graph.add_modules()->set_file(file);
  }
  graph.add_modules()->set_ptx("inline");
  const absl::Status status =
      ReadModuleFiles(graph, [](absl::string_view name) {
        return absl::StatusOr<std::string>("code of " + std::string(name));
      });
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(graph.modules(0).cuda_source(), "code of kernels/k.cu");
  EXPECT_EQ(graph.modules(1).ptx(), "code of k.ptx");
  EXPECT_EQ(graph.modules(2).cubin(), "code of k.cubin");
  EXPECT_EQ(graph.modules(3).cubin(), "code of k.fatbin");
  EXPECT_EQ(graph.modules(4).ptx(), "inline");
}

TEST(DefinitionTest, ModuleFilesStayBelowTheDefinition) {
  for (const char* file :
       {"/etc/k.cu", "../k.cu", "a/../../k.cu", "k.txt", ""}) {
    v1::Graph graph;
    graph.add_modules()->set_file(file);
    bool was_read = false;
    const absl::Status status = ReadModuleFiles(graph, [&](absl::string_view) {
      was_read = true;
      return absl::StatusOr<std::string>("code");
    });
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << file;
    EXPECT_FALSE(was_read) << file;
  }
}

TEST(DefinitionTest, AFileThatCannotBeReadIsNamed) {
  v1::Graph graph;
  graph.add_modules()->set_file("k.cu");
  const absl::Status status = ReadModuleFiles(graph, [](absl::string_view) {
    return absl::StatusOr<std::string>(absl::NotFoundError("no such file"));
  });
  EXPECT_EQ(status,
            absl::NotFoundError("modules[0].file \"k.cu\": no such file"));
}

}  // namespace
}  // namespace graphd
