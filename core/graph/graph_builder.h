// Builds a Graph in code, by names.
//
//   GraphBuilder b;
//   b.Input("x", ScalarType::kF32, {n}).Transient("t", ScalarType::kF32, {n})
//       .Output("y", ScalarType::kF32, {n});
//   b.CudaSource("kernels", source).Parameter("a", Scalar::F32(0.5f));
//   b.Kernel("relu", "kernels", "relu").Grid(blocks).Block(256)
//       .Buffer("x").Buffer("t").Value(Scalar::S32(n));
//   absl::StatusOr<Graph> graph = b.Build();
//
// Buffers, modules and parameters are declared before the nodes that use them;
// order may name nodes that come later. Nothing fails until Build, which
// reports every finding.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_GRAPH_GRAPH_BUILDER_H_
#define GRAPHD_CORE_GRAPH_GRAPH_BUILDER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/graph/graph.h"
#include "core/graph/name_table.h"
#include "core/graph/validate.h"
#include "core/graph/violation.h"

namespace graphd {

class GraphBuilder;

// Fields that every node has; a node's name is set when it is added.
template <typename Self>
class NodeFields {
 public:
  Self& After(absl::string_view before);
  Self& WithHints(Hints hints);
  NodeId id() const { return id_; }

 protected:
  NodeFields(GraphBuilder& builder, NodeId id) : builder_(builder), id_(id) {}
  GraphBuilder& builder_;
  NodeId id_;
};

// A kernel node that is being described; valid until the builder goes.
class KernelFields : public NodeFields<KernelFields> {
 public:
  struct Pointer {
    uint64_t offset_bytes;  // inside the struct
    std::string buffer;
    uint64_t buffer_offset_bytes = 0;
  };

  KernelFields(GraphBuilder& builder, NodeId id) : NodeFields(builder, id) {}

  KernelFields& Grid(uint32_t x, uint32_t y = 1, uint32_t z = 1);
  KernelFields& Block(uint32_t x, uint32_t y = 1, uint32_t z = 1);
  // `axis`: 0, 1 or 2. Requires: axis < 3.
  KernelFields& GridParameter(size_t axis, absl::string_view parameter);
  KernelFields& BlockParameter(size_t axis, absl::string_view parameter);
  KernelFields& SharedBytes(uint32_t bytes);

  // The next argument.
  KernelFields& Buffer(absl::string_view buffer, uint64_t offset_bytes = 0);
  KernelFields& Value(Scalar value);
  KernelFields& Parameter(absl::string_view parameter);
  KernelFields& Struct(std::string bytes, std::vector<Pointer> pointers = {});

  // A declared access; the first one makes the declaration complete, so that
  // nothing is derived from the PTX. Without a range: the whole buffer.
  KernelFields& Accesses(absl::string_view buffer, AccessKind kind,
                         std::optional<ByteRange> range = std::nullopt);
  // Declares that the kernel touches nothing.
  KernelFields& AccessesNothing();

 private:
  KernelNode& node();
};

// Any other node that is being described.
class PlainFields : public NodeFields<PlainFields> {
 public:
  PlainFields(GraphBuilder& builder, NodeId id) : NodeFields(builder, id) {}
};

class GraphBuilder {
 public:
  using Shape = std::vector<uint64_t>;

  // One end of a copy; `symbol` set: a variable of module `name`.
  struct End {
    std::string name;
    uint64_t offset_bytes = 0;
    uint64_t pitch_bytes = 0;
    std::string symbol = {};
  };

  GraphBuilder& Describe(std::string description);
  GraphBuilder& Order(GraphOrder order);

  GraphBuilder& Input(std::string name, ScalarType type, Shape shape,
                      MemorySpace space = MemorySpace::kDevice);
  GraphBuilder& Output(std::string name, ScalarType type, Shape shape,
                       MemorySpace space = MemorySpace::kDevice);
  GraphBuilder& Transient(std::string name, ScalarType type, Shape shape,
                          MemorySpace space = MemorySpace::kDevice);
  // A buffer in every detail; a size of 0 follows from type and shape.
  GraphBuilder& Add(Buffer buffer);
  GraphBuilder& CudaSource(std::string name, std::string source,
                           std::vector<std::string> options = {},
                           std::vector<std::string> name_expressions = {});
  GraphBuilder& Ptx(std::string name, std::string text);
  GraphBuilder& Cubin(std::string name, std::string bytes);
  GraphBuilder& Parameter(std::string name, Scalar default_value,
                          std::optional<Scalar> minimum = std::nullopt,
                          std::optional<Scalar> maximum = std::nullopt);
  GraphBuilder& Add(graphd::Parameter parameter);

  // Nodes, in declaration order; an empty name is generated ("kernel3").
  KernelFields Kernel(std::string name, absl::string_view module,
                      std::string function);
  PlainFields Copy(std::string name, absl::string_view src,
                   absl::string_view dst, uint64_t bytes);
  PlainFields Copy2D(std::string name, const End& src, const End& dst,
                     uint64_t width_bytes, uint64_t height);
  // Fills the whole buffer with a pattern of one byte.
  PlainFields Fill(std::string name, absl::string_view buffer, uint8_t value);
  // `fill.dst` follows from `buffer`.
  PlainFields Fill2D(std::string name, absl::string_view buffer,
                     MemsetNode fill);
  PlainFields Empty(std::string name);

  // Order that no access shows.
  GraphBuilder& Dep(absl::string_view before, absl::string_view after);
  // Each after the one before it.
  GraphBuilder& Chain(const std::vector<std::string>& nodes);
  // All of `after` after `before`.
  GraphBuilder& FanOut(absl::string_view before,
                       const std::vector<std::string>& after);
  // `after` after all of `before`.
  GraphBuilder& FanIn(const std::vector<std::string>& before,
                      absl::string_view after);

  // The graph; the builder is empty afterwards.
  // Errors: INVALID_ARGUMENT with every finding.
  absl::StatusOr<Graph> Build(const GraphLimits& limits = {});

  // What the last Build found.
  const Violations& violations() const { return violations_; }

 private:
  template <typename Self>
  friend class NodeFields;
  friend class KernelFields;

  GraphBuilder& AddTyped(std::string name, BufferRole role, ScalarType type,
                         Shape shape, MemorySpace space);
  NodeId AddNode(std::string name, NodeBody body);
  BufferId FindBuffer(absl::string_view name, absl::string_view path);
  ParameterId FindParameter(absl::string_view name, absl::string_view path);
  ModuleId FindModule(absl::string_view name, absl::string_view path);
  CopyEnd ResolveEnd(const End& end, bool is_rows, const std::string& path);
  void ResolveOrder();

  Graph graph_;
  Violations violations_;
  NameTable buffers_{"buffer"};
  NameTable modules_{"module"};
  NameTable parameters_{"parameter"};
  // Resolved by Build, because they may name nodes that come later.
  std::vector<std::pair<NodeId, std::string>> after_;       // node, before
  std::vector<std::pair<std::string, std::string>> order_;  // before, after
};

template <typename Self>
Self& NodeFields<Self>::After(absl::string_view before) {
  builder_.after_.push_back({id_, std::string(before)});
  return static_cast<Self&>(*this);
}

template <typename Self>
Self& NodeFields<Self>::WithHints(Hints hints) {
  builder_.graph_.nodes[id_.index()].hints = std::move(hints);
  return static_cast<Self&>(*this);
}

}  // namespace graphd

#endif  // GRAPHD_CORE_GRAPH_GRAPH_BUILDER_H_
