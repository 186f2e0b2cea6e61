// Nothing that a client sends as a definition, and nothing that lies on disk as
// a plan, breaks the codecs.
//
// The first byte chooses: 't' protobuf text, 'j' JSON, 'b' binary, 'p' a plan's
// bytes; the rest is the input. What is valid must also survive the way back.
#include <google/protobuf/stubs/logging.h>

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "core/base/check.h"
#include "core/codec/definition.h"
#include "core/codec/graph_codec.h"
#include "core/codec/plan_codec.h"
#include "core/codec/plan_view.h"
#include "core/graph/graph_digest.h"

namespace graphd {
namespace {

void TryDefinition(absl::string_view bytes, DefinitionFormat format) {
  const absl::StatusOr<v1::Graph> message = ParseGraph(bytes, format);
  if (!message.ok()) return;
  Violations violations;
  const absl::StatusOr<Graph> graph = GraphFromProto(*message, &violations);
  GRAPHD_CHECK(graph.ok() == violations.empty());
  if (!graph.ok()) return;
  const absl::StatusOr<Graph> again =
      GraphFromProto(GraphToProto(*graph), nullptr);
  GRAPHD_CHECK(again.ok());
  GRAPHD_CHECK(GraphDigest(*again) == GraphDigest(*graph));
  GRAPHD_CHECK(HintsDigest(*again) == HintsDigest(*graph));
}

void TryPlan(absl::string_view bytes) {
  const absl::StatusOr<Plan> plan = ParsePlan(bytes);
  if (!plan.ok()) return;
  PlanToPublic(*plan, Explanation{});
  const std::string written = SerializePlan(*plan);
  const absl::StatusOr<Plan> again = ParsePlan(written);
  GRAPHD_CHECK(again.ok());
  GRAPHD_CHECK(SerializePlan(*again) == written);
}

}  // namespace
}  // namespace graphd

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const google::protobuf::LogSilencer silencer;
  const absl::string_view bytes(reinterpret_cast<const char*>(data) + 1,
                                size - 1);
  switch (data[0]) {
    case 't':
      graphd::TryDefinition(bytes, graphd::DefinitionFormat::kText);
      break;
    case 'j':
      graphd::TryDefinition(bytes, graphd::DefinitionFormat::kJson);
      break;
    case 'b':
      graphd::TryDefinition(bytes, graphd::DefinitionFormat::kBinary);
      break;
    case 'p':
      graphd::TryPlan(bytes);
      break;
  }
  return 0;
}
