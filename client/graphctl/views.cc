#include "client/graphctl/views.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "client/graphctl/output.h"
#include "core/codec/scalar_codec.h"

namespace graphd::graphctl {
namespace {

constexpr size_t kShortDigest = 7 + 12;  // "sha256:" and 12 digits

std::string TimeText(const google::protobuf::Timestamp& time) {
  if (time.seconds() == 0) return "-";
  return absl::FormatTime("%Y-%m-%d %H:%M:%S",
                          absl::FromUnixSeconds(time.seconds()),
                          absl::UTCTimeZone()) +
         "Z";
}

std::string NameOf(const v1::NamedRevision& name) {
  return absl::StrCat(name.name(), "@", name.revision());
}

std::string Shape(const google::protobuf::RepeatedField<uint64_t>& shape) {
  return shape.empty() ? "-" : absl::StrJoin(shape, "x");
}

// "ROLE_INPUT" with prefix "ROLE_" is "input".
std::string EnumText(const std::string& name, size_t prefix) {
  return absl::AsciiStrToLower(absl::string_view(name).substr(prefix));
}

std::string KindText(v1::Device::Kind kind) {
  if (!v1::Device::Kind_IsValid(kind)) return absl::StrCat(kind);
  return EnumText(v1::Device::Kind_Name(kind), 5);
}

std::string StateText(v1::Device::State state) {
  if (!v1::Device::State_IsValid(state)) return absl::StrCat(state);
  return EnumText(v1::Device::State_Name(state), 6);
}

std::string ScalarText(const v1::Scalar& message) {
  const auto scalar = ScalarFromProto(message);
  return scalar.ok() ? scalar->ToString() : "?";
}

std::string CodeText(const v1::Module& module) {
  switch (module.code_case()) {
    case v1::Module::kCudaSource:
      return absl::StrCat("CUDA C++, ", Grouped(module.cuda_source().size()),
                          " bytes");
    case v1::Module::kPtx:
      return absl::StrCat("PTX, ", Grouped(module.ptx().size()), " bytes");
    case v1::Module::kCubin:
      return absl::StrCat("binary, ", Grouped(module.cubin().size()), " bytes");
    case v1::Module::kFile:
      return module.file();
    case v1::Module::CODE_NOT_SET:
      break;
  }
  return "-";
}

void AppendDefinition(const v1::Graph& graph, std::string& text) {
  Table buffers({"BUFFER", "ROLE", "SPACE", "TYPE", "SHAPE", "BYTES"});
  buffers.Right(5);
  for (const auto& buffer : graph.buffers()) {
    const bool host = buffer.space() == v1::Buffer::SPACE_HOST;
    buffers.Add({buffer.name(),
                 EnumText(v1::Buffer::Role_Name(buffer.role()), 5),
                 host ? "host" : "device",
                 buffer.element_type() == v1::SCALAR_TYPE_UNSPECIFIED
                     ? "-"
                     : TypeName(buffer.element_type()),
                 Shape(buffer.shape()), Grouped(buffer.size_bytes())});
  }
  absl::StrAppend(&text, "\n", buffers.ToString());
  if (graph.parameters_size() > 0) {
    Table parameters({"PARAMETER", "TYPE", "DEFAULT", "MINIMUM", "MAXIMUM"});
    for (const auto& parameter : graph.parameters()) {
      parameters.Add(
          {parameter.name(), TypeName(parameter.type()),
           parameter.has_default_value() ? ScalarText(parameter.default_value())
                                         : "-",
           parameter.has_minimum() ? ScalarText(parameter.minimum()) : "-",
           parameter.has_maximum() ? ScalarText(parameter.maximum()) : "-"});
    }
    absl::StrAppend(&text, "\n", parameters.ToString());
  }
  if (graph.modules_size() > 0) {
    Table modules({"MODULE", "CODE"});
    for (const auto& module : graph.modules()) {
      modules.Add({module.name(), CodeText(module)});
    }
    absl::StrAppend(&text, "\n", modules.ToString());
  }
}

}  // namespace

std::string GraphName(const v1::GraphRecord& record) {
  return record.names().empty() ? record.digest() : NameOf(record.names(0));
}

std::string DeviceName(const v1::Device& device) { return device.name(); }

std::string GraphTable(const std::vector<v1::GraphRecord>& records, bool wide) {
  Table table(wide ? std::vector<std::string>{"NAME", "DIGEST", "NODES",
                                              "BUFFERS", "INPUTS", "OUTPUTS",
                                              "CREATED"}
                   : std::vector<std::string>{"NAME", "DIGEST", "NODES",
                                              "BUFFERS", "CREATED"});
  table.Right(2).Right(3);
  for (const auto& record : records) {
    std::string names = absl::StrJoin(record.names(), ",",
                                      [](std::string* out, const auto& name) {
                                        absl::StrAppend(out, NameOf(name));
                                      });
    std::vector<std::string> cells = {
        names.empty() ? "-" : std::move(names),
        wide ? record.digest() : record.digest().substr(0, kShortDigest),
        absl::StrCat(record.summary().nodes()),
        absl::StrCat(record.summary().buffers())};
    if (wide) {
      cells.push_back(absl::StrJoin(record.summary().inputs(), ","));
      cells.push_back(absl::StrJoin(record.summary().outputs(), ","));
    }
    cells.push_back(TimeText(record.create_time()));
    table.Add(std::move(cells));
  }
  return table.ToString();
}

std::string DeviceTable(const std::vector<v1::Device>& devices, bool wide) {
  Table table(
      wide ? std::vector<std::string>{"NAME", "KIND", "STATE", "CAPABILITY",
                                      "MEMORY", "RESTARTS", "SMS", "DRIVER",
                                      "PID", "UUID", "PRODUCT"}
           : std::vector<std::string>{"NAME", "KIND", "STATE", "CAPABILITY",
                                      "MEMORY", "RESTARTS", "PRODUCT"});
  table.Right(4).Right(5);
  for (const auto& device : devices) {
    std::vector<std::string> cells = {device.name(),
                                      KindText(device.kind()),
                                      StateText(device.state()),
                                      device.compute_capability(),
                                      HumanBytes(device.memory_bytes()),
                                      absl::StrCat(device.worker_restarts())};
    if (wide) {
      cells.push_back(absl::StrCat(device.sm_count()));
      cells.push_back(absl::StrCat(device.driver_version()));
      cells.push_back(absl::StrCat(device.worker_pid()));
      cells.push_back(device.uuid());
    }
    cells.push_back(device.product());
    table.Add(std::move(cells));
  }
  return table.ToString();
}

std::string KernelTable(const v1::GraphSummary& summary) {
  if (summary.kernels().empty()) return "";
  Table table({"NODE", "KERNEL", "ELEMENT-WISE", "SOFTWARE GPU"});
  for (const auto& kernel : summary.kernels()) {
    table.Add({kernel.node(), kernel.entry(),
               kernel.elementwise()
                   ? "yes"
                   : absl::StrCat("no: ", kernel.not_elementwise_because()),
               kernel.unsupported_in_software().empty()
                   ? "runs"
                   : absl::StrCat("no: ", kernel.unsupported_in_software())});
  }
  return table.ToString();
}

std::string DescribeGraph(const v1::GraphRecord& record) {
  std::string text = absl::StrCat("digest   ", record.digest(), "\n");
  for (const auto& name : record.names()) {
    absl::StrAppend(&text, "name     ", NameOf(name),
                    name.latest() ? "  (latest)\n" : "\n");
  }
  absl::StrAppend(&text, "created  ", TimeText(record.create_time()), "\n");
  if (!record.definition().description().empty()) {
    absl::StrAppend(&text, "about    ", record.definition().description(),
                    "\n");
  }
  const bool is_explicit =
      record.definition().order() == v1::Graph::ORDER_EXPLICIT;
  absl::StrAppend(&text, "order    ",
                  is_explicit ? "explicit" : "from accesses", "\n", "nodes    ",
                  record.summary().nodes(), "\n");
  if (record.has_definition()) AppendDefinition(record.definition(), text);
  const std::string kernels = KernelTable(record.summary());
  if (!kernels.empty()) absl::StrAppend(&text, "\n", kernels);
  return text;
}

std::string DescribeDevice(const v1::Device& device) {
  return absl::StrCat(
      "name                ", device.name(), "\n",  //
      "kind                ", KindText(device.kind()), "\n",
      "product             ", device.product(), "\n", "uuid                ",
      device.uuid(), "\n", "state               ", StateText(device.state()),
      "\n", "compute capability  ", device.compute_capability(), "\n",
      "memory              ", HumanBytes(device.memory_bytes()), " (",
      Grouped(device.memory_bytes()), " bytes)\n", "multiprocessors     ",
      device.sm_count(), "\n", "driver version      ", device.driver_version(),
      "\n", "worker              process ", device.worker_pid(), ", replaced ",
      device.worker_restarts(), " times\n");
}

std::string TypeName(v1::ScalarType type) {
  const auto known = ScalarTypeFromProto(type);
  return known.has_value() ? std::string(Name(*known)) : "";
}

std::string ExecutorName(v1::Executor executor) {
  switch (executor) {
    case v1::EXECUTOR_CUDA_GRAPH:
      return "cuda_graph";
    case v1::EXECUTOR_SEQUENTIAL:
      return "sequential";
    default:
      return "unspecified";
  }
}

}  // namespace graphd::graphctl
