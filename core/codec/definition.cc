#include "core/codec/definition.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>

#include <limits>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/base/status_macros.h"

namespace graphd {
namespace {

// Deeper than any definition, far from a stack's end.
constexpr int kRecursionLimit = 32;

// Keeps the first few complaints of the text parser.
class Complaints : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    constexpr int kShown = 8;
    if (++count_ > kShown) return;
    absl::StrAppend(&text_, count_ > 1 ? "\n" : "", "line ", line + 1,
                    ", column ", column + 1, ": ", message);
  }
  const std::string& text() const { return text_; }

 private:
  int count_ = 0;
  std::string text_;
};

bool FitsProtobuf(absl::string_view bytes) {
  return bytes.size() <= static_cast<size_t>(std::numeric_limits<int>::max());
}

absl::Status TooLarge(absl::string_view bytes) {
  return absl::InvalidArgumentError(
      absl::StrCat("the definition has ", bytes.size(),
                   " bytes; a message has at most 2^31 - 1"));
}

// A relative name without ".." keeps `read` inside the definition's folder.
bool StaysInFolder(absl::string_view name) {
  if (name.empty() || name[0] == '/' || absl::StrContains(name, '\0')) {
    return false;
  }
  for (const absl::string_view part : absl::StrSplit(name, '/')) {
    if (part == "..") return false;
  }
  return true;
}

}  // namespace

std::optional<DefinitionFormat> DefinitionFormatOf(
    absl::string_view file_name) {
  for (const absl::string_view ending : {".textproto", ".txtpb", ".pbtxt"}) {
    if (absl::EndsWith(file_name, ending)) return DefinitionFormat::kText;
  }
  if (absl::EndsWith(file_name, ".json")) return DefinitionFormat::kJson;
  for (const absl::string_view ending : {".binpb", ".pb"}) {
    if (absl::EndsWith(file_name, ending)) return DefinitionFormat::kBinary;
  }
  return std::nullopt;
}

absl::StatusOr<v1::Graph> ParseGraphText(absl::string_view text) {
  if (!FitsProtobuf(text)) return TooLarge(text);
  google::protobuf::io::ArrayInputStream stream(text.data(),
                                                static_cast<int>(text.size()));
  google::protobuf::TextFormat::Parser parser;
  Complaints complaints;
  parser.RecordErrorsTo(&complaints);
  parser.SetRecursionLimit(kRecursionLimit);
  v1::Graph graph;
  if (!parser.Parse(&stream, &graph)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the definition is not a graphd.v1.Graph in protobuf text:\n",
        complaints.text()));
  }
  return graph;
}

absl::StatusOr<v1::Graph> ParseGraphJson(absl::string_view json) {
  if (!FitsProtobuf(json)) return TooLarge(json);
  v1::Graph graph;
  const auto status = google::protobuf::util::JsonStringToMessage(
      google::protobuf::StringPiece(json.data(), json.size()), &graph);
  if (!status.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the definition is not a graphd.v1.Graph in JSON: ",
                     std::string(status.message())));
  }
  return graph;
}

absl::StatusOr<v1::Graph> ParseGraphBinary(absl::string_view bytes) {
  if (!FitsProtobuf(bytes)) return TooLarge(bytes);
  v1::Graph graph;
  if (!graph.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the definition is not a graphd.v1.Graph in binary form: its ",
        bytes.size(), " bytes do not parse"));
  }
  return graph;
}

absl::StatusOr<v1::Graph> ParseGraph(absl::string_view bytes,
                                     DefinitionFormat format) {
  switch (format) {
    case DefinitionFormat::kText:
      return ParseGraphText(bytes);
    case DefinitionFormat::kJson:
      return ParseGraphJson(bytes);
    case DefinitionFormat::kBinary:
      return ParseGraphBinary(bytes);
  }
  return absl::InternalError("unknown definition format");
}

absl::StatusOr<std::string> WriteGraph(const v1::Graph& graph,
                                       DefinitionFormat format) {
  std::string result;
  switch (format) {
    case DefinitionFormat::kText:
      google::protobuf::TextFormat::PrintToString(graph, &result);
      return result;
    case DefinitionFormat::kJson: {
      google::protobuf::util::JsonPrintOptions options;
      options.add_whitespace = true;
      options.preserve_proto_field_names = true;
      const auto status =
          google::protobuf::util::MessageToJsonString(graph, &result, options);
      if (!status.ok()) {
        return absl::InvalidArgumentError(std::string(status.message()));
      }
      return result;
    }
    case DefinitionFormat::kBinary: {
      google::protobuf::io::StringOutputStream stream(&result);
      google::protobuf::io::CodedOutputStream coded(&stream);
      coded.SetSerializationDeterministic(true);
      graph.SerializeToCodedStream(&coded);
      coded.Trim();
      return result;
    }
  }
  return absl::InternalError("unknown definition format");
}

absl::Status ReadModuleFiles(
    v1::Graph& graph,
    const std::function<absl::StatusOr<std::string>(absl::string_view)>& read) {
  for (int i = 0; i < graph.modules_size(); ++i) {
    v1::Module& module = *graph.mutable_modules(i);
    if (module.code_case() != v1::Module::kFile) continue;
    const std::string file = module.file();
    const std::string where =
        absl::StrCat("modules[", i, "].file \"", absl::CEscape(file), "\": ");
    const bool is_source = absl::EndsWith(file, ".cu");
    const bool is_ptx = absl::EndsWith(file, ".ptx");
    const bool is_binary =
        absl::EndsWith(file, ".cubin") || absl::EndsWith(file, ".fatbin");
    if (!is_source && !is_ptx && !is_binary) {
      return absl::InvalidArgumentError(
          absl::StrCat(where, "expected a .cu, .ptx, .cubin or .fatbin file"));
    }
    if (!StaysInFolder(file)) {
      return absl::InvalidArgumentError(
          absl::StrCat(where, "expected a file below the definition's folder"));
    }
    absl::StatusOr<std::string> code = read(file);
    if (!code.ok()) {
      return absl::Status(code.status().code(),
                          absl::StrCat(where, code.status().message()));
    }
    if (is_source) {
      module.set_cuda_source(*std::move(code));
    } else if (is_ptx) {
      module.set_ptx(*std::move(code));
    } else {
      module.set_cubin(*std::move(code));
    }
  }
  return absl::OkStatus();
}

}  // namespace graphd
