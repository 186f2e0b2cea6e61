#include "core/graph/validate.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "core/graph/validation.h"

namespace graphd {
namespace {

template <typename Thing, typename IdType>
const Thing* FindReferred(const Validation& v, const std::vector<Thing>& things,
                          IdType id, absl::string_view noun,
                          absl::string_view path) {
  if (id.valid() && id.index() < things.size()) return &things[id.index()];
  if (!v.violations.Has(path)) {
    if (id.valid()) {
      v.Add(path, "refers to ", noun, " ", id.index(), ", but the graph has ",
            things.size());
    } else {
      v.Add(path, "refers to no ", noun);
    }
  }
  return nullptr;
}

void CheckCount(const Validation& v, absl::string_view path, uint64_t count,
                uint64_t limit) {
  if (count > limit) {
    v.Add(path, "has ", count, " entries; the limit is ", limit);
  }
}

}  // namespace

const Buffer* Validation::FindBuffer(BufferId id,
                                     absl::string_view path) const {
  return FindReferred(*this, graph.buffers, id, "buffer", path);
}

const Module* Validation::FindModule(ModuleId id,
                                     absl::string_view path) const {
  return FindReferred(*this, graph.modules, id, "module", path);
}

const Parameter* Validation::FindParameter(ParameterId id,
                                           absl::string_view path) const {
  return FindReferred(*this, graph.parameters, id, "parameter", path);
}

std::string At(absl::string_view list, size_t index) {
  return absl::StrCat(list, "[", index, "]");
}

std::string At(absl::string_view path, absl::string_view list, size_t index) {
  return absl::StrCat(path, ".", list, "[", index, "]");
}

std::string Field(absl::string_view path, absl::string_view field) {
  return absl::StrCat(path, ".", field);
}

std::string Quoted(absl::string_view name) {
  constexpr size_t kShown = 80;
  return absl::StrCat("\"", absl::CEscape(name.substr(0, kShown)),
                      name.size() > kShown ? "…\"" : "\"");
}

std::string Describe(const ByteRange& range) {
  if (range.rows <= 1) {
    if (range.width_bytes == 0) return "no bytes";
    return absl::StrCat("bytes ", range.offset_bytes, "..",
                        range.end_bytes() - 1);
  }
  return absl::StrCat(range.rows, " rows of ", range.width_bytes, " bytes, ",
                      range.pitch_bytes, " apart, from byte ",
                      range.offset_bytes);
}

void CheckName(const Validation& v, absl::string_view noun,
               absl::string_view name, const std::string& path) {
  if (name.empty()) {
    v.Add(path, "is empty; every ", noun, " has a name");
    return;
  }
  if (name.size() > v.limits.name_bytes) {
    v.Add(path, "is ", name.size(), " bytes long; the limit is ",
          v.limits.name_bytes);
    return;
  }
  bool good = absl::ascii_isalnum(name[0]) || name[0] == '_';
  for (const char c : name) {
    good =
        good && (absl::ascii_isalnum(c) ||
                 absl::string_view("_-./").find(c) != absl::string_view::npos);
  }
  if (!good) {
    v.Add(path, Quoted(name), " is not a ", noun,
          " name: expected letters, digits, '_', '-', '.' and '/', with a "
          "letter, digit or '_' first");
  }
}

void CheckSymbol(const Validation& v, absl::string_view noun,
                 absl::string_view symbol, const std::string& path) {
  if (symbol.empty()) {
    v.Add(path, "is empty; expected the name of a ", noun);
    return;
  }
  if (symbol.size() > v.limits.symbol_bytes) {
    v.Add(path, "is ", symbol.size(), " bytes long; the limit is ",
          v.limits.symbol_bytes);
    return;
  }
  for (const char c : symbol) {
    if (!absl::ascii_isprint(c)) {
      v.Add(path, Quoted(symbol), " is not a ", noun,
            " name: expected printable characters");
      return;
    }
  }
}

void CheckRange(const Validation& v, const Buffer& buffer,
                const ByteRange& range, absl::string_view verb,
                const std::string& path) {
  if (range.rows > 1 && range.pitch_bytes < range.width_bytes) {
    v.Add(path, "has rows of ", range.width_bytes, " bytes, but a pitch of ",
          range.pitch_bytes, "; rows would overlap");
    return;
  }
  if (!EndFits(range)) {
    v.Add(path, "ends beyond 2^64 bytes");
    return;
  }
  if (range.end_bytes() > buffer.size_bytes) {
    v.Add(path, verb, " ", Describe(range), " of buffer ", Quoted(buffer.name),
          ", which has ", buffer.size_bytes, " bytes");
  }
}

Violations Validate(const Graph& graph, const GraphLimits& limits) {
  Violations violations;
  Validate(graph, limits, violations);
  return violations;
}

void Validate(const Graph& graph, const GraphLimits& limits,
              Violations& violations) {
  const Validation v{graph, limits, violations};
  Violations counts;
  const Validation counting{graph, limits, counts};
  CheckCount(counting, "buffers", graph.buffers.size(), limits.buffers);
  CheckCount(counting, "modules", graph.modules.size(), limits.modules);
  CheckCount(counting, "parameters", graph.parameters.size(),
             limits.parameters);
  CheckCount(counting, "nodes", graph.nodes.size(), limits.nodes);
  // Beyond a limit nothing else is looked at, so that the work is bounded.
  violations.Append(counts);
  if (!counts.empty()) return;

  if (graph.description.size() > limits.description_bytes) {
    v.Add("description", "is ", graph.description.size(),
          " bytes long; the limit is ", limits.description_bytes);
  }
  if (graph.nodes.empty()) v.Add("nodes", "is empty; a graph has a node");
  CheckBuffers(v);
  CheckModules(v);
  CheckParameters(v);
  CheckNodes(v);
  CheckOrder(v);
}

}  // namespace graphd
