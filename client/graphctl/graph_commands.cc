// apply, get, delete.
#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "client/graphctl/command.h"
#include "client/graphctl/definition_file.h"
#include "client/graphctl/views.h"
#include "core/base/status_macros.h"

namespace graphd::graphctl {
namespace {

const std::vector<OutputFormat> kFormats = {
    OutputFormat::kTable,     OutputFormat::kWide, OutputFormat::kJson,
    OutputFormat::kJsonLines, OutputFormat::kYaml, OutputFormat::kName};

struct ApplyFlags {
  std::string file;
  std::string format;
  std::string name;
  bool dry_run = false;
};

absl::StatusOr<std::optional<DefinitionFormat>> DefinitionFormatFlag(
    const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (text == "text") return DefinitionFormat::kText;
  if (text == "json") return DefinitionFormat::kJson;
  if (text == "binary") return DefinitionFormat::kBinary;
  return UsageError(
      absl::StrCat("--format: expected text, json or binary, found \"",
                   absl::CEscape(text), "\""));
}

absl::StatusOr<int> Apply(Command& command, const ApplyFlags& flags) {
  GRAPHD_ASSIGN_OR_RETURN(const OutputFormat format,
                          command.FormatAmong(kFormats));
  GRAPHD_ASSIGN_OR_RETURN(const auto definition_format,
                          DefinitionFormatFlag(flags.format));
  v1::SubmitGraphRequest request;
  GRAPHD_ASSIGN_OR_RETURN(*request.mutable_graph(),
                          Local(LoadDefinition(flags.file, definition_format)));
  request.set_name(flags.name);
  request.set_validate_only(flags.dry_run);
  GRAPHD_ASSIGN_OR_RETURN(Client * daemon, command.Daemon());
  GRAPHD_ASSIGN_OR_RETURN(const v1::SubmitGraphResponse response,
                          daemon->SubmitGraph(request));
  GRAPHD_ASSIGN_OR_RETURN(const bool printed,
                          command.PrintMessage(response, format));
  if (printed) return kDone;
  std::string reference = response.digest();
  if (response.revision() > 0) {
    reference = absl::StrCat(flags.name, "@", response.revision());
  }
  if (format == OutputFormat::kName) {
    command.out() << reference << '\n';
    return kDone;
  }
  const char* what = flags.dry_run        ? "is right, not stored"
                     : response.existed() ? "stored already"
                                          : "stored";
  command.out() << (response.revision() > 0
                        ? absl::StrCat(reference, " ", response.digest())
                        : reference)
                << ' ' << what << '\n';
  if (format == OutputFormat::kWide) {
    command.out() << KernelTable(response.summary());
  } else {
    command.Say(absl::StrCat(
        response.summary().nodes(), " nodes, ", response.summary().buffers(),
        " buffers; in: ", absl::StrJoin(response.summary().inputs(), ", "),
        "; out: ", absl::StrJoin(response.summary().outputs(), ", ")));
  }
  for (const auto& kernel : response.summary().kernels()) {
    if (!kernel.unsupported_in_software().empty()) {
      command.Say(absl::StrCat("warning: node \"", kernel.node(),
                               "\" does not run on a software device: ",
                               kernel.unsupported_in_software()));
    }
  }
  return kDone;
}

// Prints what `names` name; some of them wrong is a partial answer.
template <typename Message, typename Get>
absl::StatusOr<std::vector<Message>> Named(
    Command& command, const std::vector<std::string>& names, Get get,
    int& code) {
  std::vector<Message> found;
  absl::Status last;
  for (const std::string& name : names) {
    absl::StatusOr<Message> one = get(name);
    if (one.ok()) {
      found.push_back(*std::move(one));
    } else if (names.size() == 1) {
      return one.status();
    } else {
      command.Fail(one.status());
      last = one.status();
    }
  }
  if (last.ok()) {
    code = kDone;
  } else {
    code = found.empty() ? ExitCodeOf(last) : kPartial;
  }
  return found;
}

template <typename Message, typename List, typename Rows>
absl::Status Print(Command& command, OutputFormat format, bool as_list,
                   const List& list, const Rows& rows,
                   std::string (*table)(const std::vector<Message>&, bool),
                   std::string (*name)(const Message&)) {
  if (format == OutputFormat::kName) {
    for (const Message& row : rows) command.out() << name(row) << '\n';
    return absl::OkStatus();
  }
  if (format == OutputFormat::kJsonLines || (!as_list && rows.size() == 1)) {
    for (const Message& row : rows) {
      GRAPHD_ASSIGN_OR_RETURN(const bool done,
                              command.PrintMessage(row, format));
      if (!done) command.out() << table({row}, format == OutputFormat::kWide);
    }
    return absl::OkStatus();
  }
  GRAPHD_ASSIGN_OR_RETURN(const bool printed,
                          command.PrintMessage(list, format));
  if (!printed) command.out() << table(rows, format == OutputFormat::kWide);
  return absl::OkStatus();
}

absl::StatusOr<int> GetGraphs(Command& command,
                              const std::vector<std::string>& names) {
  GRAPHD_ASSIGN_OR_RETURN(const OutputFormat format,
                          command.FormatAmong(kFormats));
  GRAPHD_ASSIGN_OR_RETURN(Client * daemon, command.Daemon());
  v1::ListGraphsResponse list;
  int code = kDone;
  if (names.empty()) {
    GRAPHD_ASSIGN_OR_RETURN(list, daemon->ListGraphs());
  } else {
    const auto get = [&](const std::string& name) {
      v1::GetGraphRequest request;
      request.set_graph(name);
      return daemon->GetGraph(request);
    };
    GRAPHD_ASSIGN_OR_RETURN(const std::vector<v1::GraphRecord> found,
                            Named<v1::GraphRecord>(command, names, get, code));
    for (const auto& record : found) *list.add_graphs() = record;
  }
  const std::vector<v1::GraphRecord> rows(list.graphs().begin(),
                                          list.graphs().end());
  if (rows.empty() && names.empty()) command.Say("no graphs");
  GRAPHD_RETURN_IF_ERROR(Print<v1::GraphRecord>(
      command, format, names.size() != 1, list, rows, GraphTable, GraphName));
  return code;
}

absl::StatusOr<int> GetDevices(Command& command,
                               const std::vector<std::string>& names) {
  GRAPHD_ASSIGN_OR_RETURN(const OutputFormat format,
                          command.FormatAmong(kFormats));
  GRAPHD_ASSIGN_OR_RETURN(Client * daemon, command.Daemon());
  v1::ListDevicesResponse list;
  int code = kDone;
  if (names.empty()) {
    GRAPHD_ASSIGN_OR_RETURN(list, daemon->ListDevices());
  } else {
    GRAPHD_ASSIGN_OR_RETURN(
        const std::vector<v1::Device> found,
        Named<v1::Device>(
            command, names,
            [&](const std::string& name) { return daemon->GetDevice(name); },
            code));
    for (const auto& device : found) *list.add_devices() = device;
  }
  const std::vector<v1::Device> rows(list.devices().begin(),
                                     list.devices().end());
  GRAPHD_RETURN_IF_ERROR(Print<v1::Device>(
      command, format, names.size() != 1, list, rows, DeviceTable, DeviceName));
  return code;
}

absl::StatusOr<int> Delete(Command& command,
                           const std::vector<std::string>& names) {
  GRAPHD_ASSIGN_OR_RETURN(
      const OutputFormat format,
      command.FormatAmong({OutputFormat::kTable, OutputFormat::kJson,
                           OutputFormat::kJsonLines, OutputFormat::kYaml}));
  GRAPHD_ASSIGN_OR_RETURN(Client * daemon, command.Daemon());
  int code = kDone;
  GRAPHD_ASSIGN_OR_RETURN(
      const std::vector<v1::DeleteGraphResponse> deleted,
      Named<v1::DeleteGraphResponse>(
          command, names,
          [&](const std::string& name) { return daemon->DeleteGraph(name); },
          code));
  for (const auto& response : deleted) {
    GRAPHD_ASSIGN_OR_RETURN(const bool printed,
                            command.PrintMessage(response, format));
    if (printed) continue;
    command.out() << "deleted " << response.deleted_revisions()
                  << (response.deleted_revisions() == 1 ? " revision\n"
                                                        : " revisions\n");
    for (const std::string& digest : response.deleted_digests()) {
      command.out() << "deleted " << digest << '\n';
    }
  }
  return code;
}

}  // namespace

void AddGraphCommands(CLI::App& app, Command& command) {
  auto apply_flags = std::make_shared<ApplyFlags>();
  CLI::App* apply = command.AddVerb(
      app, "apply", "Submit a definition",
      "  graphctl apply docs/examples/relu_scale/graph.textproto --name relu\n"
      "  graphctl apply graph.json --dry-run",
      [&command, apply_flags] { return Apply(command, *apply_flags); });
  apply
      ->add_option("FILE", apply_flags->file,
                   "definition: .textproto, .json or .binpb; modules may name "
                   "files beside it")
      ->required();
  apply->add_option("--name", apply_flags->name, "point this name at it");
  apply->add_option("--format", apply_flags->format,
                    "text, json or binary; else the ending says");
  apply->add_flag("--dry-run", apply_flags->dry_run, "check it, store nothing");

  CLI::App* get = app.add_subcommand("get", "List graphs or devices");
  get->fallthrough();
  get->footer(
      "\nExamples:\n  graphctl get graphs\n  graphctl get devices -o json");
  auto graphs = std::make_shared<std::vector<std::string>>();
  CLI::App* get_graphs = command.AddVerb(
      *get, "graphs", "Graphs by name",
      "  graphctl get graphs -o wide\n  graphctl get graphs relu@1 -o json",
      [&command, graphs] { return GetGraphs(command, *graphs); });
  get_graphs->alias("graph");
  get_graphs->add_option("GRAPH", *graphs, "only these");
  auto devices = std::make_shared<std::vector<std::string>>();
  CLI::App* get_devices = command.AddVerb(
      *get, "devices", "Devices by name", "  graphctl get devices -o wide",
      [&command, devices] { return GetDevices(command, *devices); });
  get_devices->alias("device");
  get_devices->add_option("DEVICE", *devices, "only these");

  CLI::App* del = app.add_subcommand("delete", "Delete graphs");
  del->fallthrough();
  del->footer("\nExamples:\n  graphctl delete graph relu");
  auto doomed = std::make_shared<std::vector<std::string>>();
  CLI::App* delete_graph = command.AddVerb(
      *del, "graph", "Delete a name, a revision or a digest",
      "  graphctl delete graph relu\n  graphctl delete graph relu@1",
      [&command, doomed] { return Delete(command, *doomed); });
  delete_graph->alias("graphs");
  delete_graph->add_option("GRAPH", *doomed, "what to delete")->required();
}

}  // namespace graphd::graphctl
