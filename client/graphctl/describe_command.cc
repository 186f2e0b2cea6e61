// describe, explain: one thing in full.
#include "absl/strings/str_cat.h"
#include "client/graphctl/command.h"
#include "client/graphctl/views.h"
#include "core/base/status_macros.h"

namespace graphd::graphctl {
namespace {

const std::vector<OutputFormat> kFormats = {
    OutputFormat::kTable, OutputFormat::kJson, OutputFormat::kJsonLines,
    OutputFormat::kYaml};

absl::StatusOr<int> Graph(Command& command, const std::string& name) {
  GRAPHD_ASSIGN_OR_RETURN(const OutputFormat format,
                          command.FormatAmong(kFormats));
  GRAPHD_ASSIGN_OR_RETURN(Client * daemon, command.Daemon());
  v1::GetGraphRequest request;
  request.set_graph(name);
  request.set_include_definition(true);
  GRAPHD_ASSIGN_OR_RETURN(const v1::GraphRecord record,
                          daemon->GetGraph(request));
  GRAPHD_ASSIGN_OR_RETURN(const bool printed,
                          command.PrintMessage(record, format));
  if (!printed) command.out() << DescribeGraph(record);
  return kDone;
}

absl::StatusOr<int> Device(Command& command, const std::string& name) {
  GRAPHD_ASSIGN_OR_RETURN(const OutputFormat format,
                          command.FormatAmong(kFormats));
  GRAPHD_ASSIGN_OR_RETURN(Client * daemon, command.Daemon());
  GRAPHD_ASSIGN_OR_RETURN(const v1::Device device, daemon->GetDevice(name));
  GRAPHD_ASSIGN_OR_RETURN(const bool printed,
                          command.PrintMessage(device, format));
  if (!printed) command.out() << DescribeDevice(device);
  return kDone;
}

struct ExplainFlags {
  std::string graph;
  std::string device;
  uint32_t streams = 0;
  std::vector<std::string> skip_passes;
  bool passes = false;
};

absl::StatusOr<int> Explain(Command& command, const ExplainFlags& flags) {
  GRAPHD_ASSIGN_OR_RETURN(
      const OutputFormat format,
      command.FormatAmong({OutputFormat::kTable, OutputFormat::kJson,
                           OutputFormat::kJsonLines, OutputFormat::kYaml,
                           OutputFormat::kDot}));
  v1::ExplainGraphRequest request;
  request.set_graph(flags.graph);
  request.set_device(flags.device);
  request.set_include_passes(flags.passes);
  request.mutable_options()->set_streams(flags.streams);
  for (const std::string& pass : flags.skip_passes) {
    request.mutable_options()->add_skip_passes(pass);
  }
  GRAPHD_ASSIGN_OR_RETURN(Client * daemon, command.Daemon());
  GRAPHD_ASSIGN_OR_RETURN(const v1::Plan plan, daemon->ExplainGraph(request));
  GRAPHD_ASSIGN_OR_RETURN(const bool printed,
                          command.PrintMessage(plan, format));
  if (printed) return kDone;
  command.out() << (format == OutputFormat::kDot ? PlanDot(plan)
                                                 : PlanText(plan));
  return kDone;
}

}  // namespace

void AddDescribeCommand(CLI::App& app, Command& command) {
  CLI::App* describe = app.add_subcommand("describe", "One thing in full");
  describe->fallthrough();
  describe->footer(
      "\nExamples:\n  graphctl describe graph relu\n  graphctl describe device "
      "soft0");
  auto graph = std::make_shared<std::string>();
  command
      .AddVerb(*describe, "graph", "A graph: buffers, parameters, kernels",
               "  graphctl describe graph relu@1 -o json",
               [&command, graph] { return Graph(command, *graph); })
      ->add_option("GRAPH", *graph, "name, name@revision or sha256:...")
      ->required();
  auto device = std::make_shared<std::string>();
  command
      .AddVerb(*describe, "device", "A device",
               "  graphctl describe device soft0",
               [&command, device] { return Device(command, *device); })
      ->add_option("DEVICE", *device, "its name")
      ->required();
}

void AddExplainCommand(CLI::App& app, Command& command) {
  auto flags = std::make_shared<ExplainFlags>();
  CLI::App* explain = command.AddVerb(
      app, "explain", "The plan: steps, streams, fusion, memory, passes",
      "  graphctl explain relu\n"
      "  graphctl explain relu --skip-pass fuse-kernels --passes\n"
      "  graphctl explain relu -o dot | dot -Tsvg > plan.svg",
      [&command, flags] { return Explain(command, *flags); });
  explain
      ->add_option("GRAPH", flags->graph, "name, name@revision or sha256:...")
      ->required();
  explain->add_option("--device", flags->device, "for this device; else any");
  explain->add_option("--streams", flags->streams,
                      "at most this many compute streams");
  explain
      ->add_option("--skip-pass", flags->skip_passes,
                   "switch a pass off; repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  explain->add_flag("--passes", flags->passes,
                    "also the draft after each pass that changed it");
}

}  // namespace graphd::graphctl
