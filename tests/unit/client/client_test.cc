#include "client/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "core/graph/graph_builder.h"
#include "tests/unit/client/canned_services.h"

namespace graphd {
namespace {

using ::testing::HasSubstr;

TEST(ClientTest, SubmitSendsABuiltGraphWithItsName) {
  CannedServer server;
  server.graphs.submit_response.set_digest("sha256:12");
  GraphBuilder builder;
  builder.Input("x", ScalarType::kF32, {4}).Output("y", ScalarType::kF32, {4});
  builder.Copy("copy", "x", "y", 16);
  const auto graph = builder.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  Client client(server.endpoint());
  const auto response = client.Submit(*graph, "copied");
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->digest(), "sha256:12");
  EXPECT_EQ(server.graphs.submitted.name(), "copied");
  EXPECT_EQ(server.graphs.submitted.graph().nodes(0).memcpy().width_bytes(),
            16u);
}

TEST(ClientTest, ReplaySendsTypedInputsAndFillsOutputsInPlace) {
  CannedServer server;
  v1::Tensor& y = (*server.execution.answer.mutable_outputs())["y"];
  const std::vector<float> expected = {1.5f, -2.0f};
  y.set_data(expected.data(), 8);
  y.set_element_type(v1::SCALAR_TYPE_F32);
  const std::vector<int32_t> x = {7, -7};
  std::vector<float> result(2);
  Client client(server.endpoint());
  ReplayCall call("g@2");
  call.Input("x", x).Output("y", result).Set("a", Scalar::F32(0.5f)).Count(3);
  call.On("soft0").With(v1::EXECUTOR_SEQUENTIAL).Streams(2).SkipPass("p");
  const auto response = client.Replay(call);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(result, expected);
  EXPECT_TRUE(response->outputs().empty());
  const v1::ReplayRequest& sent = server.execution.replayed;
  EXPECT_EQ(sent.graph(), "g@2");
  EXPECT_EQ(sent.count(), 3u);
  EXPECT_EQ(sent.inputs().at("x").element_type(), v1::SCALAR_TYPE_S32);
  EXPECT_EQ(sent.inputs().at("x").data().size(), 8u);
  EXPECT_EQ(sent.outputs(0), "y");
  EXPECT_EQ(sent.options().streams(), 2u);
  EXPECT_EQ(sent.options().skip_passes(0), "p");
}

TEST(ClientTest, AnOutputOfAnotherSizeOrTypeIsAnError) {
  CannedServer server;
  v1::Tensor& y = (*server.execution.answer.mutable_outputs())["y"];
  y.set_data("12345678");
  y.set_element_type(v1::SCALAR_TYPE_F32);
  Client client(server.endpoint());
  std::vector<float> small(1);
  ReplayCall size("g");
  size.Output("y", small);
  EXPECT_THAT(std::string(client.Replay(size).status().message()),
              HasSubstr("has 8 bytes, its destination 4"));
  std::vector<uint32_t> other(2);
  ReplayCall type("g");
  type.Output("y", other);
  EXPECT_THAT(std::string(client.Replay(type).status().message()),
              HasSubstr("elements of type f32, its destination of type u32"));
}

TEST(ClientTest, DetailsOfAnErrorArrive) {
  CannedServer server;
  server.execution.status =
      FindingStatus("replay has 1 finding", "inputs[\"x\"]", "missing");
  Client client(server.endpoint());
  const auto response = client.Replay(ReplayCall("g"));
  EXPECT_TRUE(absl::IsInvalidArgument(response.status()));
  const auto bad = DetailsOf<google::rpc::BadRequest>(response.status());
  ASSERT_TRUE(bad.has_value());
  EXPECT_EQ(bad->field_violations(0).field(), "inputs[\"x\"]");
}

TEST(ClientTest, PagesAreJoined) {
  CannedServer server;
  server.graphs.records.resize(3);
  for (int i = 0; i < 3; ++i) {
    server.graphs.plan.add_steps()->set_index(i);
  }
  Client client(server.endpoint());
  const auto list = client.ListGraphs();
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(list->graphs_size(), 3);
  const auto plan = client.ExplainGraph({});
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->steps_size(), 3);
  EXPECT_EQ(plan->steps(2).index(), 2u);
}

TEST(ClientTest, ACallThatIsNotAnsweredInTimeEndsAndSaysSo) {
  CannedServer server;
  server.execution.never_answers = true;
  Client client(server.endpoint());
  client.SetTimeout(absl::Milliseconds(100));
  const auto response = client.Replay(ReplayCall("g"));
  EXPECT_TRUE(absl::IsDeadlineExceeded(response.status()));
  EXPECT_TRUE(response.status().GetPayload(Client::kTimedOut).has_value());
}

TEST(ClientTest, NobodyAtTheEndpointIsUnavailableAndUnreachable) {
  TemporaryFolder folder;
  Client client("unix:" + (folder / "nobody.sock"));
  const auto response = client.ListDevices();
  EXPECT_TRUE(absl::IsUnavailable(response.status()));
  EXPECT_TRUE(response.status().GetPayload(Client::kUnreachable).has_value());
  EXPECT_THAT(std::string(response.status().message()),
              HasSubstr("nobody.sock"));
}

TEST(ClientTest, ARequestOverTheLimitIsRefusedHereWithTheLimit) {
  CannedServer server;
  ReplayCall call("g");
  call.InputBytes("x", std::string(Client::kMessageBytes, 'x'));
  Client client(server.endpoint());
  const auto response = client.Replay(call);
  EXPECT_TRUE(absl::IsResourceExhausted(response.status()));
  EXPECT_THAT(std::string(response.status().message()),
              HasSubstr("larger than a message may be, 67108864 bytes"));
  EXPECT_EQ(server.execution.calls.load(), 0);
}

TEST(ClientTest, AnAnswerOfTenMebibytesArrives) {
  CannedServer server;
  (*server.execution.answer.mutable_outputs())["y"].set_data(
      std::string(10 << 20, 'y'));
  Client client(server.endpoint());
  const auto response = client.Replay(ReplayCall("g"));
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->outputs().at("y").data().size(), size_t{10} << 20);
}

}  // namespace
}  // namespace graphd
