#include "server/services/graph_catalog.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/codec/device_codec.h"
#include "core/codec/graph_codec.h"
#include "core/graph/graph_digest.h"
#include "server/services/grpc_status.h"

namespace graphd {
namespace {

using internal::v1::ChannelReply;
using internal::v1::ChannelRequest;

constexpr absl::Duration kAnswersKept = absl::Hours(1);
constexpr size_t kLongestRequestId = 128;
constexpr int kDefaultPage = 100;
constexpr int kLargestPage = 1000;
constexpr size_t kMostReferences = 4096;
constexpr uint32_t kDefaultStreams = 4;
constexpr uint32_t kMostStreams = 64;
// Part of a plan's key: plans of another compiler are not ours.
constexpr absl::string_view kCompilerVersion = "graphd 0.1.0";

absl::Status CheckOptions(const v1::CompileOptions& options) {
  Violations violations;
  if (options.streams() > kMostStreams) {
    violations.Add("options.streams",
                   absl::StrCat("expected at most ", kMostStreams, ", found ",
                                options.streams()));
  }
  if (options.skip_passes_size() > 64) {
    violations.Add("options.skip_passes",
                   absl::StrCat("expected at most 64, found ",
                                options.skip_passes_size()));
  }
  return ViolationsStatus(violations, "options");
}

uint32_t StreamsOf(const v1::CompileOptions& options) {
  return options.streams() == 0 ? kDefaultStreams : options.streams();
}

v1::GraphRecord ToMessage(const GraphStore::Record& record) {
  v1::GraphRecord message;
  message.set_digest(record.digest.ToString());
  for (const GraphStore::Revision& revision : record.revisions) {
    v1::NamedRevision& named = *message.add_names();
    named.set_name(revision.name);
    named.set_revision(revision.revision);
    named.set_latest(revision.latest);
  }
  const int64_t ns = absl::ToUnixNanos(record.created);
  message.mutable_create_time()->set_seconds(ns / 1000000000);
  message.mutable_create_time()->set_nanos(
      static_cast<int32_t>(ns % 1000000000));
  message.mutable_summary()->ParseFromString(record.summary);
  return message;
}

absl::StatusOr<v1::Graph> ParseStored(const Digest& digest,
                                      const std::string& definition) {
  v1::Graph graph;
  if (graph.ParseFromString(definition)) return graph;
  return absl::DataLossError(absl::StrCat(
      "graph ", digest.ToString(), ": its stored definition does not parse"));
}

GraphFactsPtr FactsOf(const Graph& graph, const Digest& digest) {
  auto facts = std::make_shared<GraphFacts>();
  facts->digest = digest;
  facts->hints = HintsDigest(graph);
  for (const Buffer& buffer : graph.buffers) {
    if (buffer.role == BufferRole::kInput) facts->inputs.push_back(buffer);
    if (buffer.role == BufferRole::kOutput) facts->outputs.push_back(buffer);
  }
  facts->parameters = graph.parameters;
  return facts;
}

}  // namespace

absl::Status StatusOfReply(const ChannelReply& reply) {
  if (reply.code() == 0) return absl::OkStatus();
  std::vector<Violation> violations;
  for (const auto& found : reply.violations()) {
    violations.push_back({found.field(), found.description()});
  }
  return WithViolations(
      absl::Status(static_cast<absl::StatusCode>(reply.code()),
                   reply.message()),
      violations);
}

GraphCatalog::GraphCatalog(GraphStore& store, CompilerClient& compiler,
                           uint64_t plan_cache_bytes)
    : store_(store), compiler_(compiler), plans_(plan_cache_bytes) {}

void GraphCatalog::Forget() {
  std::unique_lock lock(mutex_);
  ++generation_;
  by_reference_.clear();
  keys_.clear();
}

absl::StatusOr<std::string> GraphCatalog::Check(const Digest& digest,
                                                const std::string& definition,
                                                const Patience& patience) {
  ChannelRequest request;
  request.mutable_check()->set_graph(definition);
  GRAPHD_ASSIGN_OR_RETURN(ChannelReply reply,
                          compiler_.Ask(digest, request, patience));
  GRAPHD_RETURN_IF_ERROR(StatusOfReply(reply));
  return std::move(*reply.mutable_check()->mutable_summary());
}

absl::StatusOr<v1::SubmitGraphResponse> GraphCatalog::Submit(
    const v1::SubmitGraphRequest& request, const Patience& patience) {
  if (!request.name().empty()) {
    GRAPHD_RETURN_IF_ERROR(CheckGraphName(request.name()));
  }
  if (request.request_id().size() > kLongestRequestId) {
    return absl::InvalidArgumentError(
        absl::StrCat("request_id has ", request.request_id().size(),
                     " bytes; expected at most ", kLongestRequestId));
  }
  if (!request.has_graph()) {
    return absl::InvalidArgumentError("the request has no graph");
  }
  Violations violations;
  const absl::StatusOr<Graph> graph =
      GraphFromProto(request.graph(), &violations);
  if (!graph.ok()) return WithViolations(graph.status(), violations.found());
  const Digest digest = GraphDigest(*graph);
  const std::string definition = request.graph().SerializeAsString();

  const absl::Time now = absl::Now();
  const bool keeps_answer =
      !request.request_id().empty() && !request.validate_only();
  DigestBuilder content;
  content.Add(digest).Bytes(definition).Bytes(request.name());
  const Digest content_digest = content.Finish();
  v1::SubmitGraphResponse response;
  if (keeps_answer) {
    GRAPHD_ASSIGN_OR_RETURN(
        auto answer, store_.FindAnswer(request.request_id(), content_digest,
                                       now - kAnswersKept));
    if (answer.has_value() && response.ParseFromString(*answer)) {
      return response;
    }
  }

  // A stored graph with this digest passed the check already.
  std::string summary;
  if (auto known = store_.Get(digest); known.ok()) {
    summary = std::move(known->summary);
    response.set_existed(true);
  } else {
    GRAPHD_ASSIGN_OR_RETURN(summary, Check(digest, definition, patience));
  }
  response.set_digest(digest.ToString());
  response.mutable_summary()->ParseFromString(summary);
  if (request.validate_only()) return response;

  GRAPHD_ASSIGN_OR_RETURN(
      const GraphStore::PutResult put,
      store_.Put(digest, definition, summary, request.name(), now));
  Forget();
  response.set_revision(put.revision);
  response.set_existed(put.existed);
  if (keeps_answer) {
    GRAPHD_RETURN_IF_ERROR(
        store_.KeepAnswer(request.request_id(), content_digest,
                          response.SerializeAsString(), now));
  }
  return response;
}

absl::StatusOr<GraphFactsPtr> GraphCatalog::Find(const std::string& reference) {
  uint64_t generation;
  {
    std::shared_lock lock(mutex_);
    const auto found = by_reference_.find(reference);
    if (found != by_reference_.end()) return found->second;
    generation = generation_;
  }
  GRAPHD_ASSIGN_OR_RETURN(const GraphReference parsed,
                          GraphReference::Parse(reference));
  GRAPHD_ASSIGN_OR_RETURN(const Digest digest, store_.Resolve(parsed));
  GRAPHD_ASSIGN_OR_RETURN(GraphFactsPtr facts, Load(digest));
  std::unique_lock lock(mutex_);
  if (generation == generation_) {
    if (by_reference_.size() >= kMostReferences) by_reference_.clear();
    by_reference_[reference] = facts;
  }
  return facts;
}

absl::StatusOr<GraphFactsPtr> GraphCatalog::Load(const Digest& digest) {
  GRAPHD_ASSIGN_OR_RETURN(const std::string definition,
                          store_.GetDefinition(digest));
  GRAPHD_ASSIGN_OR_RETURN(const v1::Graph message,
                          ParseStored(digest, definition));
  const auto graph = GraphFromProto(message, nullptr);
  if (!graph.ok()) {
    return absl::DataLossError(absl::StrCat(
        "graph ", digest.ToString(),
        ": its stored definition is refused: ", graph.status().message()));
  }
  return FactsOf(*graph, digest);
}

absl::StatusOr<v1::GraphRecord> GraphCatalog::Get(
    const v1::GetGraphRequest& request) {
  GRAPHD_ASSIGN_OR_RETURN(const GraphReference reference,
                          GraphReference::Parse(request.graph()));
  GRAPHD_ASSIGN_OR_RETURN(const Digest digest, store_.Resolve(reference));
  GRAPHD_ASSIGN_OR_RETURN(const GraphStore::Record record, store_.Get(digest));
  v1::GraphRecord message = ToMessage(record);
  if (request.include_definition()) {
    GRAPHD_ASSIGN_OR_RETURN(const std::string definition,
                            store_.GetDefinition(digest));
    GRAPHD_ASSIGN_OR_RETURN(*message.mutable_definition(),
                            ParseStored(digest, definition));
  }
  return message;
}

absl::StatusOr<v1::ListGraphsResponse> GraphCatalog::List(
    const v1::ListGraphsRequest& request) {
  if (request.page_size() < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("page_size is ", request.page_size(), "; expected 0 to ",
                     kLargestPage));
  }
  const int size = request.page_size() == 0
                       ? kDefaultPage
                       : std::min(request.page_size(), kLargestPage);
  GRAPHD_ASSIGN_OR_RETURN(
      const GraphStore::Page page,
      store_.List(static_cast<size_t>(size), request.page_token()));
  v1::ListGraphsResponse response;
  for (const GraphStore::Record& record : page.records) {
    *response.add_graphs() = ToMessage(record);
  }
  response.set_next_page_token(page.next_token);
  return response;
}

