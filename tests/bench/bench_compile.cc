// How long the compiler takes, pass by pass, on the scaling graphs.
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "core/optimize/compile_draft.h"
#include "core/optimize/draft_builder.h"
#include "core/optimize/pipeline.h"
#include "core/plan/plan_digest.h"
#include "tests/bench/scaling_graph.h"

namespace graphd {
namespace {

struct Arguments {
  std::string kind = "layered";
  uint32_t nodes = 100'000;
  uint32_t streams = 8;
  uint64_t seed = 42;
  std::string edges = "data";
  int repeat = 1;
  bool json = false;
};

struct Figures {
  double total_ms = 0;
  std::vector<std::pair<std::string, double>> pass_ms;
  size_t kernels = 0;
  uint32_t streams = 0;
  double busiest_share = 0;
  uint64_t waits = 0;
  double makespan_us = 0;
  double makespan_bound_us = 0;
  uint64_t arena_bytes = 0;
  uint64_t arena_bound = 0;
  std::string plan_sha256;
};

// Kernels take what their hints say, copies nothing.
void Simulate(const Plan& plan, const ScalingGraph& graph, uint32_t streams,
              Figures& figures) {
  std::vector<double> ends(plan.steps.size(), 0);
  std::vector<double> free(plan.stream_count, 0);
  std::vector<double> work(plan.stream_count, 0);
  double total = 0;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const PlanStep& step = plan.steps[i];
    double cost = 0;
    for (const std::string& node : step.nodes) {
      cost += graph.nodes[std::stoul(node.substr(1))].cost_us;
    }
    double start = free[step.stream.index()];
    for (const StepId wait : step.waits) {
      start = std::max(start, ends[wait.index()]);
    }
    free[step.stream.index()] = ends[i] = start + cost;
    figures.makespan_us = std::max(figures.makespan_us, ends[i]);
    work[step.stream.index()] += cost;
    total += cost;
    figures.waits += step.waits.size();
    figures.kernels += std::holds_alternative<KernelStep>(step.body);
  }
  std::vector<double> longest(graph.nodes.size(), 0);
  double critical_path = 0;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const uint32_t p : graph.nodes[i].predecessors) {
      longest[i] = std::max(longest[i], longest[p]);
    }
    longest[i] += graph.nodes[i].cost_us;
    critical_path = std::max(critical_path, longest[i]);
  }
  figures.makespan_bound_us = std::max(critical_path, total / streams);
  figures.busiest_share = *std::max_element(work.begin(), work.end()) / total;
}

absl::StatusOr<Figures> Measure(const Arguments& arguments,
                                const ScalingGraph& scaling,
                                const Graph& graph) {
  CompileOptions options;
  options.streams = arguments.streams;
  const CompileClock clock{[] { return absl::Now(); }};
  Figures figures;
  absl::Duration building;
  const absl::Time start = absl::Now();
  absl::StatusOr<CompileResult> result = CompileDraft(
      graph, DeviceDescription(), options, clock, Passes(), [&](Draft& draft) {
        const absl::Time build_start = absl::Now();
        Violations violations;
        BuildDeclaredDraft(
            draft, [](NodeId) { return nullptr; }, violations);
        building = absl::Now() - build_start;
        return violations.ToStatus("graph");
      });
  figures.total_ms = absl::ToDoubleMilliseconds(absl::Now() - start);
  if (!result.ok()) return result.status();
  for (const std::string& warning : result->explanation.warnings) {
    std::fprintf(stderr, "warning: %s\n", warning.c_str());
  }
  figures.pass_ms.push_back(
      {"build-draft", absl::ToDoubleMilliseconds(building)});
  for (const PassStatistics& pass : result->explanation.passes) {
    figures.pass_ms.push_back({pass.pass, pass.seconds * 1000});
  }
  const Plan& plan = *result->plan;
  Simulate(plan, scaling, arguments.streams, figures);
  figures.streams = plan.stream_count;
  figures.arena_bytes = plan.device_arena_bytes;
  figures.arena_bound = result->explanation.device_arena_bound_bytes;
  figures.plan_sha256 = PlanDigest(plan).ToString();
  return figures;
}

uint64_t PeakBytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<uint64_t>(used.ru_maxrss) * 1024;
}

