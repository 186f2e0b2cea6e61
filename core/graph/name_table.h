// Names of one kind of thing in a graph, and the findings about references to
// names that are not there.
//
// GraphBuilder and core/codec resolve names through it, so that both say the
// same.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_GRAPH_NAME_TABLE_H_
#define GRAPHD_CORE_GRAPH_NAME_TABLE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "core/graph/graph.h"
#include "core/graph/violation.h"

namespace graphd {

class NameTable {
 public:
  // `noun`: "buffer", "module", "parameter", "node".
  explicit NameTable(absl::string_view noun) : noun_(noun) {}

  // The first of two equal names keeps it; Validate reports the second.
  void Declare(absl::string_view name, size_t index);

  bool Contains(absl::string_view name) const { return index_.contains(name); }
  // Invalid when there is no such name; then a finding says which there are.
  template <typename IdType>
  IdType Find(absl::string_view name, absl::string_view path,
              Violations& violations) const {
    const std::optional<size_t> index = FindIndex(name, path, violations);
    return index.has_value() ? IdType(*index) : IdType();
  }

 private:
  std::optional<size_t> FindIndex(absl::string_view name,
                                  absl::string_view path,
                                  Violations& violations) const;

  std::string noun_;
  std::vector<std::string> names_;  // in declaration order, for findings
  absl::flat_hash_map<std::string, size_t> index_;
};

// Gives each node without a name one made of its kind and index ("kernel3"),
// with "_" added while it is taken.
void GenerateNodeNames(std::vector<Node>& nodes);

}  // namespace graphd

#endif  // GRAPHD_CORE_GRAPH_NAME_TABLE_H_
