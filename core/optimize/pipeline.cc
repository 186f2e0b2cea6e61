#include "core/optimize/pipeline.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/optimize/assign_streams.h"
#include "core/optimize/plan_memory.h"
#include "core/optimize/reduce_waits.h"
#include "core/optimize/remove_dead_nodes.h"
#include "core/optimize/stage_io.h"

namespace graphd {
namespace {

constexpr Pass kPasses[] = {
    {"remove-dead-nodes", "drop what no output depends on", &RemoveDeadNodes},
    {"stage-io", "put the copies of inputs and outputs into the draft",
     &StageIo},
    {"assign-streams", "give each node a stream and a place in the order",
     &AssignStreams},
    {"plan-memory", "let buffers lie on the same bytes one after the other",
     &PlanMemory},
    {"reduce-waits", "keep only the waits that say something new",
     &ReduceWaits},
};

bool IsSkipped(const CompileOptions& options, absl::string_view pass) {
  return std::find(options.skip_passes.begin(), options.skip_passes.end(),
                   pass) != options.skip_passes.end();
}

uint64_t LiveNodes(const Draft& draft) {
  uint64_t live = 0;
  for (size_t i = 0; i < draft.flow.size(); ++i) {
    live += !draft.flow.node(NodeId(i)).removed;
  }
  return live;
}

absl::Status CheckEdges(const Draft& draft) {
  const size_t size = draft.flow.size();
  if (draft.nodes.size() != size) {
    return absl::InternalError(absl::StrCat("the draft has ", size,
                                            " flow nodes and ",
                                            draft.nodes.size(), " nodes"));
  }
  for (size_t i = 0; i < size; ++i) {
    const FlowGraph::FlowNode& node = draft.flow.node(NodeId(i));
    if (node.removed && !node.predecessors.empty()) {
      return absl::InternalError(absl::StrCat(
          "removed node \"", draft.nodes[i].name, "\" has predecessors"));
    }
    for (const NodeId before : node.predecessors) {
      if (before.index() >= size || before.index() == i ||
          draft.flow.node(before).removed) {
        return absl::InternalError(
            absl::StrCat("node \"", draft.nodes[i].name, "\" follows node ",
                         before.value(), ", which is no other live node"));
      }
    }
    for (const Access& access : node.accesses) {
      if (access.buffer.index() >= draft.buffers.size()) {
        return absl::InternalError(
            absl::StrCat("node \"", draft.nodes[i].name,
                         "\" touches a buffer that is not there"));
      }
    }
  }
  return absl::OkStatus();
}

// Issue order: each live node once, after its predecessors, on a stream.
absl::Status CheckSchedule(const Draft& draft, uint64_t live) {
  if (draft.issue_order.empty()) return absl::OkStatus();
  std::vector<bool> issued(draft.flow.size(), false);
  for (const NodeId node : draft.issue_order) {
    const std::string& name = draft.nodes[node.index()].name;
    if (issued[node.index()] || draft.flow.node(node).removed) {
      return absl::InternalError(
          absl::StrCat("node \"", name, "\" is issued twice or removed"));
    }
    for (const NodeId before : draft.flow.node(node).predecessors) {
      if (!issued[before.index()]) {
        return absl::InternalError(absl::StrCat(
            "node \"", name, "\" is issued before its predecessor \"",
            draft.nodes[before.index()].name, "\""));
      }
    }
    if (draft.streams[node.index()].index() >= draft.stream_count) {
      return absl::InternalError(
          absl::StrCat("node \"", name, "\" has no stream"));
    }
    issued[node.index()] = true;
  }
  if (draft.issue_order.size() != live) {
    return absl::InternalError(absl::StrCat(draft.issue_order.size(), " of ",
                                            live, " nodes are issued"));
  }
  return absl::OkStatus();
}

// `edits`: of the flow graph when its edges were last found sound.
absl::Status CheckDraft(const Draft& draft, AnalysisCache& facts,
                        uint64_t& edits) {
  if (edits != draft.flow.edits()) {
    GRAPHD_RETURN_IF_ERROR(CheckEdges(draft));
    if (!facts.topological_order().complete()) {
      return absl::InternalError("the draft has a cycle");
    }
    edits = draft.flow.edits();
  }
  return CheckSchedule(draft, facts.topological_order().order().size());
}

}  // namespace

absl::Span<const Pass> Passes() { return kPasses; }

absl::Status CheckSkippedPasses(absl::Span<const Pass> passes,
                                const CompileOptions& options) {
  for (const std::string& name : options.skip_passes) {
    const bool known =
        std::any_of(passes.begin(), passes.end(),
                    [&](const Pass& pass) { return pass.name == name; });
    if (known) continue;
    std::string names;
    for (const Pass& pass : passes) {
      absl::StrAppend(&names, names.empty() ? "" : ", ", pass.name);
    }
    return absl::InvalidArgumentError(
        absl::StrCat("skip_passes: no pass \"", name, "\"; there are ", names));
  }
  return absl::OkStatus();
}

absl::Status RunPasses(Draft& draft, AnalysisCache& facts,
                       absl::Span<const Pass> passes,
                       const CompileClock& clock) {
  const bool keep_text = draft.options().keep_draft_text;
  std::string text = keep_text ? DraftText(draft) : "";
  uint64_t edits = 0;
  for (const Pass& pass : passes) {
    const absl::Time start = clock.now();
    if (start > clock.deadline) {
      return absl::DeadlineExceededError(absl::StrCat(
          "the compilation's deadline passed before pass ", pass.name));
    }
    PassStatistics statistics;
    statistics.pass = std::string(pass.name);
    statistics.nodes_before = LiveNodes(draft);
    statistics.skipped = IsSkipped(draft.options(), pass.name);
    if (!statistics.skipped) {
      GRAPHD_RETURN_IF_ERROR(pass.run(draft, facts));
      statistics.seconds = absl::ToDoubleSeconds(clock.now() - start);
      if (const absl::Status sound = CheckDraft(draft, facts, edits);
          !sound.ok()) {
        return absl::InternalError(
            absl::StrCat("after pass ", pass.name, ": ", sound.message()));
      }
      if (keep_text) {
        std::string after = DraftText(draft);
        if (after != text) statistics.draft_text = after;
        text = std::move(after);
      }
    }
    statistics.nodes_after = LiveNodes(draft);
    draft.explanation.passes.push_back(std::move(statistics));
  }
  return absl::OkStatus();
}

}  // namespace graphd
