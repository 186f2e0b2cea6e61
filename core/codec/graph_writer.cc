// GraphToProto; graph_codec.cc holds the other direction.
#include "core/codec/graph_codec.h"
#include "core/codec/scalar_codec.h"

namespace graphd {
namespace {

v1::Buffer::Role RoleToProto(BufferRole role) {
  switch (role) {
    case BufferRole::kInput:
      return v1::Buffer::ROLE_INPUT;
    case BufferRole::kOutput:
      return v1::Buffer::ROLE_OUTPUT;
    case BufferRole::kTransient:
      return v1::Buffer::ROLE_TRANSIENT;
  }
  return v1::Buffer::ROLE_UNSPECIFIED;
}

v1::Access::Kind KindToProto(AccessKind kind) {
  switch (kind) {
    case AccessKind::kMayRead:
      return v1::Access::KIND_MAY_READ;
    case AccessKind::kMayWrite:
      return v1::Access::KIND_MAY_WRITE;
    case AccessKind::kMustWrite:
      return v1::Access::KIND_MUST_WRITE;
  }
  return v1::Access::KIND_UNSPECIFIED;
}

void Write(const Buffer& from, v1::Buffer& to) {
  to.set_name(from.name);
  to.set_role(RoleToProto(from.role));
  if (from.space == MemorySpace::kHost) to.set_space(v1::Buffer::SPACE_HOST);
  to.set_size_bytes(from.size_bytes);
  if (from.element_type.has_value()) {
    to.set_element_type(ScalarTypeToProto(*from.element_type));
  }
  to.mutable_shape()->Add(from.shape.begin(), from.shape.end());
}

void Write(const Module& from, v1::Module& to) {
  to.set_name(from.name);
  switch (from.kind) {
    case ModuleKind::kCudaSource:
      to.set_cuda_source(from.code);
      break;
    case ModuleKind::kPtx:
      to.set_ptx(from.code);
      break;
    case ModuleKind::kCubin:
      to.set_cubin(from.code);
      break;
  }
  for (const std::string& option : from.options) to.add_options(option);
  for (const std::string& name : from.name_expressions) {
    to.add_name_expressions(name);
  }
}

void Write(const Parameter& from, v1::Parameter& to) {
  to.set_name(from.name);
  to.set_type(ScalarTypeToProto(from.type));
  if (from.default_value.has_value()) {
    *to.mutable_default_value() = ScalarToProto(*from.default_value);
  }
  if (from.minimum.has_value()) {
    *to.mutable_minimum() = ScalarToProto(*from.minimum);
  }
  if (from.maximum.has_value()) {
    *to.mutable_maximum() = ScalarToProto(*from.maximum);
  }
}

class NodeWriter {
 public:
  explicit NodeWriter(const Graph& graph) : graph_(graph) {}

  void Write(const Node& from, v1::Node& to) const {
    to.set_name(from.name);
    std::visit([&](const auto& body) { WriteBody(body, to); }, from.body);
    for (const NodeId before : from.after) {
      to.add_after(graph_.node(before).name);
    }
    if (from.hints == Hints{}) return;
    v1::Hints& hints = *to.mutable_hints();
    if (from.hints.cost_ns) hints.set_cost_ns(*from.hints.cost_ns);
    if (from.hints.stream) hints.set_stream(*from.hints.stream);
    if (from.hints.priority) hints.set_priority(*from.hints.priority);
    if (from.hints.fusible) hints.set_fusible(*from.hints.fusible);
  }

 private:
  void WriteBody(const KernelNode& from, v1::Node& node) const {
    v1::KernelNode& to = *node.mutable_kernel();
    to.set_module(graph_.module(from.module).name);
    to.set_function(from.function);
    for (const LaunchDimension& dimension : from.grid) {
      WriteDimension(dimension, *to.add_grid());
    }
    for (const LaunchDimension& dimension : from.block) {
      WriteDimension(dimension, *to.add_block());
    }
    to.set_shared_bytes(from.shared_bytes);
    for (const Argument& argument : from.args) {
      WriteArgument(argument, *to.add_args());
    }
    if (!from.accesses_declared) return;
    to.mutable_accesses();
    for (const Access& access : from.accesses) {
      v1::Access& written = *to.mutable_accesses()->add_accesses();
      written.set_buffer(graph_.buffer(access.buffer).name);
      written.set_kind(KindToProto(access.kind));
      written.set_offset_bytes(access.range.offset_bytes);
      written.set_width_bytes(access.range.width_bytes);
      if (access.range.rows > 1) {
        written.set_rows(access.range.rows);
        written.set_pitch_bytes(access.range.pitch_bytes);
      }
    }
  }

