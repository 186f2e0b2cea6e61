// A plan as text and as a Graphviz graph.
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "client/graphctl/output.h"
#include "client/graphctl/views.h"

namespace graphd::graphctl {
namespace {

constexpr size_t kColumns = 80;

const char* KindText(v1::PlanStep::Kind kind) {
  switch (kind) {
    case v1::PlanStep::KIND_KERNEL:
      return "kernel";
    case v1::PlanStep::KIND_MEMCPY:
      return "copy";
    case v1::PlanStep::KIND_MEMSET:
      return "fill";
    case v1::PlanStep::KIND_EMPTY:
      return "barrier";
    default:
      return "step";
  }
}

using StepsByIndex = std::map<uint32_t, const v1::PlanStep*>;

// A branch of the tree: the step, its detail, the nodes it carries out when
// they are not its name, what it waits for.
void AppendStep(const v1::PlanStep& step, const StepsByIndex& by_index,
                bool last, std::string& text) {
  absl::StrAppend(&text, last ? "  └─ " : "  ├─ ", "#", step.index(), " ",
                  KindText(step.kind()), " ", step.name(), "\n");
  const std::string indent = last ? "       " : "  │    ";
  if (!step.detail().empty()) {
    absl::StrAppend(&text, Wrapped(step.detail(), kColumns, indent));
  }
  const bool itself = step.nodes_size() == 1 && step.nodes(0) == step.name();
  if (step.nodes_size() > 0 && !itself) {
    absl::StrAppend(
        &text,
        Wrapped(absl::StrCat("nodes: ", absl::StrJoin(step.nodes(), ", ")),
                kColumns, indent));
  } else if (step.nodes_size() == 0) {
    absl::StrAppend(&text, indent, "inserted\n");
  }
  if (step.waits_size() == 0) return;
  std::string waits = "waits for";
  for (int i = 0; i < step.waits_size(); ++i) {
    const auto found = by_index.find(step.waits(i));
    absl::StrAppend(&waits, i == 0 ? " " : ", ", "#", step.waits(i));
    if (found != by_index.end()) {
      absl::StrAppend(&waits, " ", found->second->name(), " (stream ",
                      found->second->stream(), ")");
    }
  }
  absl::StrAppend(&text, Wrapped(waits, kColumns, indent));
}

void AppendSteps(const v1::Plan& plan, std::string& text) {
  StepsByIndex by_index;
  std::map<uint32_t, std::vector<const v1::PlanStep*>> streams;
  for (const auto& step : plan.steps()) {
    by_index[step.index()] = &step;
    streams[step.stream()].push_back(&step);
  }
  for (const auto& [stream, steps] : streams) {
    absl::StrAppend(&text, "\nstream ", stream, "\n");
    for (const v1::PlanStep* step : steps) {
      AppendStep(*step, by_index, step == steps.back(), text);
    }
  }
}

void AppendFusions(const v1::Plan& plan, std::string& text) {
  if (plan.fusions_size() == 0) return;
  absl::StrAppend(&text, "\nfusion\n");
  for (const auto& fusion : plan.fusions()) {
    absl::StrAppend(
        &text,
        Wrapped(absl::StrCat(fusion.fused() ? "fused: " : "kept apart: ",
                             absl::StrJoin(fusion.nodes(), " + ")),
                kColumns, "  "),
        Wrapped(fusion.reason(), kColumns, "    "));
  }
}

void AppendMemory(const v1::Plan& plan, std::string& text) {
  const auto& memory = plan.memory();
  const auto row = [&](absl::string_view what, uint64_t bytes) {
    absl::StrAppend(&text, absl::StrFormat("  %-24s %10s  %s bytes\n", what,
                                           HumanBytes(bytes), Grouped(bytes)));
  };
  absl::StrAppend(&text, "\nmemory\n");
  row("device arena", memory.device_arena_bytes());
  row("without sharing", memory.device_unshared_bytes());
  row("lower bound", memory.device_bound_bytes());
  row("pinned host arena", memory.host_arena_bytes());
  if (plan.buffers_size() == 0) return;
  Table buffers({"BUFFER", "PLACE", "OFFSET", "BYTES"});
  buffers.Right(2).Right(3);
  for (const auto& buffer : plan.buffers()) {
    buffers.Add({buffer.name(), buffer.place(), Grouped(buffer.offset_bytes()),
                 Grouped(buffer.size_bytes())});
  }
  absl::StrAppend(&text, "\n", buffers.ToString("  "));
}

void AppendPasses(const v1::Plan& plan, std::string& text) {
  if (plan.passes_size() == 0) return;
  Table passes({"PASS", "NODES BEFORE", "NODES AFTER", "TIME"});
  passes.Right(1).Right(2).Right(3);
  for (const auto& pass : plan.passes()) {
    if (pass.skipped()) {
      passes.Add({pass.pass(), "", "", "switched off"});
      continue;
    }
    passes.Add({pass.pass(), absl::StrCat(pass.nodes_before()),
                absl::StrCat(pass.nodes_after()), HumanTime(pass.seconds())});
  }
  absl::StrAppend(&text, "\npasses\n", passes.ToString("  "));
  for (const auto& pass : plan.passes()) {
    if (pass.draft_text().empty()) continue;
    absl::StrAppend(&text, "\nafter ", pass.pass(), "\n");
    for (const absl::string_view line : absl::StrSplit(
             absl::StripTrailingAsciiWhitespace(pass.draft_text()), '\n')) {
      absl::StrAppend(&text, "  ", line, "\n");
    }
  }
}

std::string Escaped(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}});
}

}  // namespace

