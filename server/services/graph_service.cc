#include "server/services/graph_service.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "server/services/call.h"
#include "server/services/grpc_status.h"

namespace graphd {
namespace {

constexpr int kDefaultSteps = 1000;
constexpr int kMostSteps = 10000;

// Moves a result into the response, or returns its error.
template <typename Message>
grpc::Status Answer(absl::StatusOr<Message> result, Message* response) {
  if (!result.ok()) return ToGrpcStatus(WithRetryAdvice(result.status()));
  *response = *std::move(result);
  return grpc::Status::OK;
}

// Keeps the steps of one page; what is not paged stays on the first one.
absl::Status TakePage(const v1::ExplainGraphRequest& request, v1::Plan& plan) {
  if (request.page_size() < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "page_size is ", request.page_size(), "; expected 0 to ", kMostSteps));
  }
  const int size = request.page_size() == 0
                       ? kDefaultSteps
                       : std::min(request.page_size(), kMostSteps);
  const int total = plan.steps_size();
  int first = 0;
  if (!request.page_token().empty() &&
      (!absl::SimpleAtoi(request.page_token(), &first) || first <= 0 ||
       first > total)) {
    return absl::InvalidArgumentError("page_token is not one of ours");
  }
  const int end = std::min(total, first + size);
  auto* steps = plan.mutable_steps();
  steps->DeleteSubrange(end, total - end);
  steps->DeleteSubrange(0, first);
  plan.set_total_steps(static_cast<uint32_t>(total));
  if (end < total) plan.set_next_page_token(absl::StrCat(end));
  if (first > 0) {
    plan.clear_buffers();
    plan.clear_fusions();
    plan.clear_passes();
    plan.clear_warnings();
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<v1::SubmitGraphResponse> GraphService::Submit(
    grpc::ServerContext& context, const v1::SubmitGraphRequest& request) {
  GRAPHD_ASSIGN_OR_RETURN(const RunRegistry::Entry entry, registry_.Begin());
  auto response = catalog_.Submit(request, PatienceOf(context));
  if (response.ok() && !request.validate_only()) {
    log_.Info("graph stored",
              {{"digest", response->digest()},
               {"name", request.name()},
               {"revision", absl::StrCat(response->revision())}});
  }
  return response;
}

absl::StatusOr<v1::DeleteGraphResponse> GraphService::Delete(
    const v1::DeleteGraphRequest& request) {
  GRAPHD_ASSIGN_OR_RETURN(const RunRegistry::Entry entry, registry_.Begin());
  auto response = catalog_.Delete(request);
  if (response.ok()) {
    log_.Info("graph deleted",
              {{"graph", request.graph()},
               {"revisions", absl::StrCat(response->deleted_revisions())}});
  }
  return response;
}

absl::StatusOr<v1::CompileGraphResponse> GraphService::Compile(
    grpc::ServerContext& context, const v1::CompileGraphRequest& request) {
  GRAPHD_ASSIGN_OR_RETURN(const RunRegistry::Entry entry, registry_.Begin());
  GRAPHD_ASSIGN_OR_RETURN(const GraphFactsPtr facts,
                          catalog_.Find(request.graph()));
  GRAPHD_ASSIGN_OR_RETURN(DeviceLane * lane,
                          dispatcher_.Choose(request.device()));
  GRAPHD_ASSIGN_OR_RETURN(const auto device,
                          lane->Describe(DeadlineOf(context)));
  GRAPHD_ASSIGN_OR_RETURN(const PlanCache::Found found,
                          catalog_.Plan(facts, device, request.options()));
  v1::CompileGraphResponse response;
  response.set_graph_digest(facts->digest.ToString());
  response.set_plan_digest(found.entry->plan_digest.ToString());
  response.set_device(lane->name());
  response.set_cached(found.cached);
  return response;
}

absl::StatusOr<v1::Plan> GraphService::Explain(
    grpc::ServerContext& context, const v1::ExplainGraphRequest& request) {
  GRAPHD_ASSIGN_OR_RETURN(const RunRegistry::Entry entry, registry_.Begin());
  GRAPHD_ASSIGN_OR_RETURN(const GraphFactsPtr facts,
                          catalog_.Find(request.graph()));
  GRAPHD_ASSIGN_OR_RETURN(DeviceLane * lane,
                          dispatcher_.Choose(request.device()));
  GRAPHD_ASSIGN_OR_RETURN(const auto device,
                          lane->Describe(DeadlineOf(context)));
  PlanCache::EntryPtr made;
  if (request.include_passes() && request.page_token().empty()) {
    GRAPHD_ASSIGN_OR_RETURN(
        PlanCache::Entry with_drafts,
        catalog_.PlanWithDrafts(*facts, *device, request.options(),
                                PatienceOf(context)));
    made = std::make_shared<const PlanCache::Entry>(std::move(with_drafts));
  } else {
    GRAPHD_ASSIGN_OR_RETURN(const PlanCache::Found found,
                            catalog_.Plan(facts, device, request.options()));
    made = found.entry;
  }
  v1::Plan plan;
  if (!plan.ParseFromString(made->explanation)) {
    return absl::InternalError("the compiler's explanation does not parse");
  }
  plan.set_graph_digest(facts->digest.ToString());
  plan.set_plan_digest(made->plan_digest.ToString());
  plan.set_device(lane->name());
  GRAPHD_RETURN_IF_ERROR(TakePage(request, plan));
  return plan;
}

grpc::Status GraphService::SubmitGraph(grpc::ServerContext* context,
                                       const v1::SubmitGraphRequest* request,
                                       v1::SubmitGraphResponse* response) {
  return Answer(Submit(*context, *request), response);
}

grpc::Status GraphService::GetGraph(grpc::ServerContext*,
                                    const v1::GetGraphRequest* request,
                                    v1::GraphRecord* response) {
  return Answer(catalog_.Get(*request), response);
}

grpc::Status GraphService::ListGraphs(grpc::ServerContext*,
                                      const v1::ListGraphsRequest* request,
                                      v1::ListGraphsResponse* response) {
  return Answer(catalog_.List(*request), response);
}

grpc::Status GraphService::DeleteGraph(grpc::ServerContext*,
                                       const v1::DeleteGraphRequest* request,
                                       v1::DeleteGraphResponse* response) {
  return Answer(Delete(*request), response);
}

grpc::Status GraphService::CompileGraph(grpc::ServerContext* context,
                                        const v1::CompileGraphRequest* request,
                                        v1::CompileGraphResponse* response) {
  return Answer(Compile(*context, *request), response);
}

grpc::Status GraphService::ExplainGraph(grpc::ServerContext* context,
                                        const v1::ExplainGraphRequest* request,
                                        v1::Plan* response) {
  return Answer(Explain(*context, *request), response);
}

}  // namespace graphd
