#include "core/optimize/draft_builder.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/graph/validation.h"
#include "core/optimize/check_kernel.h"
#include "core/optimize/cost_model.h"
#include "core/optimize/derive_accesses.h"
#include "core/optimize/order_edges.h"

namespace graphd {
namespace {

class DraftBuilder {
 public:
  DraftBuilder(Draft& draft, KernelTable* table, Violations& violations)
      : draft_(draft),
        graph_(draft.graph()),
        table_(table),
        violations_(violations) {}

  // By node; null: no kernel, or a finding says why not.
  std::vector<const TableKernel*> kernels;

  void Build() {
    AddBuffers();
    if (table_ != nullptr) FindVariables();
    if (!violations_.empty()) return;
    exact_.reserve(graph_.nodes.size());
    draft_.nodes.reserve(graph_.nodes.size());
    draft_.flow.Reserve(graph_.nodes.size());
    for (size_t i = 0; i < graph_.nodes.size(); ++i) AddNode(NodeId(i));
    AddResets();
    AddOrder(draft_, exact_, violations_);
    draft_.explanation.edges = 0;
    for (size_t i = 0; i < draft_.flow.size(); ++i) {
      draft_.explanation.edges +=
          draft_.flow.node(NodeId(i)).predecessors.size();
    }
  }

 private:
  struct VariableUse {
    bool written = false;
    BufferId buffer;
  };
  using Symbol = std::pair<ModuleId, std::string>;

  void AddBuffers() {
    draft_.buffers.reserve(graph_.buffers.size());
    for (size_t i = 0; i < graph_.buffers.size(); ++i) {
      const Buffer& buffer = graph_.buffers[i];
      DraftBuffer added;
      added.plan.name = buffer.name;
      added.plan.place = buffer.space == MemorySpace::kHost
                             ? BufferPlace::kHostArena
                             : BufferPlace::kDeviceArena;
      added.plan.size_bytes = buffer.size_bytes;
      added.graph_buffer = BufferId(i);
      added.role = buffer.role;
      draft_.AddBuffer(std::move(added));
    }
  }

  // Variables that nodes write, or copy from.
  void FindVariables() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const NodeBody& body = graph_.nodes[i].body;
      if (const auto* kernel = std::get_if<KernelNode>(&body)) {
        for (const std::string& symbol : Written(*kernel, kernels[i])) {
          Use(kernel->module, symbol, true, "");
        }
      } else if (const auto* copy = std::get_if<MemcpyNode>(&body)) {
        CheckEnd(*copy, copy->src, false, Field(At("nodes", i), "src"));
        CheckEnd(*copy, copy->dst, true, Field(At("nodes", i), "dst"));
      }
    }
    for (auto& [symbol, use] : variables_) AddVariable(symbol, use);
  }

  std::vector<std::string> Written(const KernelNode& node,
                                   const TableKernel* kernel) {
    if (kernel == nullptr || kernel->facts == nullptr) return {};
    std::vector<std::string> symbols = kernel->facts->variables_written;
    if (kernel->facts->has_calls) {
      const std::vector<std::string>& more =
          table_->variables_of_calls(node.module);
      symbols.insert(symbols.end(), more.begin(), more.end());
    }
    return symbols;
  }

  void CheckEnd(const MemcpyNode& copy, const CopyEnd& end, bool is_write,
                const std::string& path) {
    const auto* symbol = std::get_if<ModuleSymbol>(&end.place);
    if (symbol == nullptr) return;
    const ptx::Variable* variable =
        Use(symbol->module, symbol->symbol, is_write, path);
    if (variable == nullptr) return;
    const ByteRange range = CopiedRange(copy, end);
    if (!EndFits(range) || range.end_bytes() > variable->size_bytes()) {
      violations_.Add(path,
                      absl::StrCat("copies ", Describe(range), " of variable ",
                                   Quoted(symbol->symbol), ", which has ",
                                   variable->size_bytes(), " bytes"));
    }
  }

