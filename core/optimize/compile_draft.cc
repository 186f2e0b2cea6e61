#include "core/optimize/compile_draft.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/optimize/pipeline.h"
#include "core/optimize/seal.h"
#include "core/plan/verify.h"

namespace graphd {
namespace {

// Whether the compilation itself went wrong, as opposed to what it was asked.
struct Attempt {
  CompileResult result;
  absl::Status proof;  // of the plan, or of the passes
};

class Compiler {
 public:
  Compiler(const Graph& graph, const DeviceDescription& device,
           const CompileClock& clock, absl::Span<const Pass> passes,
           const DraftMaker& make)
      : graph_(graph),
        device_(device),
        clock_(clock),
        passes_(passes),
        make_(make) {}

  absl::StatusOr<CompileResult> Compile(const CompileOptions& options) {
    GRAPHD_ASSIGN_OR_RETURN(Attempt attempt, Try(options));
    if (attempt.proof.ok()) return std::move(attempt.result);
    GRAPHD_ASSIGN_OR_RETURN(const std::string guilty, FindGuilty(options));
    CompileOptions plain = options;
    plain.skip_passes.clear();
    for (const Pass& pass : passes_) {
      plain.skip_passes.emplace_back(pass.name);
    }
    GRAPHD_ASSIGN_OR_RETURN(Attempt fallback, Try(plain));
    if (!fallback.proof.ok()) {
      return absl::InternalError(absl::StrCat(
          "the plain plan does not verify: ", fallback.proof.message()));
    }
    fallback.result.explanation.warnings.push_back(absl::StrCat(
        "the optimised plan does not verify (", attempt.proof.message(), "); ",
        guilty, "; this is the plain plan"));
    return std::move(fallback.result);
  }

 private:
  absl::StatusOr<Attempt> Try(const CompileOptions& options) {
    Draft draft(graph_, device_, options);
    GRAPHD_RETURN_IF_ERROR(make_(draft));
    AnalysisCache facts(draft.flow);
    Attempt attempt;
    const absl::Status passed = RunPasses(draft, facts, passes_, clock_);
    if (absl::IsInternal(passed)) {
      attempt.proof = passed;
      return attempt;
    }
    GRAPHD_RETURN_IF_ERROR(passed);
    const absl::Time start = clock_.now();
    auto plan = std::make_shared<const Plan>(Seal(draft, facts));
    Record("seal", start, plan->steps.size(), draft.explanation);
    const absl::Time sealed = clock_.now();
    if (sealed > clock_.deadline) {
      return absl::DeadlineExceededError(
          "the compilation's deadline passed before the plan was verified");
    }
    const std::vector<std::string> expected = CoveredNodes(draft);
    attempt.proof = VerifyPlan(*plan, &expected);
    Record("verify", sealed, plan->steps.size(), draft.explanation);
    attempt.result.plan = std::move(plan);
    attempt.result.explanation = std::move(draft.explanation);
    return attempt;
  }

  void Record(absl::string_view name, absl::Time start, uint64_t nodes,
              Explanation& to) const {
    PassStatistics statistics;
    statistics.pass = std::string(name);
    statistics.seconds = absl::ToDoubleSeconds(clock_.now() - start);
    statistics.nodes_before = statistics.nodes_after = nodes;
    to.passes.push_back(std::move(statistics));
  }

  // Names of the graph's nodes that the passes did not find dead.
  std::vector<std::string> CoveredNodes(const Draft& draft) const {
    std::vector<std::string> names;
    names.reserve(graph_.nodes.size());
    std::vector<bool> dead(graph_.nodes.size(), false);
    for (const NodeId node : draft.dead_nodes) dead[node.index()] = true;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (!dead[i]) names.push_back(graph_.nodes[i].name);
    }
    return names;
  }

  absl::StatusOr<std::string> FindGuilty(const CompileOptions& options) {
    for (const Pass& pass : passes_) {
      CompileOptions without = options;
      without.keep_draft_text = false;
      without.skip_passes.emplace_back(pass.name);
      GRAPHD_ASSIGN_OR_RETURN(const Attempt attempt, Try(without));
      if (attempt.proof.ok()) {
        return absl::StrCat("without pass ", pass.name, " it does");
      }
    }
    return std::string("no single pass is to blame");
  }

  const Graph& graph_;
  const DeviceDescription& device_;
  const CompileClock& clock_;
  const absl::Span<const Pass> passes_;
  const DraftMaker& make_;
};

}  // namespace

absl::StatusOr<CompileResult> CompileDraft(const Graph& graph,
                                           const DeviceDescription& device,
                                           const CompileOptions& options,
                                           const CompileClock& clock,
                                           absl::Span<const Pass> passes,
                                           const DraftMaker& make) {
  GRAPHD_RETURN_IF_ERROR(CheckSkippedPasses(passes, options));
  return Compiler(graph, device, clock, passes, make).Compile(options);
}

}  // namespace graphd
