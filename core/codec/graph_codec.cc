#include "core/codec/graph_codec.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/codec/scalar_codec.h"
#include "core/graph/name_table.h"

namespace graphd {
namespace {

std::string At(absl::string_view list, int index) {
  return absl::StrCat(list, "[", index, "]");
}

std::string At(absl::string_view path, absl::string_view list, int index) {
  return absl::StrCat(path, ".", list, "[", index, "]");
}

// Reads one message; what it cannot read becomes a finding and a value that
// Validate has nothing more to say about.
class GraphReader {
 public:
  GraphReader(const v1::Graph& message, Violations& violations)
      : message_(message), violations_(violations) {}

  Graph Read();

 private:
  void Add(absl::string_view path, const absl::AlphaNum& message) {
    violations_.Add(std::string(path), std::string(message.Piece()));
  }
  void ReadBuffer(const v1::Buffer& from, const std::string& path);
  void ReadModule(const v1::Module& from, const std::string& path);
  void ReadParameter(const v1::Parameter& from, const std::string& path);
  void ReadNode(const v1::Node& from, const std::string& path);
  std::optional<Scalar> ReadScalar(const v1::Scalar& from,
                                   const std::string& path);
  KernelNode ReadKernel(const v1::KernelNode& from, const std::string& path);
  Argument ReadArgument(const v1::Argument& from, const std::string& path);
  Access ReadAccess(const v1::Access& from, const std::string& path);
  LaunchShape ReadShape(
      const google::protobuf::RepeatedPtrField<v1::Dimension>& from,
      absl::string_view noun, const std::string& path);
  MemcpyNode ReadMemcpy(const v1::MemcpyNode& from, const std::string& path);
  CopyEnd ReadEnd(const v1::CopyEnd& from, bool has_rows,
                  const std::string& path);
  MemsetNode ReadMemset(const v1::MemsetNode& from, const std::string& path);
  void ReadAfter();

