// Every definition under docs/examples parses, names files that exist, and is
// valid.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/codec/definition.h"
#include "core/codec/graph_codec.h"
#include "core/graph/graph_digest.h"

namespace graphd {
namespace {

std::filesystem::path Folder() {
  return std::filesystem::path(GRAPHD_SOURCE_DIR) / "docs/examples";
}

absl::StatusOr<std::string> ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError("cannot read " + path.string());
  return std::string((std::istreambuf_iterator<char>(file)),
                     std::istreambuf_iterator<char>());
}

std::vector<std::string> Examples() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(Folder())) {
    if (std::filesystem::exists(entry.path() / "graph.textproto")) {
      names.push_back(entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

class ExamplesTest : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Docs, ExamplesTest, testing::ValuesIn(Examples()),
                         [](const testing::TestParamInfo<std::string>& info) {
                           return info.param;
                         });

TEST_P(ExamplesTest, IsAValidDefinitionAndSurvivesTheWayThroughEveryForm) {
  const std::filesystem::path folder = Folder() / GetParam();
  const auto text = ReadFile(folder / "graph.textproto");
  ASSERT_TRUE(text.ok()) << text.status();
  auto message = ParseGraphText(*text);
  ASSERT_TRUE(message.ok()) << message.status();
  const absl::Status files =
      ReadModuleFiles(*message, [&](absl::string_view file) {
        return ReadFile(folder / std::string(file));
      });
  ASSERT_TRUE(files.ok()) << files;
  const auto graph = GraphFromProto(*message, nullptr);
  ASSERT_TRUE(graph.ok()) << graph.status();
  for (const DefinitionFormat format :
       {DefinitionFormat::kText, DefinitionFormat::kJson,
        DefinitionFormat::kBinary}) {
    const auto bytes = WriteGraph(GraphToProto(*graph), format);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const auto back = ParseGraph(*bytes, format);
    ASSERT_TRUE(back.ok()) << back.status();
    const auto again = GraphFromProto(*back, nullptr);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(GraphDigest(*again), GraphDigest(*graph));
  }
}

TEST(ExampleFoldersTest, AreAllThere) {
  const std::vector<std::string> names = Examples();
  for (const char* name :
       {"relu_scale", "saxpy", "saxpy_ptx", "matmul", "stencil", "nbody",
        "fork_join", "fill_copy_2d", "struct_argument", "module_counter",
        "explicit_copies"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
}

}  // namespace
}  // namespace graphd