absl::StatusOr<v1::DeleteGraphResponse> GraphCatalog::Delete(
    const v1::DeleteGraphRequest& request) {
  GRAPHD_ASSIGN_OR_RETURN(const GraphReference reference,
                          GraphReference::Parse(request.graph()));
  GRAPHD_ASSIGN_OR_RETURN(const GraphStore::DeleteResult deleted,
                          store_.Delete(reference));
  Forget();
  v1::DeleteGraphResponse response;
  response.set_deleted_revisions(deleted.revisions);
  for (const Digest& digest : deleted.digests) {
    response.add_deleted_digests(digest.ToString());
  }
  return response;
}

absl::StatusOr<PlanCache::Entry> GraphCatalog::Compile(
    const GraphFacts& facts, const internal::v1::DeviceRecord& device,
    const v1::CompileOptions& options, bool keep_draft_text,
    const Patience& patience) {
  ChannelRequest request;
  internal::v1::CompileRequest& compile = *request.mutable_compile();
  GRAPHD_ASSIGN_OR_RETURN(*compile.mutable_graph(),
                          store_.GetDefinition(facts.digest));
  *compile.mutable_device() = device;
  compile.set_streams(StreamsOf(options));
  *compile.mutable_skip_passes() = options.skip_passes();
  compile.set_keep_draft_text(keep_draft_text);
  GRAPHD_ASSIGN_OR_RETURN(ChannelReply reply,
                          compiler_.Ask(facts.digest, request, patience));
  GRAPHD_RETURN_IF_ERROR(StatusOfReply(reply));
  PlanCache::Entry entry;
  entry.plan = std::move(*reply.mutable_compile()->mutable_plan());
  entry.explanation =
      std::move(*reply.mutable_compile()->mutable_explanation());
  entry.plan_digest = Sha256(entry.plan);
  return entry;
}

