#include "core/optimize/derive_accesses.h"

#include <algorithm>
#include <variant>
#include <vector>

namespace graphd {
namespace {

using Wide = __int128;
using ptx::LaunchSymbol;

// All values of a quantity lie in [least, most].
struct Bounds {
  Wide least = 0;
  Wide most = 0;
};

class Launch {
 public:
  Launch(const Graph& graph, const KernelNode& node)
      : graph_(graph), node_(node) {}

  // Bytes [first, end) from the root that the access may touch in any thread.
  std::optional<Bounds> BytesOf(const ptx::MemoryAccess& access) const {
    if (!access.offset.has_value()) return std::nullopt;
    const std::optional<Bounds> offset = BoundsOf(*access.offset);
    if (!offset.has_value()) return std::nullopt;
    for (const ptx::FitsIn& assumption : access.assumes) {
      if (!Holds(assumption)) return std::nullopt;
    }
    return Bounds{offset->least, offset->most + access.width_bytes};
  }

 private:
  bool Holds(const ptx::FitsIn& assumption) const {
    const std::optional<Bounds> bounds = BoundsOf(assumption.value);
    if (!bounds.has_value()) return false;
    const Wide values = Wide{1} << assumption.width_bits;
    const Wide least = assumption.is_signed ? -values / 2 : 0;
    return bounds->least >= least && bounds->most < least + values;
  }

  std::optional<Bounds> BoundsOf(const ptx::Polynomial& polynomial) const {
    Bounds sum;
    for (const auto& [monomial, coefficient] : polynomial.terms()) {
      Bounds product{1, 1};
      for (const LaunchSymbol& symbol : monomial) {
        const std::optional<Bounds> factor = BoundsOf(symbol);
        // Factors are not negative and products stay small, so the ends
        // multiply.
        constexpr Wide kLargest = Wide{1} << 62;
        if (!factor.has_value() || factor->least < 0) return std::nullopt;
        product.least *= factor->least;
        product.most *= factor->most;
        if (product.most > kLargest) return std::nullopt;
      }
      const Wide a = product.least * coefficient;
      const Wide b = product.most * coefficient;
      sum.least += std::min(a, b);
      sum.most += std::max(a, b);
    }
    return sum;
  }

  std::optional<Bounds> BoundsOf(const LaunchSymbol& symbol) const {
    switch (symbol.kind) {
      case LaunchSymbol::Kind::kTid:
        return Below(node_.block[symbol.index]);
      case LaunchSymbol::Kind::kCtaid:
        return Below(node_.grid[symbol.index]);
      case LaunchSymbol::Kind::kNtid:
        return ValueOf(node_.block[symbol.index]);
      case LaunchSymbol::Kind::kNctaid:
        return ValueOf(node_.grid[symbol.index]);
      case LaunchSymbol::Kind::kParameter:
        return ValueOf(symbol);
      case LaunchSymbol::Kind::kInduction:
        return std::nullopt;  // counts to where the loop's condition ends it
    }
    return std::nullopt;
  }

  std::optional<Bounds> ValueOf(const LaunchDimension& dimension) const {
    if (!dimension.parameter.valid()) {
      return Bounds{dimension.value, dimension.value};
    }
    return RangeOf(graph_.parameter(dimension.parameter));
  }

  std::optional<Bounds> Below(const LaunchDimension& dimension) const {
    const std::optional<Bounds> extent = ValueOf(dimension);
    if (!extent.has_value()) return std::nullopt;
    return Bounds{0, extent->most - 1};
  }

  std::optional<Bounds> ValueOf(const LaunchSymbol& symbol) const {
    if (symbol.offset_bytes != 0 || symbol.index >= node_.args.size()) {
      return std::nullopt;
    }
    const Argument& argument = node_.args[symbol.index];
    if (const auto* scalar = std::get_if<Scalar>(&argument)) {
      return Range(*scalar, *scalar);
    }
    if (const auto* named = std::get_if<ParameterArgument>(&argument)) {
      return RangeOf(graph_.parameter(named->parameter));
    }
    return std::nullopt;
  }

