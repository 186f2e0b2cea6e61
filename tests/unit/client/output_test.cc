#include "client/graphctl/output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/client.h"
#include "client/graphctl/exit_codes.h"
#include "graphd/v1/graph.pb.h"

namespace graphd::graphctl {
namespace {

absl::Status WithDetail(absl::Status status,
                        const google::protobuf::Message& detail) {
  status.SetPayload(
      "type.googleapis.com/" + detail.GetDescriptor()->full_name(),
      absl::Cord(detail.SerializeAsString()));
  return status;
}

google::rpc::BadRequest Findings() {
  google::rpc::BadRequest bad;
  auto* first = bad.add_field_violations();
  first->set_field("nodes[3].args[1]");
  first->set_description("expected 8 bytes, found 4");
  auto* second = bad.add_field_violations();
  second->set_field("modules[0].cuda_source");
  second->set_description("does not compile\na.cu(3): error: what");
  return bad;
}

TEST(OutputTest, ATableIsAlignedByWhatATerminalShows) {
  Table table({"NAME", "BYTES", "WHAT"});
  table.Right(1);
  table.Add({"a", "7", "x"});
  table.Add({"größe", "1,024", ""});
  EXPECT_EQ(table.ToString("  "),
            "  NAME   BYTES  WHAT\n"
            "  a          7  x\n"
            "  größe  1,024\n");
}

TEST(OutputTest, WrappedLinesStayInTheirWidth) {
  EXPECT_EQ(Wrapped("one two three four", 11, "  "),
            "  one two\n  three\n  four\n");
  EXPECT_EQ(Wrapped("unbreakably-long", 8, " "), " unbreakably-long\n");
  EXPECT_EQ(Wrapped("", 8, " "), "");
}

TEST(OutputTest, NumbersAreReadable) {
  EXPECT_EQ(HumanBytes(1023), "1023 B");
  EXPECT_EQ(HumanBytes(4194304), "4.0 MiB");
  EXPECT_EQ(HumanTime(0.0000123), "12.3 us");
  EXPECT_EQ(HumanTime(0.25), "250.00 ms");
  EXPECT_EQ(HumanTime(90), "90.00 s");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1048576), "1,048,576");
}

TEST(OutputTest, JsonIsProto3JsonAndJsonlIsOneLine) {
  v1::NamedRevision name;
  name.set_name("relu");
  name.set_revision(3);
  EXPECT_EQ(*Format(name, OutputFormat::kJson),
            "{\n \"name\": \"relu\",\n \"revision\": \"3\"\n}\n");
  EXPECT_EQ(*Format(name, OutputFormat::kJsonLines),
            "{\"name\":\"relu\",\"revision\":\"3\"}\n");
}

TEST(OutputTest, YamlHoldsTheSameInBlockStyle) {
  v1::GraphRecord record;
  record.set_digest("sha256:ab");
  record.mutable_summary()->set_nodes(2);
  record.mutable_summary()->add_inputs("x");
  record.mutable_summary()->add_inputs("yes");
  auto* kernel = record.mutable_summary()->add_kernels();
  kernel->set_node("relu");
  kernel->set_elementwise(true);
  record.mutable_summary()->add_kernels()->set_not_elementwise_because(
      "a \"quote\": and\na line");
  EXPECT_EQ(*Format(record, OutputFormat::kYaml),
            "digest: \"sha256:ab\"\n"
            "summary:\n"
            "  nodes: 2\n"
            "  kernels:\n"
            "    - node: relu\n"
            "      elementwise: true\n"
            "    - notElementwiseBecause: \"a \\\"quote\\\": and\\na line\"\n"
            "  inputs:\n"
            "    - x\n"
            "    - \"yes\"\n");
  EXPECT_EQ(YamlFromJson("{\"a\":[],\"b\":{},\"c\":[[1,2],[]],\"d\":-1.5}"),
            "a: []\nb: {}\nc:\n  - - 1\n    - 2\n  - []\nd: -1.5\n");
}

TEST(OutputTest, AnErrorListsItsFindings) {
  const absl::Status status =
      WithDetail(absl::InvalidArgumentError(
                     "graph has 2 findings\nnodes[3].args[1]: expected 8"),
                 Findings());
  EXPECT_EQ(ErrorText(status, false),
            "error: INVALID_ARGUMENT: graph has 2 findings\n"
            "  nodes[3].args[1]: expected 8 bytes, found 4\n"
            "  modules[0].cuda_source: does not compile\n"
            "    a.cu(3): error: what\n");
}

TEST(OutputTest, AMessageThatSaysMoreThanItsDetailsIsShown) {
  const absl::Status status =
      WithDetail(absl::InvalidArgumentError(
                     "graph has 4 findings\na: b\nc: d\ne: f\ng: h"),
                 Findings());
  EXPECT_EQ(ErrorText(status, false),
            "error: INVALID_ARGUMENT: graph has 4 findings\n"
            "  a: b\n  c: d\n  e: f\n  g: h\n");
}

TEST(OutputTest, AnErrorSaysItsReasonAndWhenToRetry) {
  google::rpc::ErrorInfo info;
  info.set_reason("KERNEL_FAULT");
  (*info.mutable_metadata())["node"] = "relu";
  (*info.mutable_metadata())["kernel"] = "_Z4relu";
  google::rpc::RetryInfo retry;
  retry.mutable_retry_delay()->set_nanos(250000000);
  const absl::Status status =
      WithDetail(WithDetail(absl::AbortedError("the run failed"), info), retry);
  EXPECT_EQ(ErrorText(status, false),
            "error: ABORTED: the run failed\n"
            "  reason: KERNEL_FAULT\n"
            "  kernel: _Z4relu\n"
            "  node: relu\n"
            "  retry after 250.00 ms\n");
}

TEST(OutputTest, ColourIsOnlyInTheFirstWord) {
  EXPECT_EQ(ErrorText(UsageError("no"), true), "\033[1;31merror:\033[0m no\n");
}

TEST(OutputTest, EveryErrorHasItsExitCode) {
  EXPECT_EQ(ExitCodeOf(absl::OkStatus()), 0);
  EXPECT_EQ(ExitCodeOf(UsageError("x")), 2);
  EXPECT_EQ(ExitCodeOf(absl::NotFoundError("x")), 69);
  absl::Status late = absl::DeadlineExceededError("x");
  EXPECT_EQ(ExitCodeOf(late), 68);
  late.SetPayload(Client::kTimedOut, absl::Cord("1"));
  EXPECT_EQ(ExitCodeOf(late), 3);
}

}  // namespace
}  // namespace graphd::graphctl
