#include "client/graphctl/views.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "absl/strings/str_split.h"
#include "client/graphctl/output.h"

namespace graphd::graphctl {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

template <typename Message>
Message Parsed(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message));
  return message;
}

v1::Plan TwoStreamPlan() {
  return Parsed<v1::Plan>(R"pb(
    graph_digest: "sha256:0000000000000000000000000000000000000000000000000000000000000001"
    plan_digest: "sha256:0000000000000000000000000000000000000000000000000000000000000002"
    device: "soft0"
    streams: 2
    edges: 3
    waits: 1
    makespan_ns: 2500000
    critical_path_ns: 1250000
    total_steps: 3
    steps {
      name: "x.in"
      kind: KIND_MEMCPY
      detail: "4194304 bytes: x (host) -> x"
    }
    steps {
      name: "relu+scale"
      kind: KIND_KERNEL
      nodes: "relu"
      nodes: "scale"
      index: 1
      detail: "relu_scale<<<(4096, 1, 1), (256, 1, 1)>>>(x, y, a, 1048576, and more arguments than one line of the terminal holds)"
    }
    steps { name: "y.out" kind: KIND_MEMCPY stream: 1 waits: 1 index: 2 }
    buffers { name: "x" place: "device" size_bytes: 4194304 }
    buffers {
      name: "y"
      place: "device"
      offset_bytes: 4194304
      size_bytes: 4194304
    }
    memory {
      device_arena_bytes: 8388608
      host_arena_bytes: 8388608
      device_bound_bytes: 8388608
      device_unshared_bytes: 12582912
    }
    fusions {
      nodes: "relu"
      nodes: "scale"
      fused: true
      reason: "element-wise on both sides"
    }
    fusions { nodes: "a" nodes: "b" reason: "launch shapes differ" }
    passes {
      pass: "fuse-kernels"
      seconds: 0.0005
      nodes_before: 2
      nodes_after: 1
      draft_text: "kernel relu_scale\n"
    }
    passes { pass: "plan-memory" skipped: true }
    warnings: "a possible race"
  )pb");
}

TEST(ViewsTest, APlanReadsAsATree) {
  EXPECT_EQ(
      PlanText(TwoStreamPlan()),
      R"(graph  sha256:0000000000000000000000000000000000000000000000000000000000000001
plan   sha256:0000000000000000000000000000000000000000000000000000000000000002
device soft0
3 steps on 2 streams, 3 dependencies, 1 wait between streams; modelled 2.50 ms
(longest path 1.25 ms)

stream 0
  ├─ #0 copy x.in
  │    4194304 bytes: x (host) -> x
  │    inserted
  └─ #1 kernel relu+scale
       relu_scale<<<(4096, 1, 1), (256, 1, 1)>>>(x, y, a, 1048576, and more
       arguments than one line of the terminal holds)
       nodes: relu, scale

stream 1
  └─ #2 copy y.out
       inserted
       waits for #1 relu+scale (stream 0)

fusion
  fused: relu + scale
    element-wise on both sides
  kept apart: a + b
    launch shapes differ

memory
  device arena                8.0 MiB  8,388,608 bytes
  without sharing            12.0 MiB  12,582,912 bytes
  lower bound                 8.0 MiB  8,388,608 bytes
  pinned host arena           8.0 MiB  8,388,608 bytes

  BUFFER  PLACE      OFFSET      BYTES
  x       device          0  4,194,304
  y       device  4,194,304  4,194,304

passes
  PASS          NODES BEFORE  NODES AFTER          TIME
  fuse-kernels             2            1      500.0 us
  plan-memory                              switched off

after fuse-kernels
  kernel relu_scale

warnings
  a possible race
)");
}

TEST(ViewsTest, NoLineOfAPlanIsWiderThanATerminal) {
  for (const auto line : absl::StrSplit(PlanText(TwoStreamPlan()), '\n')) {
    EXPECT_LE(DisplayWidth(line), 80u) << line;
  }
}

