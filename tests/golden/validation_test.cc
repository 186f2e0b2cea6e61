// Every message of validation: a graph in text form in, the exact findings out.
//
// A case is validation/NAME.txtpb with validation/NAME.expected beside it.
// `validation_test --update` writes what it finds.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/codec/definition.h"
#include "core/codec/graph_codec.h"

namespace graphd {
namespace {

bool update = false;

std::filesystem::path Folder() {
  return std::filesystem::path(GRAPHD_SOURCE_DIR) / "tests/golden/validation";
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)),
                     std::istreambuf_iterator<char>());
}

std::vector<std::string> Cases() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(Folder())) {
    if (entry.path().extension() == ".txtpb") {
      names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

// One finding a line, or "valid".
std::string Findings(const std::string& text) {
  const auto message = ParseGraphText(text);
  if (!message.ok()) return std::string(message.status().message()) + "\n";
  Violations violations;
  const auto graph = GraphFromProto(*message, &violations);
  if (graph.ok()) return "valid\n";
  std::string found;
  for (const Violation& violation : violations.found()) {
    found += violation.path + ": " + violation.message + "\n";
  }
  return found;
}

class ValidationTest : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Golden, ValidationTest, testing::ValuesIn(Cases()),
                         [](const testing::TestParamInfo<std::string>& info) {
                           return info.param;
                         });

TEST_P(ValidationTest, SaysExactlyWhatIsExpected) {
  const std::string found =
      Findings(ReadFile(Folder() / (GetParam() + ".txtpb")));
  const std::filesystem::path expected = Folder() / (GetParam() + ".expected");
  if (update) std::ofstream(expected, std::ios::binary) << found;
  EXPECT_EQ(found, ReadFile(expected));
}

}  // namespace
}  // namespace graphd

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--update") graphd::update = true;
  }
  return RUN_ALL_TESTS();
}
