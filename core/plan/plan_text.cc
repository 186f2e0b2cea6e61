#include "core/plan/plan_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace graphd {
namespace {

constexpr size_t kColumns = 80;

// Columns of UTF-8 text: every byte that starts a character.
size_t Columns(absl::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string Shortened(std::string text, size_t columns) {
  if (Columns(text) <= columns) return text;
  size_t kept = 0;
  size_t at = 0;
  while (at < text.size() &&
         (kept < columns - 1 || (text[at] & 0xc0) == 0x80)) {
    kept += (text[at] & 0xc0) != 0x80;
    ++at;
  }
  return absl::StrCat(text.substr(0, at), "…");
}

struct Branch {
  std::string text;
  std::vector<Branch> children;
};

void Draw(const std::vector<Branch>& branches, const std::string& indent,
          std::string& out) {
  for (size_t i = 0; i < branches.size(); ++i) {
    const bool last = i + 1 == branches.size();
    const std::string line =
        absl::StrCat(indent, last ? "└─ " : "├─ ", branches[i].text);
    absl::StrAppend(&out, Shortened(line, kColumns), "\n");
    Draw(branches[i].children, absl::StrCat(indent, last ? "   " : "│  "), out);
  }
}

std::string Dimensions(const Plan& plan, const LaunchShape& shape) {
  std::vector<std::string> parts;
  for (const LaunchDimension& dimension : shape) {
    parts.push_back(dimension.parameter.valid()
                        ? plan.parameters[dimension.parameter.index()].name
                        : absl::StrCat(dimension.value));
  }
  while (parts.size() > 1 && parts.back() == "1") parts.pop_back();
  return absl::StrJoin(parts, "x");
}

std::string BodyText(const Plan& plan, const KernelStep& step) {
  return absl::StrCat(step.function, " <<<", Dimensions(plan, step.grid), ", ",
                      Dimensions(plan, step.block), ">>>");
}
std::string BodyText(const Plan& plan, const MemcpyStep& step) {
  return absl::StrCat(step.width_bytes * step.height, " bytes ",
                      plan.buffers[step.src.index()].name, " → ",
                      plan.buffers[step.dst.index()].name);
}
std::string BodyText(const Plan& plan, const MemsetStep& step) {
  return absl::StrCat(step.width * step.height * step.pattern_bytes,
                      " bytes of ", plan.buffers[step.dst.index()].name);
}
std::string BodyText(const Plan&, const EmptyStep&) { return "barrier"; }

std::string Detail(const Plan& plan, const PlanStep& step) {
  std::string text = std::visit(
      [&](const auto& body) { return BodyText(plan, body); }, step.body);
  if (step.phase == RunPhase::kFirst) text += ", first execution only";
  if (step.phase == RunPhase::kLast) text += ", last execution only";
  return text;
}

Branch StreamBranch(const Plan& plan, size_t stream) {
  Branch branch{absl::StrCat("stream ", stream), {}};
  for (const PlanStep& step : plan.steps) {
    if (step.stream.index() != stream) continue;
    Branch line{absl::StrCat(step.name, ": ", Detail(plan, step)), {}};
    if (step.nodes.size() > 1) {
      line.children.push_back(
          {absl::StrCat("does ", absl::StrJoin(step.nodes, ", ")), {}});
    }
    std::vector<std::string> waits;
    for (const StepId wait : step.waits) {
      waits.push_back(plan.steps[wait.index()].name);
    }
    if (!waits.empty()) {
      line.children.push_back(
          {absl::StrCat("waits for ", absl::StrJoin(waits, ", ")), {}});
    }
    branch.children.push_back(std::move(line));
  }
  return branch;
}

Branch MemoryBranch(const Plan& plan, const Explanation& explanation) {
  Branch branch{
      absl::StrCat("device memory: ", plan.device_arena_bytes, " bytes (",
                   explanation.device_unshared_bytes, " unshared, bound ",
                   explanation.device_arena_bound_bytes,
                   "); host: ", plan.host_arena_bytes),
      {}};
  for (const PlanBuffer& buffer : plan.buffers) {
    if (buffer.place != BufferPlace::kDeviceArena) continue;
    branch.children.push_back(
        {absl::StrCat(buffer.name, ": ", buffer.size_bytes, " bytes at ",
                      buffer.offset_bytes),
         {}});
  }
  return branch;
}

std::string Escaped(absl::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace

std::string PlanTree(const Plan& plan, const Explanation& explanation) {
  std::vector<Branch> branches;
  for (size_t i = 0; i < plan.stream_count; ++i) {
    branches.push_back(StreamBranch(plan, i));
  }
  branches.push_back(MemoryBranch(plan, explanation));
  if (!explanation.fusions.empty()) {
    Branch fusions{"fusions", {}};
    for (const FusionDecision& decision : explanation.fusions) {
      fusions.children.push_back(
          {absl::StrCat(decision.fused ? "fused " : "kept apart ",
                        absl::StrJoin(decision.nodes, ", ")),
           {{decision.reason, {}}}});
    }
    branches.push_back(std::move(fusions));
  }
  if (!explanation.warnings.empty()) {
    Branch warnings{"warnings", {}};
    for (const std::string& warning : explanation.warnings) {
      warnings.children.push_back({warning, {}});
    }
    branches.push_back(std::move(warnings));
  }
  std::string out = Shortened(
      absl::StrCat("plan of ", plan.steps.size(), " steps on ",
                   plan.stream_count,
                   plan.stream_count == 1 ? " stream" : " streams", " for ",
                   plan.device.name.empty() ? "a device" : plan.device.name),
      kColumns);
  out += "\n";
  Draw(branches, "", out);
  return out;
}

std::string PlanDot(const Plan& plan) {
  std::string out = "digraph plan {\n  node [shape=box];\n";
  for (size_t stream = 0; stream < plan.stream_count; ++stream) {
    absl::StrAppend(&out, "  subgraph cluster_", stream,
                    " {\n    label=\"stream ", stream, "\";\n");
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      if (plan.steps[i].stream.index() != stream) continue;
      absl::StrAppend(&out, "    s", i, " [label=\"",
                      Escaped(plan.steps[i].name), "\"];\n");
    }
    out += "  }\n";
  }
  const std::vector<int64_t> previous = PreviousOnStream(plan);
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    if (previous[i] >= 0) {
      absl::StrAppend(&out, "  s", previous[i], " -> s", i, ";\n");
    }
    for (const StepId wait : plan.steps[i].waits) {
      absl::StrAppend(&out, "  s", wait.value(), " -> s", i,
                      " [style=dashed];\n");
    }
  }
  return out + "}\n";
}

}  // namespace graphd
