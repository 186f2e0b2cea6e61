// The program graphctl: exit codes, formats, and what goes to which stream.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "client/graphctl/tensor_file.h"
#include "tests/unit/client/canned_services.h"

namespace graphd {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class GraphctlTest : public ::testing::Test {
 protected:
  struct Result {
    int code;  // 128 + signal when a signal ended it
    std::string out;
    std::string err;
  };

  pid_t Start(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     std::string(GRAPHD_BINARY_DIR) + "/bin/graphctl");
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    const std::string out = folder_ / "out";
    const std::string err = folder_ / "err";
    ::setenv("GRAPHD_ENDPOINT", endpoint_.c_str(), 1);
    ::dup2(::open("/dev/null", O_RDONLY), 0);
    ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
    ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  Result Finish(pid_t pid) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            ReadText(folder_ / "out"), ReadText(folder_ / "err")};
  }
  Result Run(std::vector<std::string> arguments) {
    return Finish(Start(std::move(arguments)));
  }
  std::string WriteTensor(const std::string& name,
                          const graphctl::Tensor& tensor) {
    EXPECT_TRUE(graphctl::WriteTensorFile(folder_ / name, tensor).ok());
    return folder_ / name;
  }

  CannedServer server_;
  TemporaryFolder folder_;
  std::string endpoint_ = server_.endpoint();
};

TEST_F(GraphctlTest, WrongUsageExitsWithTwo) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {},
           {"frobnicate"},
           {"get"},
           {"get", "nodes"},
           {"apply"},
           {"run", "g", "--count", "many"},
           {"run", "g", "--in", "x"},
           {"run", "g", "--executor", "fast"},
           {"get", "devices", "-o", "xml"},
           {"get", "devices", "-o", "dot"},
           {"get", "devices", "--timeout", "soon"},
           {"get", "devices", "--endpoint", "nowhere"},
           {"apply", "/absent.textproto"},
           {"tensor", "show", "/absent.npy"},
           {"tensor", "random", "--shape", "2x", "-o", "-"},
           {"tensor", "random", "--shape", "2", "--dtype", "f8", "-o", "-"}}) {
    const Result result = Run(arguments);
    EXPECT_EQ(result.code, 2) << ::testing::PrintToString(arguments);
    EXPECT_THAT(result.err, StartsWith("error: "));
    EXPECT_EQ(result.out, "");
  }
}

