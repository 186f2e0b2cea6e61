#include "core/optimize/seal.h"

#include <algorithm>
#include <utility>

#include "core/optimize/insert_copies.h"
#include "core/optimize/memory_layout.h"
#include "core/optimize/reduce_waits.h"
#include "core/ptx/printer.h"

namespace graphd {
namespace {

class Sealer {
 public:
  Sealer(Draft& draft, AnalysisCache& facts) : draft_(draft), facts_(facts) {}

  Plan Seal() {
    if (!draft_.copies_inserted) AddPlainCopies();
    if (draft_.issue_order.empty()) UseOneStream();
    if (!draft_.waits.has_value()) WaitForEverything();
    FindUsedBuffers();
    PlaceTheRest(draft_, used_);
    UploadAgainWhereBytesAreShared();
    plan_.graph = draft_.graph_digest;
    plan_.device = draft_.device();
    plan_.parameters = draft_.graph().parameters;
    FreezeImages();
    FreezeBuffers();
    FreezeSteps();
    FreezeBindings(draft_.inputs, plan_.inputs);
    FreezeBindings(draft_.outputs, plan_.outputs);
    plan_.device_arena_bytes = draft_.device_arena_bytes;
    plan_.host_arena_bytes = draft_.host_arena_bytes;
    Explain();
    return std::move(plan_);
  }

 private:
  // Uploads before everything, downloads after everything, on stream 0.
  void AddPlainCopies() {
    const InsertedCopies copies = InsertCopies(draft_, facts_.liveness());
    if (draft_.issue_order.empty()) return;
    draft_.streams.resize(draft_.flow.size(), StreamId(0));
    draft_.issue_order.insert(draft_.issue_order.begin(),
                              copies.uploads.begin(), copies.uploads.end());
    draft_.issue_order.insert(draft_.issue_order.end(),
                              copies.downloads.begin(), copies.downloads.end());
    // Never fails.
    if (draft_.waits.has_value()) ReduceWaits(draft_, facts_).IgnoreError();
  }

  void UseOneStream() {
    draft_.issue_order = facts_.topological_order().order();
    draft_.streams.assign(draft_.flow.size(), StreamId(0));
    draft_.stream_count = 1;
    draft_.waits.reset();
  }

  void WaitForEverything() {
    std::vector<FlowGraph::NodeList> waits(draft_.flow.size());
    for (const NodeId node : draft_.issue_order) {
      for (const NodeId before : draft_.flow.node(node).predecessors) {
        if (draft_.streams[before.index()] != draft_.streams[node.index()]) {
          waits[node.index()].push_back(before);
        }
      }
    }
    draft_.waits = std::move(waits);
  }

  void FindUsedBuffers() {
    used_.assign(draft_.buffers.size(), false);
    for (const NodeId id : draft_.issue_order) {
      for (const Access& access : draft_.flow.node(id).accesses) {
        used_[access.buffer.index()] = true;
      }
      // An argument that a kernel ignores still needs an address.
      const auto* kernel =
          std::get_if<KernelStep>(&draft_.nodes[id.index()].body);
      if (kernel == nullptr) continue;
      for (const Argument& argument : kernel->args) {
        if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
          used_[buffer->buffer.index()] = true;
        } else if (const auto* bytes = std::get_if<BytesArgument>(&argument)) {
          for (const BytesArgument::Relocation& r : bytes->relocations) {
            used_[r.buffer.index()] = true;
          }
        }
      }
    }
    for (const auto* bindings : {&draft_.inputs, &draft_.outputs}) {
      for (const PlanBinding& b : *bindings) used_[b.buffer.index()] = true;
    }
  }

  // What another buffer overwrites must come again in each execution.
  void UploadAgainWhereBytesAreShared() {
    const std::vector<bool> shared = SharedBuffers(draft_, used_);
    for (const NodeId id : draft_.issue_order) {
      DraftNode& node = draft_.nodes[id.index()];
      if (node.phase != RunPhase::kFirst) continue;
      const auto& copy = std::get<MemcpyStep>(node.body);
      if (shared[copy.dst.index()]) node.phase = RunPhase::kEvery;
    }
  }

  void FreezeImages() {
    std::vector<bool> used(draft_.images.size(), false);
    std::vector<bool> writes(draft_.images.size(), false);
    for (const NodeId id : draft_.issue_order) {
      const StepBody& body = draft_.nodes[id.index()].body;
      if (const auto* kernel = std::get_if<KernelStep>(&body)) {
        used[kernel->image.index()] = true;
      }
      for (const Access& access : draft_.flow.node(id).accesses) {
        const PlanBuffer& buffer = draft_.buffers[access.buffer.index()].plan;
        if (buffer.place != BufferPlace::kModuleVariable) continue;
        used[buffer.image.index()] = true;
        if (IsWrite(access.kind)) writes[buffer.image.index()] = true;
      }
    }
    images_.assign(draft_.images.size(), ImageId());
    for (size_t i = 0; i < draft_.images.size(); ++i) {
      if (!used[i]) continue;
      images_[i] = ImageId(plan_.images.size());
      const DraftImage& image = draft_.images[i];
      PlanImage frozen;
      frozen.kind = image.kind;
      frozen.writes_variables = writes[i];
      if (image.module == nullptr) {
        frozen.code = image.cubin;
      } else {
        ptx::Module module = *image.module;
        ptx::MakeRoundingExplicit(module);
        frozen.code = ptx::Print(module);
      }
      plan_.images.push_back(std::move(frozen));
    }
  }

