// The parts of Validate, one a kind of thing, and what they share.
//
// Each part reports through the same context and assumes nothing that another
// part checks: references may be invalid, sizes may be zero or overflow.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_GRAPH_VALIDATION_H_
#define GRAPHD_CORE_GRAPH_VALIDATION_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "core/graph/graph.h"
#include "core/graph/validate.h"
#include "core/graph/violation.h"

namespace graphd {

struct Validation {
  const Graph& graph;
  const GraphLimits& limits;
  Violations& violations;

  template <typename... Parts>
  void Add(absl::string_view path, const Parts&... parts) const {
    violations.Add(std::string(path), absl::StrCat(parts...));
  }

  // Null, with a finding unless `path` has one, when the reference is invalid.
  const Buffer* FindBuffer(BufferId id, absl::string_view path) const;
  const Module* FindModule(ModuleId id, absl::string_view path) const;
  const Parameter* FindParameter(ParameterId id, absl::string_view path) const;
};

// "buffers[3]" and "nodes[3].args[2]".
std::string At(absl::string_view list, size_t index);
std::string At(absl::string_view path, absl::string_view list, size_t index);
std::string Field(absl::string_view path, absl::string_view field);
// The name in quotes, shortened and with control characters escaped.
std::string Quoted(absl::string_view name);
// "bytes 0..1023", or "4 rows of 16 bytes, 64 apart, from byte 0".
std::string Describe(const ByteRange& range);
// Offset of the first byte that is not part of well-formed UTF-8.
std::optional<size_t> FirstNonUtf8(absl::string_view text);

void CheckBuffers(const Validation& v);
void CheckModules(const Validation& v);
void CheckParameters(const Validation& v);
// Names, and each node's own fields.
void CheckNodes(const Validation& v);
void CheckKernel(const Validation& v, const KernelNode& node,
                 const std::string& path);
// Cycles, outputs that nothing writes, reads of what nothing defined.
void CheckOrder(const Validation& v);

// `noun`: "buffer", …; `path` ends in ".name".
void CheckName(const Validation& v, absl::string_view noun,
               absl::string_view name, const std::string& path);
// A function or symbol: not empty, not too long, printable.
void CheckSymbol(const Validation& v, absl::string_view noun,
                 absl::string_view symbol, const std::string& path);
// The rows of `range` are sound and inside `buffer`. `verb`: "reads", "fills",
// …
void CheckRange(const Validation& v, const Buffer& buffer,
                const ByteRange& range, absl::string_view verb,
                const std::string& path);

}  // namespace graphd

#endif  // GRAPHD_CORE_GRAPH_VALIDATION_H_
