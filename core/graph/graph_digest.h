// The digest of a graph: SHA-256 over a canonical, versioned encoding of
// everything that changes what a run computes.
//
// Names, roles, sizes, modules' digests, nodes with their fields and their
// order, and `after` sorted and without duplicates go in; the description,
// hints, and fields without meaning (a pitch of one row) stay out. The encoding
// is a promise: tests hold digests as literals.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_GRAPH_GRAPH_DIGEST_H_
#define GRAPHD_CORE_GRAPH_GRAPH_DIGEST_H_

#include "core/base/digest.h"
#include "core/graph/graph.h"

namespace graphd {

// Requires: Validate(graph) found nothing.
Digest GraphDigest(const Graph& graph);

// Of the nodes' hints; with the graph's digest it names what the compiler got.
Digest HintsDigest(const Graph& graph);

// Kind, code, options and name expressions; not the name.
Digest ModuleDigest(const Module& module);

}  // namespace graphd

#endif  // GRAPHD_CORE_GRAPH_GRAPH_DIGEST_H_
