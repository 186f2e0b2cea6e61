#include "core/graph/graph_digest.h"

#include <algorithm>

namespace graphd {
namespace {

// A tag opens each encoding, so that the digest of one kind of thing is never
// that of another, and a change of the encoding changes the tag.
constexpr absl::string_view kGraphTag = "graphd.graph.v1";
constexpr absl::string_view kHintsTag = "graphd.hints.v1";
constexpr absl::string_view kModuleTag = "graphd.module.v1";

// Enumerations are written as these numbers, whatever the C++ values become.
uint8_t Number(BufferRole role) {
  switch (role) {
    case BufferRole::kInput:
      return 1;
    case BufferRole::kOutput:
      return 2;
    case BufferRole::kTransient:
      return 3;
  }
  return 0;
}

uint8_t Number(MemorySpace space) {
  return space == MemorySpace::kDevice ? 1 : 2;
}

uint8_t Number(ModuleKind kind) {
  switch (kind) {
    case ModuleKind::kCudaSource:
      return 1;
    case ModuleKind::kPtx:
      return 2;
    case ModuleKind::kCubin:
      return 3;
  }
  return 0;
}

uint8_t Number(AccessKind kind) {
  switch (kind) {
    case AccessKind::kMayRead:
      return 1;
    case AccessKind::kMayWrite:
      return 2;
    case AccessKind::kMustWrite:
      return 3;
  }
  return 0;
}

uint8_t Number(GraphOrder order) {
  return order == GraphOrder::kFromAccesses ? 1 : 2;
}

// ScalarType's values are part of the encoding; they equal those on the wire.
uint8_t Number(ScalarType type) { return static_cast<uint8_t>(type); }

void Encode(DigestBuilder& out, const std::optional<Scalar>& value) {
  out.U8(value.has_value() ? 1 : 0);
  if (value.has_value()) out.U8(Number(value->type)).U64(value->bits);
}

void Encode(DigestBuilder& out, const Buffer& buffer) {
  out.Bytes(buffer.name)
      .U8(Number(buffer.role))
      .U8(Number(buffer.space))
      .U64(buffer.size_bytes)
      .U8(buffer.element_type.has_value() ? Number(*buffer.element_type) : 0);
  if (!buffer.element_type.has_value()) return;
  // No shape is the same as one dimension.
  if (buffer.shape.empty()) {
    out.U64(1).U64(buffer.size_bytes / SizeBytes(*buffer.element_type));
    return;
  }
  out.U64(buffer.shape.size());
  for (const uint64_t extent : buffer.shape) out.U64(extent);
}

void Encode(DigestBuilder& out, const LaunchShape& shape) {
  for (const LaunchDimension& dimension : shape) {
    if (dimension.parameter.valid()) {
      out.U8(2).U32(dimension.parameter.value());
    } else {
      out.U8(1).U32(dimension.value);
    }
  }
}

void Encode(DigestBuilder& out, const Argument& argument) {
  if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
    out.U8(1).U32(buffer->buffer.value()).U64(buffer->offset_bytes);
  } else if (const auto* scalar = std::get_if<Scalar>(&argument)) {
    out.U8(2).U8(Number(scalar->type)).U64(scalar->bits);
  } else if (const auto* parameter =
                 std::get_if<ParameterArgument>(&argument)) {
    out.U8(3).U32(parameter->parameter.value());
  } else {
    const auto& bytes = std::get<BytesArgument>(argument);
    out.U8(4).Bytes(bytes.bytes).U64(bytes.relocations.size());
    for (const BytesArgument::Relocation& relocation : bytes.relocations) {
      out.U64(relocation.offset_bytes)
          .U32(relocation.buffer.value())
          .U64(relocation.buffer_offset_bytes);
    }
  }
}

void Encode(DigestBuilder& out, const ByteRange& range) {
  out.U64(range.offset_bytes)
      .U64(range.width_bytes)
      .U64(range.rows > 1 ? range.pitch_bytes : 0)
      .U64(range.rows);
}

void Encode(DigestBuilder& out, const KernelNode& node) {
  out.U32(node.module.value()).Bytes(node.function);
  Encode(out, node.grid);
  Encode(out, node.block);
  out.U32(node.shared_bytes).U64(node.args.size());
  for (const Argument& argument : node.args) Encode(out, argument);
  out.U8(node.accesses_declared ? 1 : 0);
  if (!node.accesses_declared) return;
  out.U64(node.accesses.size());
  for (const Access& access : node.accesses) {
    out.U32(access.buffer.value()).U8(Number(access.kind));
    Encode(out, access.range);
  }
}

void Encode(DigestBuilder& out, const CopyEnd& end, bool has_rows) {
  if (const auto* buffer = std::get_if<BufferId>(&end.place)) {
    out.U8(1).U32(buffer->value());
  } else {
    const auto& symbol = std::get<ModuleSymbol>(end.place);
    out.U8(2).U32(symbol.module.value()).Bytes(symbol.symbol);
  }
  out.U64(end.offset_bytes).U64(has_rows ? end.pitch_bytes : 0);
}

void Encode(DigestBuilder& out, const MemcpyNode& node) {
  Encode(out, node.src, node.height > 1);
  Encode(out, node.dst, node.height > 1);
  out.U64(node.width_bytes).U64(node.height);
}

void Encode(DigestBuilder& out, const MemsetNode& node) {
  out.U32(node.dst.value())
      .U64(node.offset_bytes)
      .U32(node.pattern)
      .U32(node.pattern_bytes)
      .U64(node.width)
      .U64(node.height)
      .U64(node.height > 1 ? node.pitch_bytes : 0);
}

void Encode(DigestBuilder&, const EmptyNode&) {}

void Encode(DigestBuilder& out, const Node& node) {
  out.Bytes(node.name).U8(static_cast<uint8_t>(node.body.index() + 1));
  std::visit([&](const auto& body) { Encode(out, body); }, node.body);
  std::vector<NodeId> after = node.after;
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  out.U64(after.size());
  for (const NodeId before : after) out.U32(before.value());
}

}  // namespace