void Print(const Arguments& arguments, uint64_t digest,
           const Figures& figures) {
  std::string passes;
  for (const auto& [name, ms] : figures.pass_ms) {
    absl::StrAppend(
        &passes, passes.empty() ? "" : (arguments.json ? ", " : "\n  "),
        arguments.json ? absl::StrFormat("\"%s\": %.3f", name, ms)
                       : absl::StrFormat("%-18s %10.3f ms", name, ms));
  }
  const std::string text =
      arguments.json
          ? absl::StrFormat(
                "{\"graph\": \"%s\", \"nodes\": %d, \"edges\": \"%s\", "
                "\"digest\": \"%016x\", \"total_ms\": %.3f, \"pass_ms\": "
                "{%s}, \"peak_rss_bytes\": %d, \"kernels\": %d, \"streams\": "
                "%d, \"busiest_share\": %.4f, \"waits\": %d, \"makespan\": "
                "%.1f, \"makespan_bound\": %.1f, \"arena_bytes\": %d, "
                "\"arena_bound\": %d, \"plan_sha256\": \"%s\"}",
                arguments.kind, arguments.nodes, arguments.edges, digest,
                figures.total_ms, passes, PeakBytes(), figures.kernels,
                figures.streams, figures.busiest_share, figures.waits,
                figures.makespan_us, figures.makespan_bound_us,
                figures.arena_bytes, figures.arena_bound, figures.plan_sha256)
          : absl::StrFormat(
                "%s, %d nodes, edges %s, digest %016x\n  %-18s %10.3f ms\n  "
                "%s\n  peak memory %d bytes\n  kernels %d, streams %d, busiest "
                "share %.4f, waits %d\n  makespan %.1f us, bound %.1f us\n  "
                "arena %d bytes, bound %d\n  plan %s",
                arguments.kind, arguments.nodes, arguments.edges, digest,
                "total", figures.total_ms, passes, PeakBytes(), figures.kernels,
                figures.streams, figures.busiest_share, figures.waits,
                figures.makespan_us, figures.makespan_bound_us,
                figures.arena_bytes, figures.arena_bound, figures.plan_sha256);
  std::printf("%s\n", text.c_str());
}

int Run(const Arguments& arguments) {
  const std::map<std::string, ScalingEdges> edges = {
      {"data", ScalingEdges::kData},
      {"depfwd", ScalingEdges::kForward},
      {"deprev", ScalingEdges::kReverse},
      {"both", ScalingEdges::kBoth}};
  const ScalingGraph scaling =
      MakeScalingGraph(arguments.kind, arguments.nodes, arguments.seed);
  const Graph graph = ToGraph(scaling, edges.at(arguments.edges));
  std::string first;
  for (int i = 0; i < arguments.repeat; ++i) {
    const absl::StatusOr<Figures> figures = Measure(arguments, scaling, graph);
    if (!figures.ok()) {
      std::fprintf(stderr, "error: %s\n", figures.status().ToString().c_str());
      return 1;
    }
    Print(arguments, scaling.Digest(), *figures);
    if (first.empty()) first = figures->plan_sha256;
    if (figures->plan_sha256 != first) {
      std::fprintf(stderr, "error: another plan than in the first run\n");
      return 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace graphd

int main(int argc, char** argv) {
  graphd::Arguments arguments;
  CLI::App app(
      "Compiles one scaling graph: kernels without code that declare what they "
      "touch; the limit on parameters is waived; a cost unit is 1 us.\n"
      "digest: of the graph, as in generator.md. total_ms: draft, passes, seal "
      "and verifier; pass_ms: each of them. peak_rss_bytes: of the whole "
      "process, the generated graph included. busiest_share: work of the "
      "busiest stream / all work. waits: between streams. makespan: end of the "
      "last kernel when each takes its hint and copies take nothing; "
      "makespan_bound: max(critical path, work / streams). arena_bound: most "
      "bytes alive at once in the order of issue.");
  app.add_option("--graph", arguments.kind, "which")
      ->check(CLI::IsMember(graphd::ScalingKinds()));
  app.add_option("--nodes", arguments.nodes, "kernels")
      ->check(CLI::Range(2u, 10'000'000u));
  app.add_option("--streams", arguments.streams, "compute streams at most")
      ->check(CLI::Range(1u, 64u));
  app.add_option("--seed", arguments.seed, "of the generator");
  app.add_option("--edges", arguments.edges,
                 "data: order from accesses; depfwd, deprev: explicit, in and "
                 "against the order of nodes; both: data and depfwd")
      ->check(CLI::IsMember({"data", "depfwd", "deprev", "both"}));
  app.add_option("--repeat", arguments.repeat,
                 "compilations; each must give the same plan")
      ->check(CLI::Range(1, 1000));
  app.add_flag("--json", arguments.json, "one JSON object a line");
  CLI11_PARSE(app, argc, argv);
  return graphd::Run(arguments);
}
