#include "core/graph/graph_builder.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/graph/validation.h"

namespace graphd {

KernelNode& KernelFields::node() {
  return std::get<KernelNode>(builder_.graph_.nodes[id_.index()].body);
}

KernelFields& KernelFields::Grid(uint32_t x, uint32_t y, uint32_t z) {
  node().grid = {LaunchDimension{x, {}}, {y, {}}, {z, {}}};
  return *this;
}

KernelFields& KernelFields::Block(uint32_t x, uint32_t y, uint32_t z) {
  node().block = {LaunchDimension{x, {}}, {y, {}}, {z, {}}};
  return *this;
}

KernelFields& KernelFields::GridParameter(size_t axis,
                                          absl::string_view parameter) {
  GRAPHD_CHECK(axis < 3);
  const std::string path = At(At("nodes", id_.index()), "grid", axis);
  node().grid[axis] = {1, builder_.FindParameter(parameter, path)};
  return *this;
}

KernelFields& KernelFields::BlockParameter(size_t axis,
                                           absl::string_view parameter) {
  GRAPHD_CHECK(axis < 3);
  const std::string path = At(At("nodes", id_.index()), "block", axis);
  node().block[axis] = {1, builder_.FindParameter(parameter, path)};
  return *this;
}

KernelFields& KernelFields::SharedBytes(uint32_t bytes) {
  node().shared_bytes = bytes;
  return *this;
}

KernelFields& KernelFields::Buffer(absl::string_view buffer,
                                   uint64_t offset_bytes) {
  const std::string path =
      At(At("nodes", id_.index()), "args", node().args.size());
  node().args.push_back(
      BufferArgument{builder_.FindBuffer(buffer, path), offset_bytes});
  return *this;
}

KernelFields& KernelFields::Value(Scalar value) {
  node().args.push_back(value);
  return *this;
}

KernelFields& KernelFields::Parameter(absl::string_view parameter) {
  const std::string path =
      At(At("nodes", id_.index()), "args", node().args.size());
  node().args.push_back(
      ParameterArgument{builder_.FindParameter(parameter, path)});
  return *this;
}

KernelFields& KernelFields::Struct(std::string bytes,
                                   std::vector<Pointer> pointers) {
  const std::string path =
      At(At("nodes", id_.index()), "args", node().args.size());
  BytesArgument argument{.bytes = std::move(bytes), .relocations = {}};
  for (size_t i = 0; i < pointers.size(); ++i) {
    argument.relocations.push_back(
        {.offset_bytes = pointers[i].offset_bytes,
         .buffer = builder_.FindBuffer(pointers[i].buffer,
                                       At(path, "relocations", i)),
         .buffer_offset_bytes = pointers[i].buffer_offset_bytes});
  }
  node().args.push_back(std::move(argument));
  return *this;
}

KernelFields& KernelFields::Accesses(absl::string_view buffer, AccessKind kind,
                                     std::optional<ByteRange> range) {
  const std::string path = At(Field(At("nodes", id_.index()), "accesses"),
                              "accesses", node().accesses.size());
  const BufferId id = builder_.FindBuffer(buffer, path);
  ByteRange whole;
  if (id.valid()) whole.width_bytes = builder_.graph_.buffer(id).size_bytes;
  node().accesses_declared = true;
  node().accesses.push_back({id, range.value_or(whole), kind});
  return *this;
}

KernelFields& KernelFields::AccessesNothing() {
  node().accesses_declared = true;
  return *this;
}

GraphBuilder& GraphBuilder::Describe(std::string description) {
  graph_.description = std::move(description);
  return *this;
}

GraphBuilder& GraphBuilder::Order(GraphOrder order) {
  graph_.order = order;
  return *this;
}

GraphBuilder& GraphBuilder::AddTyped(std::string name, BufferRole role,
                                     ScalarType type, Shape shape,
                                     MemorySpace space) {
  return Add(graphd::Buffer{.name = std::move(name),
                            .role = role,
                            .space = space,
                            .size_bytes = 0,
                            .element_type = type,
                            .shape = std::move(shape)});
}

GraphBuilder& GraphBuilder::Input(std::string name, ScalarType type,
                                  Shape shape, MemorySpace space) {
  return AddTyped(std::move(name), BufferRole::kInput, type, std::move(shape),
                  space);
}

GraphBuilder& GraphBuilder::Output(std::string name, ScalarType type,
                                   Shape shape, MemorySpace space) {
  return AddTyped(std::move(name), BufferRole::kOutput, type, std::move(shape),
                  space);
}

GraphBuilder& GraphBuilder::Transient(std::string name, ScalarType type,
                                      Shape shape, MemorySpace space) {
  return AddTyped(std::move(name), BufferRole::kTransient, type,
                  std::move(shape), space);
}

GraphBuilder& GraphBuilder::Add(graphd::Buffer buffer) {
  if (buffer.size_bytes == 0 && buffer.element_type.has_value() &&
      !buffer.shape.empty()) {
    buffer.size_bytes =
        ShapeBytes(*buffer.element_type, buffer.shape).value_or(0);
  }
  buffers_.Declare(buffer.name, graph_.buffers.size());
  graph_.buffers.push_back(std::move(buffer));
  return *this;
}

GraphBuilder& GraphBuilder::CudaSource(
    std::string name, std::string source, std::vector<std::string> options,
    std::vector<std::string> name_expressions) {
  modules_.Declare(name, graph_.modules.size());
  graph_.modules.push_back({std::move(name), ModuleKind::kCudaSource,
                            std::move(source), std::move(options),
                            std::move(name_expressions)});
  return *this;
}

GraphBuilder& GraphBuilder::Ptx(std::string name, std::string text) {
  modules_.Declare(name, graph_.modules.size());
  graph_.modules.push_back(
      {std::move(name), ModuleKind::kPtx, std::move(text), {}, {}});
  return *this;
}

GraphBuilder& GraphBuilder::Cubin(std::string name, std::string bytes) {
  modules_.Declare(name, graph_.modules.size());
  graph_.modules.push_back(
      {std::move(name), ModuleKind::kCubin, std::move(bytes), {}, {}});
  return *this;
}

GraphBuilder& GraphBuilder::Parameter(std::string name, Scalar default_value,
                                      std::optional<Scalar> minimum,
                                      std::optional<Scalar> maximum) {
  return Add(graphd::Parameter{std::move(name), default_value.type,
                               default_value, minimum, maximum});
}

GraphBuilder& GraphBuilder::Add(graphd::Parameter parameter) {
  parameters_.Declare(parameter.name, graph_.parameters.size());
  graph_.parameters.push_back(std::move(parameter));
  return *this;
}

NodeId GraphBuilder::AddNode(std::string name, NodeBody body) {
  graph_.nodes.push_back({std::move(name), std::move(body), {}, {}});
  return NodeId(graph_.nodes.size() - 1);
}

KernelFields GraphBuilder::Kernel(std::string name, absl::string_view module,
                                  std::string function) {
  KernelNode node;
  node.module =
      FindModule(module, Field(At("nodes", graph_.nodes.size()), "module"));
  node.function = std::move(function);
  return KernelFields(*this, AddNode(std::move(name), std::move(node)));
}

CopyEnd GraphBuilder::ResolveEnd(const End& end, bool is_rows,
                                 const std::string& path) {
  CopyEnd result;
  if (end.symbol.empty()) {
    result.place = FindBuffer(end.name, Field(path, "buffer"));
  } else {
    result.place = ModuleSymbol{
        FindModule(end.name, Field(path, "symbol.module")), end.symbol};
  }
  result.offset_bytes = end.offset_bytes;
  result.pitch_bytes = is_rows ? end.pitch_bytes : 0;
  return result;
}

PlainFields GraphBuilder::Copy(std::string name, absl::string_view src,
                               absl::string_view dst, uint64_t bytes) {
  return Copy2D(std::move(name), End{std::string(src)}, End{std::string(dst)},
                bytes, 1);
}

PlainFields GraphBuilder::Copy2D(std::string name, const End& src,
                                 const End& dst, uint64_t width_bytes,
                                 uint64_t height) {
  const std::string path = At("nodes", graph_.nodes.size());
  MemcpyNode node{.src = ResolveEnd(src, height > 1, Field(path, "src")),
                  .dst = ResolveEnd(dst, height > 1, Field(path, "dst")),
                  .width_bytes = width_bytes,
                  .height = height};
  return PlainFields(*this, AddNode(std::move(name), std::move(node)));
}

PlainFields GraphBuilder::Fill(std::string name, absl::string_view buffer,
                               uint8_t value) {
  MemsetNode fill{.pattern = value};
  // FindBuffer in Fill2D reports an unknown name.
  Violations ignored;
  const auto id = buffers_.Find<BufferId>(buffer, "", ignored);
  fill.width = id.valid() ? graph_.buffer(id).size_bytes : 1;
  return Fill2D(std::move(name), buffer, fill);
}

PlainFields GraphBuilder::Fill2D(std::string name, absl::string_view buffer,
                                 MemsetNode fill) {
  fill.dst =
      FindBuffer(buffer, Field(At("nodes", graph_.nodes.size()), "buffer"));
  if (fill.height <= 1) fill.pitch_bytes = 0;
  return PlainFields(*this, AddNode(std::move(name), fill));
}

PlainFields GraphBuilder::Empty(std::string name) {
  return PlainFields(*this, AddNode(std::move(name), EmptyNode{}));
}

GraphBuilder& GraphBuilder::Dep(absl::string_view before,
                                absl::string_view after) {
  order_.emplace_back(std::string(before), std::string(after));
  return *this;
}

GraphBuilder& GraphBuilder::Chain(const std::vector<std::string>& nodes) {
  for (size_t i = 1; i < nodes.size(); ++i) Dep(nodes[i - 1], nodes[i]);
  return *this;
}

GraphBuilder& GraphBuilder::FanOut(absl::string_view before,
                                   const std::vector<std::string>& after) {
  for (const std::string& node : after) Dep(before, node);
  return *this;
}

GraphBuilder& GraphBuilder::FanIn(const std::vector<std::string>& before,
                                  absl::string_view after) {
  for (const std::string& node : before) Dep(node, after);
  return *this;
}

BufferId GraphBuilder::FindBuffer(absl::string_view name,
                                  absl::string_view path) {
  return buffers_.Find<BufferId>(name, path, violations_);
}

ParameterId GraphBuilder::FindParameter(absl::string_view name,
                                        absl::string_view path) {
  return parameters_.Find<ParameterId>(name, path, violations_);
}

ModuleId GraphBuilder::FindModule(absl::string_view name,
                                  absl::string_view path) {
  return modules_.Find<ModuleId>(name, path, violations_);
}

void GraphBuilder::ResolveOrder() {
  NameTable nodes("node");
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    nodes.Declare(graph_.nodes[i].name, i);
  }
  for (const auto& [id, before] : after_) {
    std::vector<NodeId>& after = graph_.nodes[id.index()].after;
    const std::string path = At(At("nodes", id.index()), "after", after.size());
    after.push_back(nodes.Find<NodeId>(before, path, violations_));
  }
  for (const auto& [before, after] : order_) {
    // The same edge from Chain and FanIn is no mistake; one is enough.
    const NodeId last = nodes.Find<NodeId>(after, "order", violations_);
    const NodeId first = nodes.Find<NodeId>(before, "order", violations_);
    if (!first.valid() || !last.valid()) continue;
    graph_.nodes[last.index()].after.push_back(first);
  }
  for (Node& node : graph_.nodes) {
    std::vector<NodeId>& after = node.after;
    if (after.size() < 2) continue;
    std::sort(after.begin(), after.end());
    after.erase(std::unique(after.begin(), after.end()), after.end());
  }
}

absl::StatusOr<Graph> GraphBuilder::Build(const GraphLimits& limits) {
  GenerateNodeNames(graph_.nodes);
  ResolveOrder();
  Validate(graph_, limits, violations_);
  Graph graph = std::move(graph_);
  const Violations found = std::move(violations_);
  *this = GraphBuilder();
  violations_ = found;
  if (!found.empty()) return found.ToStatus("the graph");
  return graph;
}

}  // namespace graphd
