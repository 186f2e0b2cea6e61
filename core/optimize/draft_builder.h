// Graph in, Draft out: kernels found, accesses resolved to bytes, order turned
// into edges.
//
// A module variable that a node writes becomes a buffer: its initial bytes lie
// in a host buffer, and a copy from there stands before every use
// (docs/decisions/0002-module-variables.md). Everything that is wrong with the
// graph beyond its structure is found here, so that checking a graph is
// building its draft.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_OPTIMIZE_DRAFT_BUILDER_H_
#define GRAPHD_CORE_OPTIMIZE_DRAFT_BUILDER_H_

#include <functional>
#include <vector>

#include "core/graph/violation.h"
#include "core/optimize/compile.h"
#include "core/optimize/draft.h"
#include "core/optimize/kernel_table.h"

namespace graphd {

// Fills an empty draft of the graph. After findings the draft is of no use.
// Requires: Validate(draft.graph()) found nothing; one image a module.
void BuildDraft(Draft& draft, const std::vector<ModuleImage>& images,
                Violations& violations);

// The same for kernels that have no code but declare their accesses: schedulers
// and planners can be measured without kernels. `facts_of` gives what fusion
// may know of a node's kernel, or null.
void BuildDeclaredDraft(
    Draft& draft,
    const std::function<std::shared_ptr<const ptx::KernelFacts>(NodeId)>&
        facts_of,
    Violations& violations);

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_DRAFT_BUILDER_H_
