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

std::optional<size_t> FirstNonUtf8(absl::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    const auto lead = static_cast<uint8_t>(text[at]);
    const size_t length = lead < 0x80   ? 1
                          : lead < 0xc2 ? 0
                          : lead < 0xe0 ? 2
                          : lead < 0xf0 ? 3
                          : lead < 0xf5 ? 4
                                        : 0;
    if (length == 0 || at + length > text.size()) return at;
    uint32_t point = length == 1 ? lead : lead & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; ++i) {
      const auto next = static_cast<uint8_t>(text[at + i]);
      if ((next & 0xc0) != 0x80) return at;
      point = point << 6 | (next & 0x3f);
    }
    // Overlong forms, surrogates, and what is beyond Unicode.
    if ((length == 3 && point < 0x800) || (length == 4 && point < 0x10000) ||
        (point >= 0xd800 && point <= 0xdfff) || point > 0x10ffff) {
      return at;
    }
    at += length;
  }
  return std::nullopt;
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
  if (const auto offset = FirstNonUtf8(graph.description)) {
    v.Add("description", "is not UTF-8 at offset ", *offset);
  }
  if (graph.nodes.empty()) v.Add("nodes", "is empty; a graph has a node");
  CheckBuffers(v);
  CheckModules(v);
  CheckParameters(v);
  CheckNodes(v);
  CheckOrder(v);
}

}  // namespace graphd