  // Null after a finding at `path`; without one when `path` is empty.
  const ptx::Variable* Use(ModuleId module, const std::string& symbol,
                           bool is_write, const std::string& path) {
    const std::shared_ptr<const ptx::Module> parsed = table_->parsed(module);
    const ptx::Variable* variable =
        parsed == nullptr ? nullptr : parsed->FindVariable(symbol);
    const bool is_memory = variable != nullptr && variable->size_bytes() > 0 &&
                           (variable->space == ptx::Space::kGlobal ||
                            variable->space == ptx::Space::kConst);
    if (!is_memory) {
      if (!path.empty()) {
        violations_.Add(
            path, absl::StrCat("module ", Quoted(graph_.module(module).name),
                               parsed == nullptr
                                   ? " is a cubin, whose variables graphd "
                                     "cannot see; expected PTX or source for "
                                   : " has no variable ",
                               Quoted(symbol)));
      }
      return nullptr;
    }
    variables_[{module, symbol}].written |= is_write;
    return variable;
  }

  void AddVariable(const Symbol& symbol, VariableUse& use) {
    const ptx::Variable* variable =
        table_->parsed(symbol.first)->FindVariable(symbol.second);
    DraftBuffer added;
    added.plan.name =
        absl::StrCat(graph_.module(symbol.first).name, "::", symbol.second);
    added.plan.place = BufferPlace::kModuleVariable;
    added.plan.size_bytes = variable->size_bytes();
    added.plan.image = ImageId(symbol.first.index());
    added.plan.symbol = symbol.second;
    added.shares_bytes = false;
    use.buffer = draft_.AddBuffer(std::move(added));
  }

  // What is written starts afresh in each execution.
  void AddResets() {
    for (const auto& [symbol, use] : variables_) {
      if (!use.written) continue;
      const PlanBuffer variable = draft_.buffers[use.buffer.index()].plan;
      DraftBuffer initial;
      initial.plan = variable;
      initial.plan.name = absl::StrCat(variable.name, " (initial)");
      initial.plan.place = BufferPlace::kHostArena;
      initial.plan.variable_image = true;
      initial.shares_bytes = false;
      MemcpyStep copy;
      copy.src = draft_.AddBuffer(std::move(initial));
      copy.dst = use.buffer;
      copy.width_bytes = variable.size_bytes;
      DraftNode node;
      node.name = draft_.UniqueName(absl::StrCat("reset ", variable.name));
      node.body = copy;
      FlowGraph::FlowNode flow;
      const ByteRange all{.width_bytes = variable.size_bytes};
      flow.accesses = {{copy.src, all, AccessKind::kMayRead},
                       {copy.dst, all, AccessKind::kMustWrite}};
      flow.cost_ns = CostOf(draft_, node, flow.accesses);
      draft_.AddNode(std::move(node), std::move(flow));
      exact_.push_back(kAllExact);
    }
  }

  void AddNode(NodeId id) {
    const Node& from = graph_.node(id);
    DraftNode node;
    node.name = from.name;
    node.covers = {id};
    node.hints = from.hints;
    FlowGraph::FlowNode flow;
    ExactMask exact = kAllExact;
    if (const auto* kernel = std::get_if<KernelNode>(&from.body)) {
      const TableKernel& found = *kernels[id.index()];
      node.facts = found.facts;
      node.body = KernelStep{ImageId(kernel->module.index()),
                             found.entry,
                             kernel->grid,
                             kernel->block,
                             kernel->shared_bytes,
                             kernel->args};
      if (kernel->accesses_declared) {
        flow.accesses.assign(kernel->accesses.begin(), kernel->accesses.end());
      } else {
        flow.accesses = DeriveAccesses(graph_, *kernel, *found.facts);
        exact = 0;
      }
      AddVariableAccesses(*kernel, found, flow.accesses, exact);
    } else if (const auto* copy = std::get_if<MemcpyNode>(&from.body)) {
      const MemcpyStep step = ToStep(*copy);
      flow.accesses = {
          {step.src, CopiedRange(*copy, copy->src), AccessKind::kMayRead},
          {step.dst, CopiedRange(*copy, copy->dst), AccessKind::kMustWrite}};
      node.body = step;
    } else if (const auto* fill = std::get_if<MemsetNode>(&from.body)) {
      flow.accesses.push_back(
          {fill->dst, FilledRange(*fill), AccessKind::kMustWrite});
      node.body = *fill;
    } else {
      node.body = EmptyStep{};
    }
    for (const NodeId before : from.after) flow.predecessors.push_back(before);
    flow.cost_ns = CostOf(draft_, node, flow.accesses);
    draft_.AddNode(std::move(node), std::move(flow));
    exact_.push_back(exact);
  }