  void WriteBody(const MemcpyNode& from, v1::Node& node) const {
    v1::MemcpyNode& to = *node.mutable_memcpy();
    WriteEnd(from.src, from.height > 1, *to.mutable_src());
    WriteEnd(from.dst, from.height > 1, *to.mutable_dst());
    to.set_width_bytes(from.width_bytes);
    if (from.height > 1) to.set_height(from.height);
  }

  void WriteBody(const MemsetNode& from, v1::Node& node) const {
    v1::MemsetNode& to = *node.mutable_memset();
    to.set_buffer(graph_.buffer(from.dst).name);
    to.set_offset_bytes(from.offset_bytes);
    to.set_pattern(from.pattern);
    to.set_pattern_bytes(from.pattern_bytes);
    to.set_width(from.width);
    if (from.height > 1) {
      to.set_height(from.height);
      to.set_pitch_bytes(from.pitch_bytes);
    }
  }

  void WriteBody(const EmptyNode&, v1::Node& node) const {
    node.mutable_empty();
  }

  void WriteDimension(const LaunchDimension& from, v1::Dimension& to) const {
    if (from.parameter.valid()) {
      to.set_parameter(graph_.parameter(from.parameter).name);
    } else {
      to.set_value(from.value);
    }
  }

  void WriteArgument(const Argument& from, v1::Argument& to) const {
    if (const auto* buffer = std::get_if<BufferArgument>(&from)) {
      to.mutable_buffer()->set_name(graph_.buffer(buffer->buffer).name);
      to.mutable_buffer()->set_offset_bytes(buffer->offset_bytes);
    } else if (const auto* scalar = std::get_if<Scalar>(&from)) {
      *to.mutable_scalar() = ScalarToProto(*scalar);
    } else if (const auto* parameter = std::get_if<ParameterArgument>(&from)) {
      to.set_parameter(graph_.parameter(parameter->parameter).name);
    } else {
      const auto& bytes = std::get<BytesArgument>(from);
      to.mutable_bytes()->set_data(bytes.bytes);
      for (const BytesArgument::Relocation& relocation : bytes.relocations) {
        auto& written = *to.mutable_bytes()->add_relocations();
        written.set_offset_bytes(relocation.offset_bytes);
        written.set_buffer(graph_.buffer(relocation.buffer).name);
        written.set_buffer_offset_bytes(relocation.buffer_offset_bytes);
      }
    }
  }

  void WriteEnd(const CopyEnd& from, bool has_rows, v1::CopyEnd& to) const {
    if (const auto* buffer = std::get_if<BufferId>(&from.place)) {
      to.set_buffer(graph_.buffer(*buffer).name);
    } else {
      const auto& symbol = std::get<ModuleSymbol>(from.place);
      to.mutable_symbol()->set_module(graph_.module(symbol.module).name);
      to.mutable_symbol()->set_symbol(symbol.symbol);
    }
    to.set_offset_bytes(from.offset_bytes);
    if (has_rows) to.set_pitch_bytes(from.pitch_bytes);
  }

  const Graph& graph_;
};

}  // namespace

v1::Graph GraphToProto(const Graph& graph) {
  v1::Graph message;
  for (const Buffer& buffer : graph.buffers) {
    Write(buffer, *message.add_buffers());
  }
  for (const Module& module : graph.modules) {
    Write(module, *message.add_modules());
  }
  for (const Parameter& parameter : graph.parameters) {
    Write(parameter, *message.add_parameters());
  }
  const NodeWriter writer(graph);
  for (const Node& node : graph.nodes) writer.Write(node, *message.add_nodes());
  message.set_order(graph.order == GraphOrder::kExplicit
                        ? v1::Graph::ORDER_EXPLICIT
                        : v1::Graph::ORDER_FROM_ACCESSES);
  message.set_description(graph.description);
  return message;
}

}  // namespace graphd
