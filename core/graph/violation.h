// What is wrong with a graph, one finding each, with the path of the field it
// is about.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_GRAPH_VIOLATION_H_
#define GRAPHD_CORE_GRAPH_VIOLATION_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace graphd {

struct Violation {
  std::string path;     // "nodes[17].args[2]", as in graphd.v1.Graph
  std::string message;  // what was expected and what was found; lower case, no
                        // full stop
  bool operator==(const Violation&) const = default;
};

// Collects findings up to a limit, so that one answer shows all of them.
class Violations {
 public:
  static constexpr size_t kLimit = 64;

  void Add(std::string path, std::string message);

  bool empty() const { return found_.empty(); }
  const std::vector<Violation>& found() const& { return found_; }
  std::vector<Violation> found() && { return std::move(found_); }
  size_t dropped() const { return dropped_; }
  // Whether a finding about exactly this field is there already.
  bool Has(absl::string_view path) const;
  void Append(const Violations& other);

  // OK when empty; else INVALID_ARGUMENT whose message has every finding, one a
  // line: "path: message".
  absl::Status ToStatus(absl::string_view subject) const;

 private:
  std::vector<Violation> found_;
  size_t dropped_ = 0;
};

}  // namespace graphd

#endif  // GRAPHD_CORE_GRAPH_VIOLATION_H_