Digest ModuleDigest(const Module& module) {
  DigestBuilder out;
  out.Bytes(kModuleTag).U8(Number(module.kind)).Bytes(module.code);
  out.U64(module.options.size());
  for (const std::string& option : module.options) out.Bytes(option);
  out.U64(module.name_expressions.size());
  for (const std::string& name : module.name_expressions) out.Bytes(name);
  return out.Finish();
}

Digest GraphDigest(const Graph& graph) {
  DigestBuilder out;
  out.Bytes(kGraphTag).U8(Number(graph.order));
  out.U64(graph.buffers.size());
  for (const Buffer& buffer : graph.buffers) Encode(out, buffer);
  out.U64(graph.modules.size());
  for (const Module& module : graph.modules) {
    out.Bytes(module.name).Add(ModuleDigest(module));
  }
  out.U64(graph.parameters.size());
  for (const Parameter& parameter : graph.parameters) {
    out.Bytes(parameter.name).U8(Number(parameter.type));
    Encode(out, parameter.default_value);
    Encode(out, parameter.minimum);
    Encode(out, parameter.maximum);
  }
  out.U64(graph.nodes.size());
  for (const Node& node : graph.nodes) Encode(out, node);
  return out.Finish();
}

Digest HintsDigest(const Graph& graph) {
  DigestBuilder out;
  out.Bytes(kHintsTag).U64(graph.nodes.size());
  const auto encode = [&](const auto& value) {
    out.U8(value.has_value() ? 1 : 0);
    if (value.has_value()) {
      out.U64(static_cast<uint64_t>(static_cast<int64_t>(*value)));
    }
  };
  for (const Node& node : graph.nodes) {
    encode(node.hints.cost_ns);
    encode(node.hints.stream);
    encode(node.hints.priority);
    encode(node.hints.fusible);
  }
  return out.Finish();
}

}  // namespace graphd
