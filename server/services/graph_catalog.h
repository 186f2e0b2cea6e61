// GraphCatalog is what the daemon knows about stored graphs: it checks and
// stores definitions, finds them by reference, and makes their plans.
//
// What a replay needs of a graph (its bindings) is kept in memory by reference,
// so that a warm replay touches neither the disk nor the definition.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_SERVER_SERVICES_GRAPH_CATALOG_H_
#define GRAPHD_SERVER_SERVICES_GRAPH_CATALOG_H_

#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/base/digest.h"
#include "core/graph/graph.h"
#include "core/plan/plan_cache.h"
#include "graphd/internal/v1/worker.pb.h"
#include "graphd/v1/graph.pb.h"
#include "server/runs/compiler_client.h"
#include "server/runs/device_lane.h"
#include "server/store/graph_store.h"

namespace graphd {

// What a run must know of a graph.
struct GraphFacts {
  Digest digest;
  Digest hints;
  std::vector<Buffer> inputs;
  std::vector<Buffer> outputs;
  std::vector<Parameter> parameters;
};
using GraphFactsPtr = std::shared_ptr<const GraphFacts>;

// The status that `reply` carries, with its findings as details.
absl::Status StatusOfReply(const internal::v1::ChannelReply& reply);

class GraphCatalog {
 public:
  using Patience = CompilerClient::Patience;

  // `store` and `compiler` outlive the catalog.
  GraphCatalog(GraphStore& store, CompilerClient& compiler,
               uint64_t plan_cache_bytes);

  // Errors: see SubmitGraph.
  absl::StatusOr<v1::SubmitGraphResponse> Submit(
      const v1::SubmitGraphRequest& request, const Patience& patience);
  // Errors: INVALID_ARGUMENT, NOT_FOUND, DATA_LOSS.
  absl::StatusOr<GraphFactsPtr> Find(const std::string& reference);
  absl::StatusOr<v1::GraphRecord> Get(const v1::GetGraphRequest& request);
  absl::StatusOr<v1::ListGraphsResponse> List(
      const v1::ListGraphsRequest& request);
  absl::StatusOr<v1::DeleteGraphResponse> Delete(
      const v1::DeleteGraphRequest& request);

  // The plan of a graph for a device, made or remembered.
  absl::StatusOr<PlanCache::Found> Plan(const GraphFactsPtr& facts,
                                        const DeviceRecordPtr& device,
                                        const v1::CompileOptions& options);
  // The same, made anew with the draft's text after each pass.
  absl::StatusOr<PlanCache::Entry> PlanWithDrafts(
      const GraphFacts& facts, const internal::v1::DeviceRecord& device,
      const v1::CompileOptions& options, const Patience& patience);

 private:
  absl::StatusOr<std::string> Check(const Digest& digest,
                                    const std::string& definition,
                                    const Patience& patience);
  absl::StatusOr<GraphFactsPtr> Load(const Digest& digest);
  absl::StatusOr<PlanCache::Entry> Compile(
      const GraphFacts& facts, const internal::v1::DeviceRecord& device,
      const v1::CompileOptions& options, bool keep_draft_text,
      const Patience& patience);
  absl::StatusOr<Digest> KeyOf(const GraphFactsPtr& facts,
                               const DeviceRecordPtr& device,
                               const v1::CompileOptions& options);
  void Forget();

  GraphStore& store_;
  CompilerClient& compiler_;
  PlanCache plans_;

  std::shared_mutex mutex_;
  uint64_t generation_ = 0;  // of the store's content
  std::unordered_map<std::string, GraphFactsPtr> by_reference_;
  // Plan keys of calls without skipped passes: the pointers that a key is found
  // by stay alive with it.
  struct KnownKey {
    GraphFactsPtr facts;
    DeviceRecordPtr device;
    Digest key;
  };
  using KeyName = std::tuple<const GraphFacts*,
                             const internal::v1::DeviceRecord*, uint32_t>;
  std::map<KeyName, KnownKey> keys_;
};

}  // namespace graphd

#endif  // GRAPHD_SERVER_SERVICES_GRAPH_CATALOG_H_
