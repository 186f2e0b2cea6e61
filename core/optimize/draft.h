// A Draft stands between Graph and Plan: mutable, alive only during one
// compilation.
//
// It starts as the graph with every access resolved to byte ranges and the
// order turned into edges. Passes change nodes, buffers and edges, and leave
// their answers (stream, waits, offsets) in it; seal supplies plain answers for
// what is missing and freezes it.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_OPTIMIZE_DRAFT_H_
#define GRAPHD_CORE_OPTIMIZE_DRAFT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "core/analysis/flow_graph.h"
#include "core/base/digest.h"
#include "core/graph/graph.h"
#include "core/plan/explanation.h"
#include "core/plan/plan.h"
#include "core/ptx/access_analysis.h"
#include "core/ptx/ast.h"

namespace graphd {

// A module during compilation: parsed, or opaque when it is a cubin.
struct DraftImage {
  std::string name;
  ImageKind kind = ImageKind::kPtx;
  std::shared_ptr<const ptx::Module> module;  // null for a cubin
  std::string cubin;
};

struct DraftBuffer {
  PlanBuffer plan;        // offset_bytes is meaningful once placed
  BufferId graph_buffer;  // the graph's buffer that it holds; valid for it and
                          // for its staging copy
  std::optional<BufferRole> role;  // of a graph buffer in its own space; none
                                   // for staging and variables
  uint64_t alignment = 256;
  bool shares_bytes = true;  // false: plan-memory gives it bytes of its own
  bool placed = false;
};

struct DraftNode {
  std::string name;
  std::vector<NodeId>
      covers;  // the graph's nodes, in order; empty for inserted nodes
  StepBody
      body;  // BufferId indexes Draft::buffers, ImageId indexes Draft::images
  Hints hints;
  RunPhase phase = RunPhase::kEvery;
  std::shared_ptr<const ptx::KernelFacts>
      facts;  // kernels with PTX; null: opaque (declared accesses only)
};

struct CompileOptions {
  uint32_t streams = 4;                  // at most this many compute streams
  std::vector<std::string> skip_passes;  // names of passes switched off
  bool keep_draft_text =
      false;  // record the draft's text after each pass that changed it
};

class Draft {
 public:
  Draft(const Graph& graph, DeviceDescription device, CompileOptions options)
      : graph_(graph),
        device_(std::move(device)),
        options_(std::move(options)) {}

  // The pieces that passes read and write. `flow` and `nodes` have the same
  // size and indexes.
  FlowGraph flow;
  std::vector<DraftNode> nodes;
  std::vector<DraftBuffer> buffers;
  std::vector<DraftImage> images;
  std::vector<PlanBinding> inputs;  // set by stage-io (or seal)
  std::vector<PlanBinding> outputs;
  Explanation explanation;
  Digest graph_digest;
  // The graph's nodes that no node of the draft carries out any more.
  std::vector<NodeId> dead_nodes;

  // Set with `inputs` and `outputs`: the copies are nodes of the draft.
  bool copies_inserted = false;
  // Answers of assign-streams: order of issue (every live node once,
  // topological) and stream by node index.
  std::vector<NodeId> issue_order;  // empty: not assigned
  std::vector<StreamId> streams;
  uint32_t stream_count = 0;
  // Answer of reduce-waits, by node index: cross-stream predecessors that need
  // a wait.
  std::optional<std::vector<FlowGraph::NodeList>> waits;
  // Answer of plan-memory: all buffers placed.
  uint64_t device_arena_bytes = 0;
  uint64_t host_arena_bytes = 0;
  bool memory_planned = false;

  NodeId AddNode(DraftNode node, FlowGraph::FlowNode flow_node) {
    nodes.push_back(std::move(node));
    return flow.Add(std::move(flow_node));
  }
  BufferId AddBuffer(DraftBuffer buffer) {
    buffers.push_back(std::move(buffer));
    return BufferId(buffers.size() - 1);
  }
  // `wanted`, with "_" added while a node of the graph or an earlier answer has
  // that name.
  std::string UniqueName(std::string wanted);

  const Graph& graph() const { return graph_; }
  const DeviceDescription& device() const { return device_; }
  const CompileOptions& options() const { return options_; }

 private:
  const Graph& graph_;  // outlives the draft
  DeviceDescription device_;
  CompileOptions options_;
  absl::flat_hash_set<std::string> names_;  // filled by the first UniqueName
};

// One line a node and one a buffer; equal drafts give equal text.
std::string DraftText(const Draft& draft);

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_DRAFT_H_