std::string PlanText(const v1::Plan& plan) {
  std::string text = absl::StrCat("graph  ", plan.graph_digest(), "\n",  //
                                  "plan   ", plan.plan_digest(), "\n",   //
                                  "device ", plan.device(), "\n");
  const auto steps = std::max<uint64_t>(plan.total_steps(), plan.steps_size());
  absl::StrAppend(
      &text,
      Wrapped(
          absl::StrCat(
              steps, steps == 1 ? " step on " : " steps on ", plan.streams(),
              plan.streams() == 1 ? " stream, " : " streams, ", plan.edges(),
              plan.edges() == 1 ? " dependency, " : " dependencies, ",
              plan.waits(),
              plan.waits() == 1 ? " wait between streams; "
                                : " waits between streams; ",
              "modelled ", HumanTime(plan.makespan_ns() * 1e-9),
              " (longest path ", HumanTime(plan.critical_path_ns() * 1e-9),
              ")"),
          kColumns, ""));
  AppendSteps(plan, text);
  AppendFusions(plan, text);
  AppendMemory(plan, text);
  AppendPasses(plan, text);
  if (plan.warnings_size() > 0) absl::StrAppend(&text, "\nwarnings\n");
  for (const std::string& warning : plan.warnings()) {
    absl::StrAppend(&text, Wrapped(warning, kColumns, "  "));
  }
  return text;
}

std::string PlanDot(const v1::Plan& plan) {
  std::string text = absl::StrCat(
      "digraph plan {\n  rankdir=TB;\n  node [shape=box, fontname=\"sans\"];\n"
      "  label=\"",
      Escaped(plan.plan_digest()), "\";\n");
  std::map<uint32_t, std::vector<const v1::PlanStep*>> streams;
  for (const auto& step : plan.steps()) {
    streams[step.stream()].push_back(&step);
  }
  for (const auto& [stream, steps] : streams) {
    absl::StrAppend(&text, "  subgraph cluster_", stream,
                    " {\n    label=\"stream ", stream, "\";\n");
    for (const v1::PlanStep* step : steps) {
      absl::StrAppend(&text, "    s", step->index(), " [label=\"",
                      Escaped(step->name()), "\\n", KindText(step->kind()),
                      "\", tooltip=\"", Escaped(step->detail()), "\"];\n");
    }
    absl::StrAppend(&text, "  }\n");
    for (size_t i = 1; i < steps.size(); ++i) {
      absl::StrAppend(&text, "  s", steps[i - 1]->index(), " -> s",
                      steps[i]->index(), ";\n");
    }
  }
  for (const auto& step : plan.steps()) {
    for (const uint32_t wait : step.waits()) {
      absl::StrAppend(&text, "  s", wait, " -> s", step.index(),
                      " [style=dashed];\n");
    }
  }
  absl::StrAppend(&text, "}\n");
  return text;
}

}  // namespace graphd::graphctl