  static std::optional<Bounds> RangeOf(const Parameter& parameter) {
    if (!parameter.minimum || !parameter.maximum) return std::nullopt;
    return Range(*parameter.minimum, *parameter.maximum);
  }

  static std::optional<Bounds> Range(const Scalar& least, const Scalar& most) {
    const std::optional<int64_t> from = least.AsInteger();
    const std::optional<int64_t> to = most.AsInteger();
    // A sign bit may mean something else to the kernel.
    if (!from || !to || *from < 0 || *to < *from) return std::nullopt;
    return Bounds{*from, *to};
  }

  const Graph& graph_;
  const KernelNode& node_;
};

// What is known so far of one direction of one buffer.
struct Span {
  BufferId buffer;
  bool is_write = false;
  uint64_t first = 0;
  uint64_t end = 0;
};

void Widen(std::vector<Span>& spans, const Span& span) {
  for (Span& other : spans) {
    if (other.buffer != span.buffer || other.is_write != span.is_write)
      continue;
    other.first = std::min(other.first, span.first);
    other.end = std::max(other.end, span.end);
    return;
  }
  spans.push_back(span);
}

}  // namespace

std::optional<BufferRoot> RootOf(const Argument& argument,
                                 uint32_t offset_bytes) {
  if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
    if (offset_bytes != 0) return std::nullopt;
    return BufferRoot{buffer->buffer, buffer->offset_bytes};
  }
  if (const auto* bytes = std::get_if<BytesArgument>(&argument)) {
    for (const BytesArgument::Relocation& relocation : bytes->relocations) {
      if (relocation.offset_bytes == offset_bytes) {
        return BufferRoot{relocation.buffer, relocation.buffer_offset_bytes};
      }
    }
  }
  return std::nullopt;
}

FlowGraph::AccessList DeriveAccesses(const Graph& graph, const KernelNode& node,
                                     const ptx::KernelFacts& facts) {
  const Launch launch(graph, node);
  std::vector<Span> spans;
  const auto whole = [&](BufferId buffer, bool is_write) {
    Widen(spans, {buffer, is_write, 0, graph.buffer(buffer).size_bytes});
  };
  for (const ptx::MemoryAccess& access : facts.accesses) {
    if (!access.parameter.has_value()) continue;
    const std::optional<BufferRoot> root =
        RootOf(node.args[*access.parameter], access.parameter_offset_bytes);
    if (!root.has_value()) continue;
    const Wide size = graph.buffer(root->buffer).size_bytes;
    const std::optional<Bounds> bytes = launch.BytesOf(access);
    // The bound leaves out the kernel's own guard, so it may pass the buffer's
    // end; what lies beyond is a fault at run time.
    const Wide first = bytes ? bytes->least + root->offset_bytes : 0;
    const Wide end =
        bytes ? std::min<Wide>(bytes->most + root->offset_bytes, size) : 0;
    if (first < 0 || first >= end) {
      whole(root->buffer, access.is_store);
      continue;
    }
    Widen(spans, {root->buffer, access.is_store, static_cast<uint64_t>(first),
                  static_cast<uint64_t>(end)});
  }
  for (size_t i = 0; i < facts.escapes.size() && i < node.args.size(); ++i) {
    if (!facts.escapes[i]) continue;
    const auto both = [&](BufferId buffer) {
      whole(buffer, false);
      whole(buffer, true);
    };
    if (const auto* buffer = std::get_if<BufferArgument>(&node.args[i])) {
      both(buffer->buffer);
    } else if (const auto* bytes = std::get_if<BytesArgument>(&node.args[i])) {
      for (const auto& relocation : bytes->relocations) both(relocation.buffer);
    }
  }
  FlowGraph::AccessList accesses;
  for (const Span& span : spans) {
    accesses.push_back(
        {span.buffer,
         {.offset_bytes = span.first, .width_bytes = span.end - span.first},
         span.is_write ? AccessKind::kMayWrite : AccessKind::kMayRead});
  }
  return accesses;
}

}  // namespace graphd
