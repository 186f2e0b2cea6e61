#include "client/graphctl/definition_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/unit/client/canned_services.h"

namespace graphd::graphctl {
namespace {

using ::testing::HasSubstr;

void Write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string ErrorOf(const std::string& path) {
  const auto graph = LoadDefinition(path);
  return graph.ok() ? "" : std::string(graph.status().message());
}

TEST(DefinitionFileTest, TheThreeFormsHoldTheSame) {
  TemporaryFolder folder;
  Write(folder / "g.textproto", "buffers { name: \"x\" size_bytes: 4 }");
  Write(folder / "g.json", R"({"buffers":[{"name":"x","sizeBytes":"4"}]})");
  const auto text = LoadDefinition(folder / "g.textproto");
  ASSERT_TRUE(text.ok()) << text.status();
  Write(folder / "g.binpb", text->SerializeAsString());
  for (const char* name : {"g.textproto", "g.json", "g.binpb"}) {
    const auto graph = LoadDefinition(folder / name);
    ASSERT_TRUE(graph.ok()) << graph.status();
    EXPECT_EQ(graph->SerializeAsString(), text->SerializeAsString());
  }
}

TEST(DefinitionFileTest, ModuleFilesLieBesideTheDefinition) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "kernels");
  Write(folder / "kernels/a.cu", "source");
  Write(folder / "b.ptx", "text");
  Write(folder / "c.cubin", std::string("\x7f"
                                        "ELF\0",
                                        5));
  Write(folder / "g.textproto",
        "modules { name: \"a\" file: \"kernels/a.cu\" }"
        "modules { name: \"b\" file: \"b.ptx\" }"
        "modules { name: \"c\" file: \"c.cubin\" }");
  const auto graph = LoadDefinition(folder / "g.textproto");
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->modules(0).cuda_source(), "source");
  EXPECT_EQ(graph->modules(1).ptx(), "text");
  EXPECT_EQ(graph->modules(2).cubin().size(), 5u);
}

TEST(DefinitionFileTest, ErrorsNameFileLineAndColumn) {
  TemporaryFolder folder;
  Write(folder / "g.textproto", "buffers {\n  nme: \"x\"\n}");
  EXPECT_THAT(ErrorOf(folder / "g.textproto"), HasSubstr("g.textproto: "));
  EXPECT_THAT(ErrorOf(folder / "g.textproto"), HasSubstr("line 2, column"));
  Write(folder / "g.json", "{\"buffers\": 3}");
  EXPECT_THAT(ErrorOf(folder / "g.json"), HasSubstr("g.json: "));
}

TEST(DefinitionFileTest, WhatIsNotThereOrNotADefinitionIsNamed) {
  TemporaryFolder folder;
  EXPECT_THAT(ErrorOf(folder / "g.textproto"), HasSubstr("cannot read"));
  EXPECT_THAT(ErrorOf(folder / "g.yaml"), HasSubstr(".textproto"));
  Write(folder / "m.textproto", "modules { name: \"a\" file: \"gone.cu\" }");
  EXPECT_THAT(ErrorOf(folder / "m.textproto"),
              HasSubstr("modules[0].file \"gone.cu\""));
  Write(folder / "up.textproto", "modules { name: \"a\" file: \"../x.cu\" }");
  EXPECT_THAT(ErrorOf(folder / "up.textproto"),
              HasSubstr("below the definition's folder"));
}

}  // namespace
}  // namespace graphd::graphctl
