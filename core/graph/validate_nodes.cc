// Each node's own fields: names, copies, fills, and the order that it asks for.
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/graph/validation.h"

namespace graphd {
namespace {

// One end of a copy; the range may be unsound.
void CheckCopyEnd(const Validation& v, const MemcpyNode& node,
                  const CopyEnd& end, bool is_source, const std::string& path) {
  const ByteRange range = CopiedRange(node, end);
  if (const auto* symbol = std::get_if<ModuleSymbol>(&end.place)) {
    const Module* module =
        v.FindModule(symbol->module, Field(path, "symbol.module"));
    CheckSymbol(v, "variable", symbol->symbol, Field(path, "symbol.symbol"));
    if (module != nullptr && range.rows > 1 &&
        range.pitch_bytes < range.width_bytes) {
      v.Add(path, "has rows of ", range.width_bytes, " bytes, but a pitch of ",
            range.pitch_bytes, "; rows would overlap");
    } else if (module != nullptr && !EndFits(range)) {
      v.Add(path, "ends beyond 2^64 bytes");
    }
    return;
  }
  const Buffer* buffer =
      v.FindBuffer(std::get<BufferId>(end.place), Field(path, "buffer"));
  if (buffer == nullptr) return;
  CheckRange(v, *buffer, range, is_source ? "reads" : "writes", path);
  if (!is_source && buffer->role == BufferRole::kInput &&
      buffer->space == MemorySpace::kHost) {
    v.Add(path, "writes buffer ", Quoted(buffer->name),
          ", an INPUT in HOST space, which only the client writes");
  }
}

void CheckMemcpy(const Validation& v, const MemcpyNode& node,
                 const std::string& path) {
  if (node.width_bytes == 0) {
    v.Add(Field(path, "width_bytes"), "is 0; expected at least 1 byte");
  }
  if (node.height == 0) {
    v.Add(Field(path, "height"), "is 0; expected at least 1 row");
  }
  CheckCopyEnd(v, node, node.src, true, Field(path, "src"));
  CheckCopyEnd(v, node, node.dst, false, Field(path, "dst"));

  bool same_place = false;
  if (const auto* src = std::get_if<BufferId>(&node.src.place)) {
    const auto* dst = std::get_if<BufferId>(&node.dst.place);
    same_place = dst != nullptr && *src == *dst && src->valid();
  } else {
    const auto& symbol = std::get<ModuleSymbol>(node.src.place);
    const auto* other = std::get_if<ModuleSymbol>(&node.dst.place);
    same_place = other != nullptr && symbol.module == other->module &&
                 symbol.module.valid() && symbol.symbol == other->symbol;
  }
  const ByteRange from = CopiedRange(node, node.src);
  const ByteRange to = CopiedRange(node, node.dst);
  if (same_place && EndFits(from) && EndFits(to) && Overlaps(from, to)) {
    v.Add(path, "copies ", Describe(from), " onto ", Describe(to),
          " of the same memory; they overlap");
  }
}

void CheckMemset(const Validation& v, const MemsetNode& node,
                 const std::string& path) {
  const Buffer* buffer = v.FindBuffer(node.dst, Field(path, "buffer"));
  if (buffer != nullptr && buffer->space == MemorySpace::kHost) {
    v.Add(Field(path, "buffer"), "fills buffer ", Quoted(buffer->name),
          ", which is in HOST space; only copies touch it");
  }
  if (node.width == 0) {
    v.Add(Field(path, "width"), "is 0; expected at least 1 element");
  }
  if (node.height == 0) {
    v.Add(Field(path, "height"), "is 0; expected at least 1 row");
  }
  const uint32_t size = node.pattern_bytes;
  if (size != 1 && size != 2 && size != 4) {
    v.Add(Field(path, "pattern_bytes"), "is ", size, "; expected 1, 2 or 4");
    return;
  }
  if (size < 4 && (node.pattern >> (8 * size)) != 0) {
    v.Add(Field(path, "pattern"), node.pattern, " does not fit ", size,
          size == 1 ? " byte" : " bytes");
  }
  if (node.offset_bytes % size != 0) {
    v.Add(Field(path, "offset_bytes"), node.offset_bytes,
          " is no multiple of the pattern's ", size, " bytes");
  }
  if (node.height > 1 && node.pitch_bytes % size != 0) {
    v.Add(Field(path, "pitch_bytes"), node.pitch_bytes,
          " is no multiple of the pattern's ", size, " bytes");
  }
  uint64_t width_bytes = 0;
  if (__builtin_mul_overflow(node.width, uint64_t{size}, &width_bytes)) {
    v.Add(Field(path, "width"), "overflows: ", node.width, " elements of ",
          size, " bytes");
    return;
  }
  if (buffer != nullptr) {
    CheckRange(v, *buffer, FilledRange(node), "fills", path);
  }
}

void CheckAfter(const Validation& v, size_t index, const std::string& path) {
  const Node& node = v.graph.nodes[index];
  absl::flat_hash_set<NodeId> seen;
  for (size_t i = 0; i < node.after.size(); ++i) {
    const NodeId before = node.after[i];
    const std::string at = At(path, "after", i);
    if (!before.valid() || before.index() >= v.graph.nodes.size()) {
      if (v.violations.Has(at)) continue;
      if (before.valid()) {
        v.Add(at, "refers to node ", before.index(), ", but the graph has ",
              v.graph.nodes.size());
      } else {
        v.Add(at, "refers to no node");
      }
      continue;
    }
    if (before.index() == index) {
      v.Add(at, "node ", Quoted(node.name), " cannot come after itself");
    } else if (!seen.insert(before).second) {
      v.Add(at, "names node ", Quoted(v.graph.node(before).name),
            " a second time");
    }
  }
}

}  // namespace

void CheckNodes(const Validation& v) {
  absl::flat_hash_map<absl::string_view, size_t> first;
  uint64_t edges = 0;
  for (const Node& node : v.graph.nodes) edges += node.after.size();
  const bool too_many_edges = edges > v.limits.after_edges;
  if (too_many_edges) {
    v.Add("nodes", "have ", edges, " entries in `after`; the limit is ",
          v.limits.after_edges);
  }
  for (size_t i = 0; i < v.graph.nodes.size(); ++i) {
    const Node& node = v.graph.nodes[i];
    const std::string path = At("nodes", i);
    const std::string name_path = Field(path, "name");
    CheckName(v, "node", node.name, name_path);
    if (!node.name.empty()) {
      const auto [it, is_new] = first.try_emplace(node.name, i);
      if (!is_new) {
        v.Add(name_path, "the name ", Quoted(node.name), " is taken by ",
              At("nodes", it->second));
      }
    }
    if (const auto* kernel = std::get_if<KernelNode>(&node.body)) {
      CheckKernel(v, *kernel, path);
    } else if (const auto* copy = std::get_if<MemcpyNode>(&node.body)) {
      CheckMemcpy(v, *copy, path);
    } else if (const auto* fill = std::get_if<MemsetNode>(&node.body)) {
      CheckMemset(v, *fill, path);
    }
    if (!too_many_edges) CheckAfter(v, i, path);
  }
}

}  // namespace graphd