TEST_F(GraphctlTest, HelpAndVersionAreDataAndExitWithZero) {
  EXPECT_EQ(Run({"--help"}).code, 0);
  const Result help = Run({"run", "--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.out, HasSubstr("graphctl run relu --in x=x.npy"));
  EXPECT_THAT(Run({"version"}).out, StartsWith("graphctl "));
  EXPECT_THAT(Run({"--version"}).out, StartsWith("graphctl "));
}

TEST_F(GraphctlTest, ApplySubmitsAndSaysTheReference) {
  server_.graphs.submit_response.set_digest("sha256:ab");
  server_.graphs.submit_response.set_revision(3);
  std::ofstream(folder_ / "g.textproto")
      << "modules { name: \"m\" file: \"k.ptx\" }";
  std::ofstream(folder_ / "k.ptx") << "text";
  const Result result =
      Run({"apply", folder_ / "g.textproto", "--name", "relu"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "relu@3 sha256:ab stored\n");
  EXPECT_EQ(server_.graphs.submitted.graph().modules(0).ptx(), "text");
  EXPECT_EQ(server_.graphs.submitted.name(), "relu");
  EXPECT_EQ(Run({"apply", folder_ / "g.textproto", "--name", "relu", "-o",
                 "name", "--dry-run"})
                .out,
            "relu@3\n");
  EXPECT_TRUE(server_.graphs.submitted.validate_only());
}

TEST_F(GraphctlTest, AnErrorOfTheDaemonExitsWithSixtyFourPlusItsCode) {
  server_.graphs.status = FindingStatus("graph has 1 finding\nnodes[0]: cycle",
                                        "nodes[0]", "cycle");
  std::ofstream(folder_ / "g.textproto") << "";
  const Result result = Run({"apply", folder_ / "g.textproto"});
  EXPECT_EQ(result.code, 67);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err,
            "error: INVALID_ARGUMENT: graph has 1 finding\n"
            "  nodes[0]: cycle\n");
}

TEST_F(GraphctlTest, SomeOfSeveralIsPartial) {
  server_.graphs.record.set_digest("sha256:ab");
  const Result result = Run({"get", "graphs", "there", "absent", "-o", "name"});
  EXPECT_EQ(result.code, 4);
  EXPECT_EQ(result.out, "sha256:ab\n");
  EXPECT_THAT(result.err, HasSubstr("error: NOT_FOUND: no graph named"));
  EXPECT_EQ(Run({"delete", "graph", "absent"}).code, 69);
  EXPECT_EQ(Run({"delete", "graph", "there"}).out,
            "deleted 1 revision\ndeleted sha256:00\n");
}

TEST_F(GraphctlTest, FormatsHoldTheAnswer) {
  server_.graphs.records.resize(2);
  server_.graphs.records[0].set_digest("sha256:01");
  server_.graphs.records[1].set_digest("sha256:02");
  EXPECT_EQ(Run({"get", "graphs", "-o", "jsonl"}).out,
            "{\"digest\":\"sha256:01\"}\n{\"digest\":\"sha256:02\"}\n");
  EXPECT_EQ(Run({"get", "graphs", "-o", "yaml"}).out,
            "graphs:\n  - digest: \"sha256:01\"\n  - digest: \"sha256:02\"\n");
  EXPECT_EQ(Run({"get", "graphs", "-o", "name"}).out, "sha256:01\nsha256:02\n");
  EXPECT_EQ(Run({"get", "device", "soft0", "-o", "jsonl"}).out,
            "{\"name\":\"soft0\",\"kind\":\"KIND_SOFTWARE\",\"product\":"
            "\"graphd software GPU\",\"state\":\"STATE_SERVING\","
            "\"computeCapability\":\"7.5\",\"memoryBytes\":\"2147483648\"}\n");
  EXPECT_EQ(Run({"get", "devices", "gpu7"}).code, 69);
}

TEST_F(GraphctlTest, RunBindsFilesAndWritesOutputs) {
  const auto x = WriteTensor("x.npy", {ScalarType::kF32, {2}, "abcdefgh"});
  auto& parameter =
      *server_.graphs.record.mutable_definition()->add_parameters();
  parameter.set_name("a");
  parameter.set_type(v1::SCALAR_TYPE_F32);
  server_.graphs.record.set_digest("sha256:ab");
  v1::Tensor& y = (*server_.execution.answer.mutable_outputs())["y"];
  y.set_data("ABCDEFGH");
  y.set_element_type(v1::SCALAR_TYPE_F32);
  y.add_shape(2);
  server_.execution.answer.set_device("soft0");
  const Result result =
      Run({"run", "g", "--in", "x=" + x, "--out", "y=" + (folder_ / "y.npy"),
           "--set", "a=0.5", "--count", "7", "--executor", "sequential"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("ran 7 times on soft0"));
  const v1::ReplayRequest& sent = server_.execution.replayed;
  EXPECT_EQ(sent.graph(), "sha256:ab");
  EXPECT_EQ(sent.inputs().at("x").data(), "abcdefgh");
  EXPECT_EQ(sent.inputs().at("x").shape(0), 2u);
  EXPECT_EQ(sent.parameters().at("a").type(), v1::SCALAR_TYPE_F32);
  EXPECT_EQ(sent.count(), 7u);
  EXPECT_EQ(sent.executor(), v1::EXECUTOR_SEQUENTIAL);
  const auto written = graphctl::ReadTensorFile(folder_ / "y.npy");
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(written->data, "ABCDEFGH");

  const Result streamed =
      Run({"run", "g", "--in", "x=" + x, "--out", "y=-", "-q"});
  EXPECT_EQ(streamed.err, "");
  EXPECT_EQ(graphctl::ParseNpy(streamed.out)->data, "ABCDEFGH");
  EXPECT_THAT(Run({"run", "g", "--in", "x=" + x}).out,
              HasSubstr("y       f32   (2,)"));
}

TEST_F(GraphctlTest, AWrongBindingIsNamedBeforeAnythingIsSent) {
  std::ofstream(folder_ / "bad.npy") << "text";
  auto& parameter =
      *server_.graphs.record.mutable_definition()->add_parameters();
  parameter.set_name("blocks");
  parameter.set_type(v1::SCALAR_TYPE_U32);
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--in", "x=" + (folder_ / "bad.npy")}, "--in x: "},
      {{"--in", "x=" + (folder_ / "no.npy")}, "no.npy"},
      {{"--in", "=x"}, "expected NAME=VALUE"},
      {{"--out", "y=-", "--out", "z=-"}, "\"-\" is given twice"},
      {{"--out", "y=a", "--out", "y=b"}, "\"y\" is given twice"},
      {{"--set", "blocks=-1"}, "--set blocks: expected a value of type u32"},
      {{"--set", "blok=1"}, "no parameter \"blok\"; the graph has blocks"}};
  for (const auto& [flags, expected] : cases) {
    std::vector<std::string> arguments = {"run", "g"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const Result result = Run(arguments);
    EXPECT_EQ(result.code, 2) << expected;
    EXPECT_THAT(result.err, HasSubstr(expected));
    EXPECT_EQ(server_.execution.replayed.graph(), "");
  }
}

TEST_F(GraphctlTest, ExplainHasTextJsonAndDot) {
  server_.graphs.plan.add_steps()->set_name("first");
  server_.graphs.plan.add_steps()->set_index(1);
  const Result text = Run({"explain", "g", "--skip-pass", "fuse-kernels",
                           "--skip-pass", "plan-memory", "--passes"});
  EXPECT_THAT(text.out, HasSubstr("├─ #0 step first"));
  EXPECT_EQ(server_.graphs.explained.options().skip_passes_size(), 2);
  EXPECT_TRUE(server_.graphs.explained.include_passes());
  EXPECT_THAT(Run({"explain", "g", "-o", "json"}).out,
              HasSubstr("\"name\": \"first\""));
  EXPECT_THAT(Run({"explain", "g", "-o", "dot"}).out,
              StartsWith("digraph plan {"));
}

TEST_F(GraphctlTest, HealthExitsWithTheAnswer) {
  const Result yes = Run({"health"});
  EXPECT_EQ(yes.code, 0);
  EXPECT_EQ(yes.out, "graphd is serving\n");
  const Result no = Run({"health", "soft1"});
  EXPECT_EQ(no.code, 1);
  EXPECT_EQ(no.out, "soft1 is not serving\n");
}

TEST_F(GraphctlTest, NobodyThereIsUnavailableWithAHint) {
  endpoint_ = "unix:" + (folder_ / "nobody.sock");
  const Result result = Run({"get", "devices"});
  EXPECT_EQ(result.code, 64 + 14);
  EXPECT_THAT(result.err, HasSubstr("hint: start graphd"));
}

TEST_F(GraphctlTest, ATimeoutExitsWithThree) {
  server_.execution.never_answers = true;
  const Result result = Run({"run", "g", "--timeout", "200ms"});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err, HasSubstr("within 200ms"));
}

TEST_F(GraphctlTest, AnInterruptExitsWithOneHundredAndThirty) {
  server_.execution.never_answers = true;
  const pid_t pid = Start({"run", "g"});
  siginfo_t ended{};
  while (server_.execution.calls.load() == 0) {
    ASSERT_EQ(::waitid(P_PID, pid, &ended, WEXITED | WNOHANG | WNOWAIT), 0);
    ASSERT_EQ(ended.si_pid, 0) << "graphctl ended before it called";
    std::this_thread::yield();
  }
  ::kill(pid, SIGINT);
  EXPECT_EQ(Finish(pid).code, 130);
}

TEST_F(GraphctlTest, DiffExitsWithTheAnswer) {
  const auto a = WriteTensor("a.npy", {ScalarType::kU8, {2}, "ab"});
  const auto b = WriteTensor("b.npy", {ScalarType::kU8, {2}, "ad"});
  EXPECT_EQ(Run({"tensor", "diff", a, a}).code, 0);
  const Result result = Run({"tensor", "diff", a, b});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out,
            "1 of 2 elements differ; first at index 1: 98 and 100; at most 2 "
            "apart\n");
  EXPECT_EQ(Run({"tensor", "diff", a, b, "--max-abs", "2"}).code, 0);
}

TEST_F(GraphctlTest, ConvertChangesTypeShapeAndContainer) {
  const auto a = WriteTensor("a.npy", {ScalarType::kU8, {4}, "abcd"});
  const std::string raw = folder_ / "a.bin";
  ASSERT_EQ(Run({"tensor", "convert", a, raw}).code, 0);
  EXPECT_EQ(ReadText(raw), "abcd");
  const std::string b = folder_ / "b.npy";
  ASSERT_EQ(Run({"tensor", "convert", raw, b, "--raw-dtype", "u16", "--dtype",
                 "s32", "--shape", "2,1"})
                .code,
            0);
  const auto tensor = graphctl::ReadTensorFile(b);
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_EQ(tensor->at(1).AsInteger(), 'c' + 256 * 'd');
  EXPECT_EQ(tensor->ShapeText(), "(2, 1)");
  EXPECT_EQ(Run({"tensor", "convert", raw, b}).code, 2);
}

}  // namespace
}  // namespace graphd