  const v1::Graph& message_;
  Violations& violations_;
  Graph graph_;
  NameTable buffers_{"buffer"};
  NameTable modules_{"module"};
  NameTable parameters_{"parameter"};
};

void GraphReader::ReadBuffer(const v1::Buffer& from, const std::string& path) {
  Buffer buffer;
  buffer.name = from.name();
  buffer.size_bytes = from.size_bytes();
  buffer.shape.assign(from.shape().begin(), from.shape().end());
  switch (from.role()) {
    case v1::Buffer::ROLE_INPUT:
      buffer.role = BufferRole::kInput;
      break;
    case v1::Buffer::ROLE_OUTPUT:
      buffer.role = BufferRole::kOutput;
      break;
    case v1::Buffer::ROLE_TRANSIENT:
      buffer.role = BufferRole::kTransient;
      break;
    case v1::Buffer::ROLE_UNSPECIFIED:
      Add(absl::StrCat(path, ".role"),
          "is missing; expected INPUT, OUTPUT or TRANSIENT");
      break;
    default:
      Add(absl::StrCat(path, ".role"),
          absl::StrCat("is the unknown number ", static_cast<int>(from.role()),
                       "; expected INPUT, OUTPUT or TRANSIENT"));
  }
  switch (from.space()) {
    case v1::Buffer::SPACE_UNSPECIFIED:
    case v1::Buffer::SPACE_DEVICE:
      buffer.space = MemorySpace::kDevice;
      break;
    case v1::Buffer::SPACE_HOST:
      buffer.space = MemorySpace::kHost;
      break;
    default:
      Add(absl::StrCat(path, ".space"),
          absl::StrCat("is the unknown number ", static_cast<int>(from.space()),
                       "; expected DEVICE or HOST"));
  }
  buffer.element_type = ScalarTypeFromProto(from.element_type());
  if (!buffer.element_type.has_value() &&
      from.element_type() != v1::SCALAR_TYPE_UNSPECIFIED) {
    Add(absl::StrCat(path, ".element_type"),
        absl::StrCat("is the unknown number ",
                     static_cast<int>(from.element_type())));
    buffer.shape.clear();
  }
  if (buffer.size_bytes == 0 && buffer.element_type.has_value() &&
      !buffer.shape.empty()) {
    buffer.size_bytes =
        ShapeBytes(*buffer.element_type, buffer.shape).value_or(0);
  }
  graph_.buffers.push_back(std::move(buffer));
}

void GraphReader::ReadModule(const v1::Module& from, const std::string& path) {
  Module module;
  module.name = from.name();
  module.options.assign(from.options().begin(), from.options().end());
  module.name_expressions.assign(from.name_expressions().begin(),
                                 from.name_expressions().end());
  switch (from.code_case()) {
    case v1::Module::kCudaSource:
      module.kind = ModuleKind::kCudaSource;
      module.code = from.cuda_source();
      break;
    case v1::Module::kPtx:
      module.kind = ModuleKind::kPtx;
      module.code = from.ptx();
      break;
    case v1::Module::kCubin:
      module.kind = ModuleKind::kCubin;
      module.code = from.cubin();
      break;
    case v1::Module::kFile:
      Add(absl::StrCat(path, ".file"),
          "is read by clients only; send the code itself");
      break;
    case v1::Module::CODE_NOT_SET:
      Add(absl::StrCat(path, ".code"),
          "is missing; expected cuda_source, ptx or cubin");
  }
  graph_.modules.push_back(std::move(module));
}

std::optional<Scalar> GraphReader::ReadScalar(const v1::Scalar& from,
                                              const std::string& path) {
  const absl::StatusOr<Scalar> scalar = ScalarFromProto(from);
  if (scalar.ok()) return *scalar;
  Add(path, scalar.status().message());
  return std::nullopt;
}

void GraphReader::ReadParameter(const v1::Parameter& from,
                                const std::string& path) {
  Parameter parameter;
  parameter.name = from.name();
  const std::optional<ScalarType> type = ScalarTypeFromProto(from.type());
  if (type.has_value()) {
    parameter.type = *type;
  } else {
    Add(absl::StrCat(path, ".type"),
        from.type() == v1::SCALAR_TYPE_UNSPECIFIED
            ? std::string("is missing")
            : absl::StrCat("is the unknown number ",
                           static_cast<int>(from.type())));
  }
  const auto read = [&](bool has, const v1::Scalar& value,
                        absl::string_view field) {
    // Without a type of its own, a value is not compared with it.
    std::optional<Scalar> scalar;
    if (has) scalar = ReadScalar(value, absl::StrCat(path, ".", field));
    if (!type.has_value()) scalar.reset();
    return scalar;
  };
  parameter.default_value =
      read(from.has_default_value(), from.default_value(), "default_value");
  parameter.minimum = read(from.has_minimum(), from.minimum(), "minimum");
  parameter.maximum = read(from.has_maximum(), from.maximum(), "maximum");
  graph_.parameters.push_back(std::move(parameter));
}

LaunchShape GraphReader::ReadShape(
    const google::protobuf::RepeatedPtrField<v1::Dimension>& from,
    absl::string_view noun, const std::string& path) {
  LaunchShape shape;
  const std::string field = absl::StrCat(path, ".", noun);
  if (from.empty()) Add(field, "is missing; expected 1 to 3 dimensions");
  if (from.size() > 3) {
    Add(field,
        absl::StrCat("has ", from.size(), " dimensions; expected 1 to 3"));
  }
  for (int i = 0; i < std::min(from.size(), 3); ++i) {
    const v1::Dimension& dimension = from[i];
    if (dimension.source_case() == v1::Dimension::kParameter) {
      shape[i].parameter = parameters_.Find<ParameterId>(
          dimension.parameter(), At(field, i), violations_);
    } else {
      shape[i].value = dimension.value();
    }
  }
  return shape;
}

Argument GraphReader::ReadArgument(const v1::Argument& from,
                                   const std::string& path) {
  switch (from.value_case()) {
    case v1::Argument::kBuffer:
      return BufferArgument{
          buffers_.Find<BufferId>(from.buffer().name(), path, violations_),
          from.buffer().offset_bytes()};
    case v1::Argument::kScalar:
      return ReadScalar(from.scalar(), path).value_or(Scalar{});
    case v1::Argument::kParameter:
      return ParameterArgument{
          parameters_.Find<ParameterId>(from.parameter(), path, violations_)};
    case v1::Argument::kBytes: {
      BytesArgument bytes{.bytes = from.bytes().data(), .relocations = {}};
      for (int i = 0; i < from.bytes().relocations_size(); ++i) {
        const auto& relocation = from.bytes().relocations(i);
        bytes.relocations.push_back(
            {.offset_bytes = relocation.offset_bytes(),
             .buffer = buffers_.Find<BufferId>(
                 relocation.buffer(), At(path, "relocations", i), violations_),
             .buffer_offset_bytes = relocation.buffer_offset_bytes()});
      }
      return bytes;
    }
    case v1::Argument::VALUE_NOT_SET:
      break;
  }
  Add(path, "is empty; expected buffer, scalar, parameter or bytes");
  return Scalar{};
}

Access GraphReader::ReadAccess(const v1::Access& from,
                               const std::string& path) {
  Access access;
  access.buffer = buffers_.Find<BufferId>(from.buffer(), path, violations_);
  switch (from.kind()) {
    case v1::Access::KIND_MAY_READ:
      access.kind = AccessKind::kMayRead;
      break;
    case v1::Access::KIND_MAY_WRITE:
      access.kind = AccessKind::kMayWrite;
      break;
    case v1::Access::KIND_MUST_WRITE:
      access.kind = AccessKind::kMustWrite;
      break;
    default:
      Add(absl::StrCat(path, ".kind"),
          from.kind() == v1::Access::KIND_UNSPECIFIED
              ? std::string("is missing; expected MAY_READ, MAY_WRITE or "
                            "MUST_WRITE")
              : absl::StrCat("is the unknown number ",
                             static_cast<int>(from.kind())));
  }
  access.range.offset_bytes = from.offset_bytes();
  access.range.width_bytes = from.width_bytes();
  access.range.rows = std::max<uint64_t>(from.rows(), 1);
  access.range.pitch_bytes = access.range.rows > 1 ? from.pitch_bytes() : 0;
  if (from.width_bytes() == 0 && access.buffer.valid()) {
    const uint64_t size = graph_.buffer(access.buffer).size_bytes;
    if (from.offset_bytes() < size) {
      access.range.width_bytes = size - from.offset_bytes();
    }
  }
  return access;
}

KernelNode GraphReader::ReadKernel(const v1::KernelNode& from,
                                   const std::string& path) {
  KernelNode kernel;
  kernel.module = modules_.Find<ModuleId>(
      from.module(), absl::StrCat(path, ".module"), violations_);
  kernel.function = from.function();
  kernel.grid = ReadShape(from.grid(), "grid", path);
  kernel.block = ReadShape(from.block(), "block", path);
  kernel.shared_bytes = from.shared_bytes();
  kernel.args.reserve(from.args_size());
  for (int i = 0; i < from.args_size(); ++i) {
    kernel.args.push_back(ReadArgument(from.args(i), At(path, "args", i)));
  }
  kernel.accesses_declared = from.has_accesses();
  const std::string accesses_path = absl::StrCat(path, ".accesses");
  for (int i = 0; i < from.accesses().accesses_size(); ++i) {
    kernel.accesses.push_back(ReadAccess(from.accesses().accesses(i),
                                         At(accesses_path, "accesses", i)));
  }
  return kernel;
}

CopyEnd GraphReader::ReadEnd(const v1::CopyEnd& from, bool has_rows,
                             const std::string& path) {
  CopyEnd end;
  end.offset_bytes = from.offset_bytes();
  end.pitch_bytes = has_rows ? from.pitch_bytes() : 0;
  if (from.place_case() == v1::CopyEnd::kSymbol) {
    end.place =
        ModuleSymbol{modules_.Find<ModuleId>(
                         from.symbol().module(),
                         absl::StrCat(path, ".symbol.module"), violations_),
                     from.symbol().symbol()};
  } else if (from.place_case() == v1::CopyEnd::kBuffer) {
    end.place = buffers_.Find<BufferId>(
        from.buffer(), absl::StrCat(path, ".buffer"), violations_);
  } else {
    Add(absl::StrCat(path, ".buffer"),
        "is missing; expected a buffer or a module's symbol");
  }
  return end;
}

MemcpyNode GraphReader::ReadMemcpy(const v1::MemcpyNode& from,
                                   const std::string& path) {
  MemcpyNode node;
  node.width_bytes = from.width_bytes();
  node.height = std::max<uint64_t>(from.height(), 1);
  node.src = ReadEnd(from.src(), node.height > 1, absl::StrCat(path, ".src"));
  node.dst = ReadEnd(from.dst(), node.height > 1, absl::StrCat(path, ".dst"));
  return node;
}

MemsetNode GraphReader::ReadMemset(const v1::MemsetNode& from,
                                   const std::string& path) {
  MemsetNode node;
  node.dst = buffers_.Find<BufferId>(
      from.buffer(), absl::StrCat(path, ".buffer"), violations_);
  node.offset_bytes = from.offset_bytes();
  node.pattern = from.pattern();
  node.pattern_bytes = std::max<uint32_t>(from.pattern_bytes(), 1);
  node.width = from.width();
  node.height = std::max<uint64_t>(from.height(), 1);
  node.pitch_bytes = node.height > 1 ? from.pitch_bytes() : 0;
  return node;
}

void GraphReader::ReadNode(const v1::Node& from, const std::string& path) {
  Node node;
  node.name = from.name();
  if (from.has_hints()) {
    const v1::Hints& hints = from.hints();
    if (hints.has_cost_ns()) node.hints.cost_ns = hints.cost_ns();
    if (hints.has_stream()) node.hints.stream = hints.stream();
    if (hints.has_priority()) node.hints.priority = hints.priority();
    if (hints.has_fusible()) node.hints.fusible = hints.fusible();
  }
  switch (from.body_case()) {
    case v1::Node::kKernel:
      node.body = ReadKernel(from.kernel(), path);
      break;
    case v1::Node::kMemcpy:
      node.body = ReadMemcpy(from.memcpy(), path);
      break;
    case v1::Node::kMemset:
      node.body = ReadMemset(from.memset(), path);
      break;
    case v1::Node::kEmpty:
      node.body = EmptyNode{};
      break;
    case v1::Node::BODY_NOT_SET:
      node.body = EmptyNode{};
      Add(path, "has no body; expected kernel, memcpy, memset or empty");
  }
  graph_.nodes.push_back(std::move(node));
}

void GraphReader::ReadAfter() {
  NameTable nodes("node");
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    nodes.Declare(graph_.nodes[i].name, i);
  }
  for (int i = 0; i < message_.nodes_size(); ++i) {
    const v1::Node& from = message_.nodes(i);
    if (from.after().empty()) continue;
    const std::string path = At("nodes", i);
    for (int j = 0; j < from.after_size(); ++j) {
      graph_.nodes[i].after.push_back(
          nodes.Find<NodeId>(from.after(j), At(path, "after", j), violations_));
    }
  }
}

Graph GraphReader::Read() {
  graph_.description = message_.description();
  switch (message_.order()) {
    case v1::Graph::ORDER_UNSPECIFIED:
    case v1::Graph::ORDER_FROM_ACCESSES:
      graph_.order = GraphOrder::kFromAccesses;
      break;
    case v1::Graph::ORDER_EXPLICIT:
      graph_.order = GraphOrder::kExplicit;
      break;
    default:
      Add("order", absl::StrCat("is the unknown number ",
                                static_cast<int>(message_.order()),
                                "; expected FROM_ACCESSES or EXPLICIT"));
  }
  for (int i = 0; i < message_.buffers_size(); ++i) {
    buffers_.Declare(message_.buffers(i).name(), i);
    ReadBuffer(message_.buffers(i), At("buffers", i));
  }
  for (int i = 0; i < message_.modules_size(); ++i) {
    modules_.Declare(message_.modules(i).name(), i);
    ReadModule(message_.modules(i), At("modules", i));
  }
  for (int i = 0; i < message_.parameters_size(); ++i) {
    parameters_.Declare(message_.parameters(i).name(), i);
    ReadParameter(message_.parameters(i), At("parameters", i));
  }
  graph_.nodes.reserve(message_.nodes_size());
  for (int i = 0; i < message_.nodes_size(); ++i) {
    ReadNode(message_.nodes(i), At("nodes", i));
  }
  GenerateNodeNames(graph_.nodes);
  ReadAfter();
  return std::move(graph_);
}

}  // namespace

absl::StatusOr<Graph> GraphFromProto(const v1::Graph& message,
                                     Violations* violations,
                                     const GraphLimits& limits) {
  Violations own;
  Violations& found = violations != nullptr ? *violations : own;
  Graph graph = GraphReader(message, found).Read();
  Validate(graph, limits, found);
  if (!found.empty()) return found.ToStatus("the graph");
  return graph;
}

}  // namespace graphd
