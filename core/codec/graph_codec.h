// graphd.v1.Graph to and from core/graph/graph.h.
//
// The message names things, the Graph numbers them. Names that do not resolve
// become findings beside those of Validate, all in one answer.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_CODEC_GRAPH_CODEC_H_
#define GRAPHD_CORE_CODEC_GRAPH_CODEC_H_

#include "absl/status/statusor.h"
#include "core/graph/graph.h"
#include "core/graph/validate.h"
#include "core/graph/violation.h"
#include "graphd/v1/graph.pb.h"

namespace graphd {

// Generates missing node names ("kernel3"), computes sizes that follow from
// shapes, and validates. `violations` may be null; else it gets what the error
// lists.
// Errors: INVALID_ARGUMENT with every finding.
absl::StatusOr<Graph> GraphFromProto(const v1::Graph& message,
                                     Violations* violations,
                                     const GraphLimits& limits = {});

// Requires: Validate(graph) found nothing.
v1::Graph GraphToProto(const Graph& graph);

}  // namespace graphd

#endif  // GRAPHD_CORE_CODEC_GRAPH_CODEC_H_