absl::StatusOr<Digest> GraphCatalog::KeyOf(const GraphFactsPtr& facts,
                                           const DeviceRecordPtr& device,
                                           const v1::CompileOptions& options) {
  const KeyName name(facts.get(), device.get(), StreamsOf(options));
  const bool plain = options.skip_passes().empty();
  if (plain) {
    std::shared_lock lock(mutex_);
    const auto known = keys_.find(name);
    if (known != keys_.end()) return known->second.key;
  }
  PlanKey key{facts->digest, facts->hints, StreamsOf(options)};
  key.skip_passes.assign(options.skip_passes().begin(),
                         options.skip_passes().end());
  GRAPHD_ASSIGN_OR_RETURN(key.device, DeviceFromRecord(*device));
  key.compiler_version = std::string(kCompilerVersion);
  const Digest digest = key.ToDigest();
  if (plain) {
    std::unique_lock lock(mutex_);
    if (keys_.size() >= kMostReferences) keys_.clear();
    keys_[name] = {facts, device, digest};
  }
  return digest;
}

absl::StatusOr<PlanCache::Found> GraphCatalog::Plan(
    const GraphFactsPtr& facts, const DeviceRecordPtr& device,
    const v1::CompileOptions& options) {
  GRAPHD_RETURN_IF_ERROR(CheckOptions(options));
  GRAPHD_ASSIGN_OR_RETURN(const Digest key, KeyOf(facts, device, options));
  return plans_.GetOrMake(key, [&] {
    // Others may wait for this plan: one client's deadline must not end it.
    return Compile(*facts, *device, options, /*keep_draft_text=*/false,
                   Patience());
  });
}

absl::StatusOr<PlanCache::Entry> GraphCatalog::PlanWithDrafts(
    const GraphFacts& facts, const internal::v1::DeviceRecord& device,
    const v1::CompileOptions& options, const Patience& patience) {
  GRAPHD_RETURN_IF_ERROR(CheckOptions(options));
  return Compile(facts, device, options, /*keep_draft_text=*/true, patience);
}

}  // namespace graphd
