// Messages to graphs and back, and what does not change the digest on the way;
// the findings are in tests/golden/validation.
#include "core/codec/graph_codec.h"

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/codec/definition.h"
#include "core/graph/graph_builder.h"
#include "core/graph/graph_digest.h"

namespace graphd {
namespace {

constexpr char kEverything[] = R"(
buffers { name: "x" role: ROLE_INPUT space: SPACE_HOST size_bytes: 256 element_type: SCALAR_TYPE_F32 shape: 8 shape: 8 }
buffers { name: "t" role: ROLE_TRANSIENT size_bytes: 256 }
buffers { name: "y" role: ROLE_OUTPUT size_bytes: 256 }
modules { name: "m" cuda_source: "__global__ void k() {}" options: "-DN=1" name_expressions: "k<int>" }
modules { name: "p" ptx: ".version 7.8" }
modules { name: "c" cubin: "\177ELF" }
parameters {
  name: "blocks" type: SCALAR_TYPE_U32
  default_value { type: SCALAR_TYPE_U32 uint_value: 2 }
  minimum { type: SCALAR_TYPE_U32 uint_value: 1 }
  maximum { type: SCALAR_TYPE_U32 uint_value: 8 }
}
nodes {
  name: "copy"
  memcpy {
    src { buffer: "x" offset_bytes: 4 pitch_bytes: 32 }
    dst { buffer: "t" pitch_bytes: 16 }
    width_bytes: 16 height: 4
  }
}
nodes {
  name: "kernel"
  kernel {
    module: "m" function: "k"
    grid { parameter: "blocks" } grid { value: 2 } grid { value: 1 }
    block { value: 32 } block { value: 1 } block { value: 1 }
    shared_bytes: 64
    args { buffer { name: "t" offset_bytes: 8 } }
    args { scalar { type: SCALAR_TYPE_S32 int_value: -3 } }
    args { parameter: "blocks" }
    args { bytes { data: "\000\000\000\000\000\000\000\000" relocations { buffer: "y" buffer_offset_bytes: 4 } } }
    accesses {
      accesses { buffer: "t" kind: KIND_MAY_READ width_bytes: 4 rows: 2 pitch_bytes: 8 }
      accesses { buffer: "y" kind: KIND_MUST_WRITE offset_bytes: 16 width_bytes: 240 }
      accesses { buffer: "y" kind: KIND_MAY_WRITE width_bytes: 256 }
    }
  }
  after: "copy"
  hints { cost_ns: 5 stream: 1 priority: -1 fusible: false }
}
nodes {
  name: "fill"
  memset { buffer: "y" offset_bytes: 4 pattern: 7 pattern_bytes: 2 width: 3 height: 2 pitch_bytes: 8 }
}
nodes {
  name: "symbol"
  memcpy {
    src { symbol { module: "m" symbol: "v" } offset_bytes: 4 }
    dst { buffer: "y" }
    width_bytes: 4
  }
}
nodes { name: "end" empty {} after: "fill" after: "kernel" }
order: ORDER_EXPLICIT
description: "everything"
)";

Graph Read(const v1::Graph& message) {
  Violations violations;
  auto graph = GraphFromProto(message, &violations);
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.ok() ? *std::move(graph) : Graph{};
}

TEST(GraphCodecTest, AMessageWithEveryFieldComesBackUnchanged) {
  const auto message = ParseGraphText(kEverything);
  ASSERT_TRUE(message.ok()) << message.status();
  const v1::Graph back = GraphToProto(Read(*message));
  google::protobuf::util::MessageDifferencer differencer;
  std::string difference;
  differencer.ReportDifferencesToString(&difference);
  // A value that is its default is the same as none.
  differencer.set_message_field_comparison(
      google::protobuf::util::MessageDifferencer::EQUIVALENT);
  EXPECT_TRUE(differencer.Compare(*message, back)) << difference;
}

TEST(GraphCodecTest, FieldOrderOnTheWireDoesNotChangeTheDigest) {
  const auto message = ParseGraphText(kEverything);
  ASSERT_TRUE(message.ok()) << message.status();
  const Digest digest = GraphDigest(Read(*message));
  // A message is the concatenation of its fields, whatever their order: write
  // the nodes' bytes first, the buffers' last.
  std::string bytes;
  v1::Graph part;
  *part.mutable_nodes() = message->nodes();
  part.set_description("another");
  bytes += part.SerializeAsString();
  part.Clear();
  part.set_order(message->order());
  *part.mutable_parameters() = message->parameters();
  bytes += part.SerializeAsString();
  part.Clear();
  *part.mutable_modules() = message->modules();
  *part.mutable_buffers() = message->buffers();
  bytes += part.SerializeAsString();
  const auto parsed = ParseGraphBinary(bytes);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_NE(bytes, message->SerializeAsString());
  EXPECT_EQ(GraphDigest(Read(*parsed)), digest);
}

TEST(GraphCodecTest, WhatMeansTheSameHasTheSameDigest) {
  const auto message = ParseGraphText(kEverything);
  ASSERT_TRUE(message.ok()) << message.status();
  v1::Graph other = *message;
  // Hints, the order of `after`, sizes that follow from shapes, defaults.
  other.mutable_nodes(1)->clear_hints();
  other.mutable_nodes(4)->mutable_after()->SwapElements(0, 1);
  other.mutable_buffers(0)->set_size_bytes(0);
  other.mutable_buffers(1)->set_space(v1::Buffer::SPACE_DEVICE);
  other.mutable_nodes(1)->mutable_kernel()->mutable_grid()->RemoveLast();
  other.mutable_nodes(1)->mutable_kernel()->mutable_block()->DeleteSubrange(1,
                                                                            2);
  other.mutable_nodes(1)
      ->mutable_kernel()
      ->mutable_accesses()
      ->mutable_accesses(1)
      ->set_width_bytes(0);
  other.mutable_nodes(3)->mutable_memcpy()->set_height(1);
  other.mutable_nodes(3)->mutable_memcpy()->mutable_src()->set_pitch_bytes(9);
  EXPECT_EQ(GraphDigest(Read(other)), GraphDigest(Read(*message)));
}

TEST(GraphCodecTest, TheBuilderAndTheTextGiveTheSameDigest) {
  const auto message = ParseGraphText(R"(
buffers { name: "x" role: ROLE_INPUT element_type: SCALAR_TYPE_F32 shape: 8 }
buffers { name: "y" role: ROLE_OUTPUT element_type: SCALAR_TYPE_F32 shape: 8 }
modules { name: "m" cuda_source: "__global__ void k() {}" }
parameters { name: "a" type: SCALAR_TYPE_F32 default_value { type: SCALAR_TYPE_F32 float_value: 0.5 } }
nodes {
  kernel {
    module: "m" function: "k"
    grid { value: 1 } block { value: 8 }
    args { buffer { name: "x" } }
    args { buffer { name: "y" } }
    args { parameter: "a" }
  }
}
)");
  ASSERT_TRUE(message.ok()) << message.status();
  GraphBuilder b;
  b.Input("x", ScalarType::kF32, {8}).Output("y", ScalarType::kF32, {8});
  b.CudaSource("m", "__global__ void k() {}");
  b.Parameter("a", Scalar::F32(0.5f));
  b.Kernel("", "m", "k").Block(8).Buffer("x").Buffer("y").Parameter("a");
  const auto built = b.Build();
  ASSERT_TRUE(built.ok()) << built.status();
  const Graph read = Read(*message);
  EXPECT_EQ(read.nodes[0].name, "kernel0");
  EXPECT_EQ(GraphDigest(read), GraphDigest(*built));
}

TEST(GraphCodecTest, EveryFindingIsInTheErrorToo) {
  v1::Graph message;
  message.add_nodes();
  message.add_buffers();
  const auto graph = GraphFromProto(message, nullptr);
  EXPECT_EQ(graph.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(graph.status().message(),
            "the graph has 4 findings\n"
            "buffers[0].role: is missing; expected INPUT, OUTPUT or TRANSIENT\n"
            "nodes[0]: has no body; expected kernel, memcpy, memset or empty\n"
            "buffers[0].name: is empty; every buffer has a name\n"
            "buffers[0].size_bytes: is 0; expected at least 1 byte");
}

}  // namespace
}  // namespace graphd
