// docs/operations.md says what the code does.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/graph/validate.h"
#include "server/config.h"

namespace graphd {
namespace {

// Rows of the page's tables by their first cell.
std::map<std::string, std::vector<std::string>> Rows() {
  std::ifstream page(GRAPHD_SOURCE_DIR "/docs/operations.md");
  std::map<std::string, std::vector<std::string>> rows;
  std::string line;
  while (std::getline(page, line)) {
    if (!absl::StartsWith(line, "| ")) continue;
    std::vector<std::string> cells = absl::StrSplit(line, '|');
    for (std::string& cell : cells) {
      cell = std::string(absl::StripAsciiWhitespace(cell));
    }
    rows[cells[1]] =
        std::vector<std::string>(cells.begin() + 2, cells.end() - 1);
  }
  return rows;
}

TEST(OperationsPageTest, ListsEverySettingThatIsALimitWithItsDefault) {
  const auto rows = Rows();
  int limits = 0;
  for (const Setting& setting : Settings()) {
    const std::vector<std::string> value = setting.get(Config());
    const bool is_number = value.size() == 1 && !value[0].empty() &&
                           absl::ascii_isdigit(value[0][0]);
    if (!is_number || setting.key == "soft_devices") continue;
    const std::string name = absl::StrCat(setting.section, ".", setting.key);
    const auto row = rows.find(name);
    ASSERT_NE(row, rows.end()) << name << " is not on the page";
    EXPECT_EQ(row->second[0], absl::StrCat("`", setting.flag, "`")) << name;
    EXPECT_EQ(row->second[1], value[0]) << name;
    ++limits;
  }
  EXPECT_GE(limits, 10);
}

TEST(OperationsPageTest, ListsEveryLimitOfAGraph) {
  const GraphLimits limits;
  const std::map<std::string, uint64_t> expected = {
      {"nodes", limits.nodes},
      {"buffers", limits.buffers},
      {"modules", limits.modules},
      {"parameters", limits.parameters},
      {"after edges of the graph", limits.after_edges},
      {"arguments of a kernel", limits.args},
      {"argument bytes of a kernel", limits.argument_bytes},
      {"declared accesses of a kernel", limits.accesses},
      {"bytes of a name", limits.name_bytes},
      {"bytes of a function, symbol or option", limits.symbol_bytes},
      {"options, and name expressions, of a module", limits.options},
      {"bytes of the description", limits.description_bytes},
      {"bytes of code, all modules", limits.code_bytes},
      {"dimensions of a shape", limits.rank},
      {"bytes of a buffer", limits.buffer_bytes},
      {"bytes of all buffers", limits.total_bytes},
  };
  ASSERT_EQ(expected.size() * sizeof(uint64_t), sizeof(GraphLimits))
      << "a limit was added without a row here";
  const auto rows = Rows();
  for (const auto& [name, most] : expected) {
    const auto row = rows.find(name);
    ASSERT_NE(row, rows.end()) << name << " is not on the page";
    EXPECT_EQ(row->second[0], absl::StrCat(most)) << name;
  }
}

}  // namespace
}  // namespace graphd
