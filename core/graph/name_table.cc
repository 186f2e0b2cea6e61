#include "core/graph/name_table.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace graphd {
namespace {

constexpr size_t kNamesShown = 8;

}  // namespace

void NameTable::Declare(absl::string_view name, size_t index) {
  if (name.empty()) return;
  if (index_.try_emplace(std::string(name), index).second &&
      names_.size() <= kNamesShown) {
    names_.emplace_back(name);
  }
}

std::optional<size_t> NameTable::FindIndex(absl::string_view name,
                                           absl::string_view path,
                                           Violations& violations) const {
  if (name.empty()) {
    violations.Add(
        std::string(path),
        absl::StrCat("names no ", noun_, "; expected the name of a ", noun_));
    return std::nullopt;
  }
  const auto it = index_.find(name);
  if (it != index_.end()) return it->second;
  std::string message = absl::StrCat("unknown ", noun_, " \"",
                                     absl::CEscape(name.substr(0, 80)), "\"");
  if (names_.empty()) {
    absl::StrAppend(&message, "; the graph declares no ", noun_);
  } else {
    absl::StrAppend(&message, "; the graph has ");
    for (size_t i = 0; i < names_.size() && i < kNamesShown; ++i) {
      absl::StrAppend(&message, i == 0 ? "\"" : ", \"",
                      absl::CEscape(names_[i].substr(0, 80)), "\"");
    }
    if (index_.size() > kNamesShown) {
      absl::StrAppend(&message, " and ", index_.size() - kNamesShown, " more");
    }
  }
  violations.Add(std::string(path), std::move(message));
  return std::nullopt;
}

void GenerateNodeNames(std::vector<Node>& nodes) {
  absl::flat_hash_set<std::string> taken;
  for (const Node& node : nodes) {
    if (!node.name.empty()) taken.insert(node.name);
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].name.empty()) continue;
    std::string name = absl::StrCat(KindName(nodes[i].body), i);
    while (!taken.insert(name).second) name += "_";
    nodes[i].name = std::move(name);
  }
}

}  // namespace graphd