TEST(ViewsTest, DotHasAClusterAStreamAndADashedEdgeAWait) {
  v1::Plan plan = TwoStreamPlan();
  plan.mutable_steps(0)->set_name("say \"x\"");
  const std::string dot = PlanDot(plan);
  EXPECT_THAT(dot, HasSubstr("subgraph cluster_1 {"));
  EXPECT_THAT(dot, HasSubstr("s0 [label=\"say \\\"x\\\"\\ncopy\""));
  EXPECT_THAT(dot, HasSubstr("  s0 -> s1;\n"));
  EXPECT_THAT(dot, HasSubstr("  s1 -> s2 [style=dashed];\n"));
  EXPECT_THAT(dot, Not(HasSubstr("s1 -> s2;")));
}

TEST(ViewsTest, GraphsAreListedByTheirNames) {
  const auto named = Parsed<v1::GraphRecord>(R"pb(
    digest: "sha256:0123456789abcdef"
    names { name: "relu" revision: 2 latest: true }
    names { name: "prod/relu" revision: 1 latest: true }
    create_time { seconds: 1700000000 }
    summary { nodes: 2 buffers: 3 inputs: "x" outputs: "y" }
  )pb");
  const auto unnamed =
      Parsed<v1::GraphRecord>("digest: \"sha256:fedcba9876543210\"");
  EXPECT_EQ(GraphTable({named, unnamed}, false),
            "NAME                DIGEST               NODES  BUFFERS  CREATED\n"
            "relu@2,prod/relu@1  sha256:0123456789ab      2        3  "
            "2023-11-14 22:13:20Z\n"
            "-                   sha256:fedcba987654      0        0  -\n");
  EXPECT_THAT(GraphTable({named}, true), HasSubstr("sha256:0123456789abcdef"));
  EXPECT_EQ(GraphName(named), "relu@2");
  EXPECT_EQ(GraphName(unnamed), "sha256:fedcba9876543210");
}

TEST(ViewsTest, ADescribedGraphShowsBuffersParametersAndKernels) {
  const auto record = Parsed<v1::GraphRecord>(R"pb(
    digest: "sha256:01"
    names { name: "relu" revision: 1 latest: true }
    summary {
      nodes: 1
      kernels {
        node: "relu"
        entry: "_Z4relu"
        not_elementwise_because: "a barrier"
        unsupported_in_software: "mma.sync, line 9"
      }
    }
    definition {
      description: "what it does"
      buffers {
        name: "x"
        role: ROLE_INPUT
        element_type: SCALAR_TYPE_F32
        shape: 2
        shape: 3
        size_bytes: 24
      }
      buffers { name: "h" role: ROLE_OUTPUT space: SPACE_HOST size_bytes: 8 }
      modules { name: "m" ptx: "12345" }
      parameters {
        name: "a"
        type: SCALAR_TYPE_F32
        default_value { type: SCALAR_TYPE_F32 float_value: 0.5 }
      }
    }
  )pb");
  EXPECT_EQ(DescribeGraph(record),
            R"(digest   sha256:01
name     relu@1  (latest)
created  -
about    what it does
order    from accesses
nodes    1

BUFFER  ROLE    SPACE   TYPE  SHAPE  BYTES
x       input   device  f32   2x3       24
h       output  host    -     -          8

PARAMETER  TYPE  DEFAULT  MINIMUM  MAXIMUM
a          f32   0.5      -        -

MODULE  CODE
m       PTX, 5 bytes

NODE  KERNEL   ELEMENT-WISE   SOFTWARE GPU
relu  _Z4relu  no: a barrier  no: mma.sync, line 9
)");
}

TEST(ViewsTest, DevicesAreListedAndDescribed) {
  const auto device = Parsed<v1::Device>(R"pb(
    name: "soft0"
    kind: KIND_SOFTWARE
    product: "software"
    uuid: "U"
    state: STATE_NOT_SERVING
    compute_capability: "7.5"
    memory_bytes: 2147483648
    sm_count: 4
    driver_version: 13000
    worker_restarts: 2
    worker_pid: 77
  )pb");
  EXPECT_EQ(DeviceTable({device}, false),
            "NAME   KIND      STATE        CAPABILITY   MEMORY  RESTARTS  "
            "PRODUCT\n"
            "soft0  software  not_serving  7.5         2.0 GiB         2  "
            "software\n");
  EXPECT_THAT(DescribeDevice(device),
              HasSubstr("process 77, replaced 2 times"));
}

}  // namespace
}  // namespace graphd::graphctl
