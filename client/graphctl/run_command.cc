// run: replays a graph on .npy files.
#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/graphctl/command.h"
#include "client/graphctl/scalar_text.h"
#include "client/graphctl/tensor_file.h"
#include "client/graphctl/views.h"
#include "core/base/status_macros.h"
#include "core/codec/scalar_codec.h"

namespace graphd::graphctl {
namespace {

constexpr uint64_t kShownElements = 6;

struct RunFlags {
  std::string graph;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> settings;
  uint64_t count = 1;
  std::string device;
  std::string executor;
  uint32_t streams = 0;
  std::vector<std::string> skip_passes;
};

using Files = std::vector<std::pair<std::string, std::string>>;

absl::Status Twice(absl::string_view flag, absl::string_view name) {
  return UsageError(
      absl::StrCat(flag, ": \"", absl::CEscape(name), "\" is given twice"));
}

// Bindings with unique names and at most one standard stream.
absl::StatusOr<Files> Bindings(absl::string_view flag,
                               const std::vector<std::string>& texts) {
  Files files;
  bool streamed = false;
  for (const std::string& text : texts) {
    GRAPHD_ASSIGN_OR_RETURN(auto binding, SplitBinding(flag, text));
    for (const auto& other : files) {
      if (other.first == binding.first) return Twice(flag, binding.first);
    }
    if (binding.second == "-") {
      if (streamed) return Twice(flag, "-");
      streamed = true;
    }
    files.push_back(std::move(binding));
  }
  return files;
}

absl::Status AddInputs(const Files& files, v1::ReplayRequest& request) {
  for (const auto& [name, path] : files) {
    auto tensor = ReadTensorFile(path);
    if (!tensor.ok()) {
      return UsageError(absl::StrCat("--in ", absl::CEscape(name), ": ",
                                     tensor.status().message()));
    }
    v1::Tensor& message = (*request.mutable_inputs())[name];
    message.set_element_type(ScalarTypeToProto(tensor->type));
    for (const uint64_t extent : tensor->shape) message.add_shape(extent);
    // A scalar array and a buffer of one element are the same thing.
    if (tensor->shape.empty()) message.add_shape(1);
    message.set_data(std::move(tensor->data));
  }
  return absl::OkStatus();
}

// Reads each value as the parameter's type, which only the definition knows,
// and pins the graph to the digest whose definition that is.
absl::Status AddSettings(const std::vector<std::string>& texts, Client& daemon,
                         v1::ReplayRequest& request) {
  if (texts.empty()) return absl::OkStatus();
  v1::GetGraphRequest get;
  get.set_graph(request.graph());
  get.set_include_definition(true);
  GRAPHD_ASSIGN_OR_RETURN(const v1::GraphRecord record, daemon.GetGraph(get));
  request.set_graph(record.digest());
  for (const std::string& text : texts) {
    GRAPHD_ASSIGN_OR_RETURN(const auto setting, SplitBinding("--set", text));
    const auto& parameters = record.definition().parameters();
    const auto found =
        std::find_if(parameters.begin(), parameters.end(),
                     [&](const auto& p) { return p.name() == setting.first; });
    if (found == parameters.end()) {
      return UsageError(
          absl::StrCat("--set: no parameter \"", absl::CEscape(setting.first),
                       "\"; the graph has ",
                       parameters.empty()
                           ? "none"
                           : absl::StrJoin(parameters, ", ",
                                           [](std::string* out, const auto& p) {
                                             absl::StrAppend(out, p.name());
                                           })));
    }
    const auto type = ScalarTypeFromProto(found->type());
    if (!type.has_value()) {
      return absl::UnimplementedError(
          absl::StrCat("parameter \"", setting.first,
                       "\" has a type that this graphctl does not know"));
    }
    const auto scalar = ParseScalar(*type, setting.second);
    if (!scalar.ok()) {
      return UsageError(absl::StrCat("--set ", absl::CEscape(setting.first),
                                     ": ", scalar.status().message()));
    }
    if (request.parameters().contains(setting.first)) {
      return Twice("--set", setting.first);
    }
    (*request.mutable_parameters())[setting.first] = ScalarToProto(*scalar);
  }
  return absl::OkStatus();
}

absl::StatusOr<Tensor> FromMessage(const std::string& name,
                                   const v1::Tensor& message) {
  Tensor tensor;
  // Bytes that nothing describes are bytes.
  tensor.type =
      ScalarTypeFromProto(message.element_type()).value_or(ScalarType::kU8);
  tensor.shape.assign(message.shape().begin(), message.shape().end());
  tensor.data = message.data();
  if (tensor.shape.empty()) tensor.shape = {tensor.elements()};
  GRAPHD_ASSIGN_OR_RETURN(const uint64_t bytes,
                          DenseBytes(tensor.type, tensor.shape));
  if (bytes != tensor.data.size()) {
    return absl::InternalError(absl::StrCat("output \"", name, "\" has ",
                                            tensor.data.size(),
                                            " bytes, its shape says ", bytes));
  }
  return tensor;
}

absl::Status WriteOutputs(const Files& files,
                          const v1::ReplayResponse& response) {
  for (const auto& [name, path] : files) {
    const auto found = response.outputs().find(name);
    if (found == response.outputs().end()) {
      return absl::InternalError(
          absl::StrCat("the answer lacks output \"", name, "\""));
    }
    GRAPHD_ASSIGN_OR_RETURN(const Tensor tensor,
                            FromMessage(name, found->second));
    GRAPHD_RETURN_IF_ERROR(Local(WriteTensorFile(path, tensor)));
  }
  return absl::OkStatus();
}

absl::Status ShowOutputs(const v1::ReplayResponse& response,
                         std::ostream& out) {
  Table table({"OUTPUT", "TYPE", "SHAPE", "VALUES"});
  std::vector<std::string> names;
  for (const auto& [name, message] : response.outputs()) names.push_back(name);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    GRAPHD_ASSIGN_OR_RETURN(const Tensor tensor,
                            FromMessage(name, response.outputs().at(name)));
    std::string values;
    const uint64_t shown = std::min(tensor.elements(), kShownElements);
    for (uint64_t i = 0; i < shown; ++i) {
      absl::StrAppend(&values, i == 0 ? "" : " ", tensor.at(i).ToString());
    }
    if (shown < tensor.elements()) absl::StrAppend(&values, " ...");
    table.Add(
        {name, std::string(Name(tensor.type)), tensor.ShapeText(), values});
  }
  out << table.ToString();
  return absl::OkStatus();
}

double Seconds(const google::protobuf::Duration& duration) {
  return static_cast<double>(duration.seconds()) + duration.nanos() * 1e-9;
}

void SayTimes(Command& command, const v1::ReplayResponse& response,
              absl::Duration round_trip, uint64_t count) {
  const auto& times = response.times();
  command.Say(
      absl::StrCat("ran ", count, count == 1 ? " time on " : " times on ",
                   response.device(), " (", ExecutorName(response.executor()),
                   ") in ", HumanTime(absl::ToDoubleSeconds(round_trip)),
                   ": queue ", HumanTime(Seconds(times.queue())), ", compile ",
                   HumanTime(Seconds(times.compile())), ", copy in ",
                   HumanTime(Seconds(times.copy_in())), ", execute ",
                   HumanTime(Seconds(times.execute())), ", copy out ",
                   HumanTime(Seconds(times.copy_out()))));
}

absl::StatusOr<int> Run(Command& command, const RunFlags& flags) {
  GRAPHD_ASSIGN_OR_RETURN(
      const OutputFormat format,
      command.FormatAmong({OutputFormat::kTable, OutputFormat::kJson,
                           OutputFormat::kJsonLines, OutputFormat::kYaml}));
  v1::ReplayRequest request;
  request.set_graph(flags.graph);
  request.set_count(flags.count);
  request.set_device(flags.device);
  if (flags.count == 0) return UsageError("--count: expected at least 1");
  if (flags.executor == "cuda_graph") {
    request.set_executor(v1::EXECUTOR_CUDA_GRAPH);
  } else if (flags.executor == "sequential") {
    request.set_executor(v1::EXECUTOR_SEQUENTIAL);
  } else if (!flags.executor.empty()) {
    return UsageError(
        absl::StrCat("--executor: expected cuda_graph or sequential, found \"",
                     absl::CEscape(flags.executor), "\""));
  }
  request.mutable_options()->set_streams(flags.streams);
  for (const std::string& pass : flags.skip_passes) {
    request.mutable_options()->add_skip_passes(pass);
  }
  GRAPHD_ASSIGN_OR_RETURN(const Files inputs, Bindings("--in", flags.inputs));
  GRAPHD_ASSIGN_OR_RETURN(const Files outputs,
                          Bindings("--out", flags.outputs));
  for (const auto& [name, path] : outputs) request.add_outputs(name);
  GRAPHD_RETURN_IF_ERROR(AddInputs(inputs, request));
  GRAPHD_ASSIGN_OR_RETURN(Client * daemon, command.Daemon());
  GRAPHD_RETURN_IF_ERROR(AddSettings(flags.settings, *daemon, request));

  const absl::Time start = absl::Now();
  GRAPHD_ASSIGN_OR_RETURN(v1::ReplayResponse response, daemon->Replay(request));
  const absl::Duration round_trip = absl::Now() - start;
  GRAPHD_RETURN_IF_ERROR(WriteOutputs(outputs, response));
  SayTimes(command, response, round_trip, flags.count);
  const bool to_stdout =
      std::any_of(outputs.begin(), outputs.end(),
                  [](const auto& output) { return output.second == "-"; });
  if (to_stdout) return kDone;
  if (!outputs.empty()) response.clear_outputs();
  GRAPHD_ASSIGN_OR_RETURN(const bool printed,
                          command.PrintMessage(response, format));
  if (!printed && outputs.empty()) {
    GRAPHD_RETURN_IF_ERROR(ShowOutputs(response, command.out()));
  }
  return kDone;
}

CLI::Option* Repeated(CLI::App& app, const std::string& flag,
                      std::vector<std::string>& values,
                      const std::string& help) {
  return app.add_option(flag, values, help)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace

void AddRunCommand(CLI::App& app, Command& command) {
  auto flags = std::make_shared<RunFlags>();
  CLI::App* run = command.AddVerb(
      app, "run", "Replay a graph; says where the time went",
      "  graphctl run relu --in x=x.npy --out y=y.npy --set a=0.5\n"
      "  graphctl run relu --in x=- --out y=- < x.npy > y.npy\n"
      "  graphctl run relu --in x=x.npy --count 1000 --executor sequential",
      [&command, flags] { return Run(command, *flags); });
  run->add_option("GRAPH", flags->graph, "name, name@revision or sha256:...")
      ->required();
  Repeated(*run, "--in", flags->inputs,
           "fill input NAME from an .npy file, or - for standard input")
      ->type_name("NAME=FILE");
  Repeated(*run, "--out", flags->outputs,
           "write output NAME to an .npy file, or - for standard output; "
           "without any, the outputs are shown")
      ->type_name("NAME=FILE");
  Repeated(*run, "--set", flags->settings, "set a parameter")
      ->type_name("NAME=VALUE");
  run->add_option("--count", flags->count,
                  "executions; the last outputs are returned");
  run->add_option("--device", flags->device, "on this device; else any");
  run->add_option("--executor", flags->executor, "cuda_graph or sequential");
  run->add_option("--streams", flags->streams,
                  "at most this many compute streams");
  Repeated(*run, "--skip-pass", flags->skip_passes,
           "switch a pass off; repeatable");
}

}  // namespace graphd::graphctl