  void FreezeBuffers() {
    buffers_.assign(draft_.buffers.size(), BufferId());
    for (size_t i = 0; i < draft_.buffers.size(); ++i) {
      if (!used_[i]) continue;
      buffers_[i] = BufferId(plan_.buffers.size());
      PlanBuffer buffer = draft_.buffers[i].plan;
      if (buffer.image.valid()) buffer.image = images_[buffer.image.index()];
      plan_.buffers.push_back(std::move(buffer));
    }
  }

  void FreezeSteps() {
    std::vector<StepId> steps(draft_.flow.size());
    std::vector<StreamId> streams(draft_.stream_count);
    plan_.stream_count = 0;
    plan_.steps.reserve(draft_.issue_order.size());
    for (const NodeId id : draft_.issue_order) {
      DraftNode& node = draft_.nodes[id.index()];
      steps[id.index()] = StepId(plan_.steps.size());
      PlanStep step;
      for (const NodeId covered : node.covers) {
        step.nodes.push_back(draft_.graph().node(covered).name);
      }
      step.name = std::move(node.name);
      step.body = std::move(node.body);
      std::visit([&](auto& body) { Renumber(body); }, step.body);
      // Streams that nothing is issued to do not exist.
      StreamId& stream = streams[draft_.streams[id.index()].index()];
      if (!stream.valid()) stream = StreamId(plan_.stream_count++);
      step.stream = stream;
      for (const NodeId wait : (*draft_.waits)[id.index()]) {
        step.waits.push_back(steps[wait.index()]);
      }
      std::sort(step.waits.begin(), step.waits.end());
      step.phase = node.phase;
      const FlowGraph::AccessList& accesses = draft_.flow.node(id).accesses;
      step.accesses.assign(accesses.begin(), accesses.end());
      for (Access& access : step.accesses) Renumber(access.buffer);
      plan_.steps.push_back(std::move(step));
    }
    plan_.stream_count = std::max(plan_.stream_count, 1u);
  }

  void FreezeBindings(const std::vector<PlanBinding>& from,
                      std::vector<PlanBinding>& to) {
    for (PlanBinding binding : from) {
      Renumber(binding.buffer);
      to.push_back(std::move(binding));
    }
  }

  void Renumber(BufferId& id) const { id = buffers_[id.index()]; }
  void Renumber(KernelStep& step) const {
    step.image = images_[step.image.index()];
    for (Argument& argument : step.args) {
      if (auto* buffer = std::get_if<BufferArgument>(&argument)) {
        Renumber(buffer->buffer);
      } else if (auto* bytes = std::get_if<BytesArgument>(&argument)) {
        for (auto& relocation : bytes->relocations) {
          Renumber(relocation.buffer);
        }
      }
    }
  }
  void Renumber(MemcpyStep& step) const {
    Renumber(step.src);
    Renumber(step.dst);
  }
  void Renumber(MemsetStep& step) const { Renumber(step.dst); }
  void Renumber(EmptyStep&) const {}

  void Explain() {
    Explanation& to = draft_.explanation;
    to.device_arena_bytes = draft_.device_arena_bytes;
    to.device_unshared_bytes = 0;
    for (size_t i = 0; i < draft_.buffers.size(); ++i) {
      const DraftBuffer& buffer = draft_.buffers[i];
      if (used_[i] && buffer.plan.place == BufferPlace::kDeviceArena) {
        to.device_unshared_bytes +=
            AlignUp(buffer.plan.size_bytes, buffer.alignment);
      }
    }
    if (to.device_arena_bound_bytes == 0) {
      to.device_arena_bound_bytes = to.device_unshared_bytes;
    }
    to.waits = 0;
    std::vector<uint64_t> ends(draft_.flow.size(), 0);
    std::vector<uint64_t> free(draft_.stream_count, 0);
    uint64_t makespan = 0;
    for (const NodeId id : draft_.issue_order) {
      uint64_t& busy = free[draft_.streams[id.index()].index()];
      uint64_t start = busy;
      for (const NodeId wait : (*draft_.waits)[id.index()]) {
        start = std::max(start, ends[wait.index()]);
        ++to.waits;
      }
      busy = ends[id.index()] = start + draft_.flow.node(id).cost_ns;
      makespan = std::max(makespan, busy);
    }
    to.makespan_ns = static_cast<double>(makespan);
    to.critical_path_ns =
        static_cast<double>(facts_.topological_order().critical_path_ns());
  }

  Draft& draft_;
  AnalysisCache& facts_;
  Plan plan_;
  std::vector<bool> used_;         // by draft buffer
  std::vector<BufferId> buffers_;  // plan's, by draft buffer
  std::vector<ImageId> images_;    // plan's, by draft image
};

}  // namespace

Plan Seal(Draft& draft, AnalysisCache& facts) {
  return Sealer(draft, facts).Seal();
}

}  // namespace graphd