  MemcpyStep ToStep(const MemcpyNode& copy) {
    MemcpyStep step;
    step.src = BufferOf(copy.src);
    step.src_offset_bytes = copy.src.offset_bytes;
    step.dst = BufferOf(copy.dst);
    step.dst_offset_bytes = copy.dst.offset_bytes;
    step.width_bytes = copy.width_bytes;
    step.height = copy.height;
    if (copy.height > 1) {
      step.src_pitch_bytes = copy.src.pitch_bytes;
      step.dst_pitch_bytes = copy.dst.pitch_bytes;
    }
    return step;
  }

  BufferId BufferOf(const CopyEnd& end) {
    if (const auto* buffer = std::get_if<BufferId>(&end.place)) return *buffer;
    const auto& symbol = std::get<ModuleSymbol>(end.place);
    return variables_[{symbol.module, symbol.symbol}].buffer;
  }

  // A variable that some node writes is memory of every kernel that names it.
  void AddVariableAccesses(const KernelNode& node, const TableKernel& kernel,
                           FlowGraph::AccessList& accesses, ExactMask& exact) {
    if (table_ == nullptr || kernel.facts == nullptr || variables_.empty()) {
      return;
    }
    const std::vector<std::string> written = Written(node, &kernel);
    const size_t declared = accesses.size();
    for (auto it = variables_.lower_bound({node.module, ""});
         it != variables_.end() && it->first.first == node.module; ++it) {
      const std::string& symbol = it->first.second;
      const auto names = [&](const std::vector<std::string>& list) {
        return std::find(list.begin(), list.end(), symbol) != list.end();
      };
      const bool writes = names(written);
      if (!writes && !names(kernel.facts->variables_read)) continue;
      const ByteRange all{
          .width_bytes =
              draft_.buffers[it->second.buffer.index()].plan.size_bytes};
      accesses.push_back({it->second.buffer, all, AccessKind::kMayRead});
      if (writes) {
        accesses.push_back({it->second.buffer, all, AccessKind::kMayWrite});
      }
    }
    if (declared < 64) exact &= (ExactMask{1} << declared) - 1;
  }

  Draft& draft_;
  const Graph& graph_;
  KernelTable* table_;  // null: kernels have no code
  Violations& violations_;
  std::vector<ExactMask> exact_;  // by node
  std::map<Symbol, VariableUse> variables_;
};

}  // namespace

void BuildDraft(Draft& draft, const std::vector<ModuleImage>& images,
                Violations& violations) {
  const Graph& graph = draft.graph();
  KernelTable table(graph, images, violations);
  DraftBuilder builder(draft, &table, violations);
  builder.kernels.resize(graph.nodes.size(), nullptr);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto* kernel = std::get_if<KernelNode>(&graph.nodes[i].body);
    if (kernel == nullptr) continue;
    const std::string path = At("nodes", i);
    builder.kernels[i] = table.Find(kernel->module, kernel->function,
                                    Field(path, "function"), violations);
    if (builder.kernels[i] != nullptr && builder.kernels[i]->code != nullptr) {
      CheckKernelNode(graph, *kernel, *builder.kernels[i], path, violations);
    }
  }
  if (!violations.empty()) return;
  for (size_t i = 0; i < images.size(); ++i) {
    DraftImage image;
    image.name = graph.modules[i].name;
    image.kind = images[i].kind;
    image.module = table.parsed(ModuleId(i));
    if (image.kind == ImageKind::kCubin) image.cubin = images[i].code;
    draft.images.push_back(std::move(image));
  }
  builder.Build();
}

void BuildDeclaredDraft(
    Draft& draft,
    const std::function<std::shared_ptr<const ptx::KernelFacts>(NodeId)>&
        facts_of,
    Violations& violations) {
  const Graph& graph = draft.graph();
  std::vector<TableKernel> kernels(graph.nodes.size());
  DraftBuilder builder(draft, nullptr, violations);
  builder.kernels.resize(graph.nodes.size(), nullptr);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto* kernel = std::get_if<KernelNode>(&graph.nodes[i].body);
    if (kernel == nullptr) continue;
    kernels[i].entry = kernel->function;
    kernels[i].facts = facts_of(NodeId(i));
    builder.kernels[i] = &kernels[i];
  }
  for (const Module& module : graph.modules) {
    DraftImage image;
    image.name = module.name;
    image.kind = ImageKind::kCubin;
    draft.images.push_back(std::move(image));
  }
  builder.Build();
}

}  // namespace graphd
