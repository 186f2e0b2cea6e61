#include "core/graph/graph_digest.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "core/graph/graph_builder.h"

namespace graphd {
namespace {

constexpr char kSource[] = "__global__ void k(float*, float*, float) {}";

// Has a field of every kind.
Graph Everything() {
  GraphBuilder b;
  b.Describe("everything");
  b.Input("x", ScalarType::kF32, {8, 8});
  b.Transient("t", ScalarType::kF32, {8, 8});
  b.Output("y", ScalarType::kF32, {64});
  b.CudaSource("m", kSource, {"-DN=1"}, {"k<float>"});
  b.Parameter("a", Scalar::F32(0.5f), Scalar::F32(0), Scalar::F32(1));
  b.Parameter("blocks", Scalar::U32(2), Scalar::U32(1), Scalar::U32(8));
  b.Kernel("kernel", "m", "k")
      .Grid(4, 2)
      .GridParameter(0, "blocks")
      .Block(32)
      .SharedBytes(64)
      .Buffer("x", 4)
      .Parameter("a")
      .Value(Scalar::S32(64))
      .Struct(std::string(16, '\1'), {{8, "t", 16}})
      .Accesses("x", AccessKind::kMayRead)
      .Accesses("t", AccessKind::kMustWrite);
  b.Copy2D("copy", {"t", 0, 32}, {"y", 0, 16}, 16, 4).After("kernel");
  b.Fill2D("fill", "y",
           {.offset_bytes = 64,
            .pattern = 3,
            .pattern_bytes = 2,
            .width = 4,
            .height = 2,
            .pitch_bytes = 16});
  b.Copy2D("symbol", {"y"}, {"m", 0, 0, "v"}, 16, 1);
  b.Empty("end").After("copy").After("fill").WithHints({.cost_ns = 5});
  return *b.Build();
}

Graph Smallest() {
  GraphBuilder b;
  b.Empty("nothing");
  return *b.Build();
}

Graph Explicit() {
  GraphBuilder b;
  b.Order(GraphOrder::kExplicit);
  b.Output("y", ScalarType::kU8, {16}, MemorySpace::kHost);
  b.Transient("t", ScalarType::kU8, {16});
  b.Fill("fill", "t", 0xff);
  b.Copy("copy", "t", "y", 16).After("fill");
  return *b.Build();
}

// A promise: these never change. A new encoding gets a new tag.
TEST(GraphDigestTest, AgreesWithTheGoldenVectors) {
  EXPECT_EQ(GraphDigest(Smallest()).ToString(),
            "sha256:"
            "1016fb7245cc78a6617e2c9d0465894dd4ab547d25d6eae2a59db26f91f60561");
  EXPECT_EQ(GraphDigest(Explicit()).ToString(),
            "sha256:"
            "79b4e93829f64f6ee76d9f8cf1455eb8839828fda1a6ba73ce9863209af5efd4");
  EXPECT_EQ(GraphDigest(Everything()).ToString(),
            "sha256:"
            "923acda9f331f0391d44813555e1327367345a40f6da5f0a401faf0a67ab656f");
  EXPECT_EQ(HintsDigest(Everything()).ToString(),
            "sha256:"
            "cabdce7f9bf3bfa4950f7806105a2bfcdb8b58a3078ad634d9fcdc8b969c1552");
  EXPECT_EQ(ModuleDigest(Everything().modules[0]).ToString(),
            "sha256:"
            "b691e5f46e23fdcb23c893c3642849c63f1fe60f50f384a67e69ae706bc9b5e7");
}

TEST(GraphDigestTest, EachFieldThatChangesARunChangesIt) {
  using Change = std::function<void(Graph&)>;
  const auto kernel = [](Graph& g) -> KernelNode& {
    return std::get<KernelNode>(g.nodes[0].body);
  };
  const auto copy = [](Graph& g) -> MemcpyNode& {
    return std::get<MemcpyNode>(g.nodes[1].body);
  };
  const auto fill = [](Graph& g) -> MemsetNode& {
    return std::get<MemsetNode>(g.nodes[2].body);
  };
  const std::vector<Change> changes = {
      [](Graph& g) { g.order = GraphOrder::kExplicit; },
      [](Graph& g) { g.buffers[0].name = "z"; },
      [](Graph& g) { g.buffers[0].role = BufferRole::kTransient; },
      [](Graph& g) { g.buffers[0].space = MemorySpace::kHost; },
      [](Graph& g) { g.buffers[0].size_bytes = 128; },
      [](Graph& g) { g.buffers[0].element_type = ScalarType::kS32; },
      [](Graph& g) { g.buffers[0].element_type.reset(); },
      [](Graph& g) {
        g.buffers[0].shape = {4, 16};
      },
      [](Graph& g) { std::swap(g.buffers[0], g.buffers[1]); },
      [](Graph& g) { g.modules[0].name = "n"; },
      [](Graph& g) { g.modules[0].kind = ModuleKind::kPtx; },
      [](Graph& g) { g.modules[0].code += " "; },
      [](Graph& g) { g.modules[0].options.push_back("-DM"); },
      [](Graph& g) { g.modules[0].name_expressions.clear(); },
      [](Graph& g) { g.parameters[0].name = "b"; },
      [](Graph& g) { g.parameters[0].type = ScalarType::kF64; },
      [](Graph& g) { g.parameters[0].default_value = Scalar::F32(0.25f); },
      [](Graph& g) { g.parameters[0].default_value.reset(); },
      [](Graph& g) { g.parameters[0].minimum.reset(); },
      [](Graph& g) { g.parameters[0].maximum = Scalar::F32(2); },
      [](Graph& g) { g.nodes[0].name = "other"; },
      [&](Graph& g) { kernel(g).module = ModuleId(1); },
      [&](Graph& g) { kernel(g).function = "l"; },
      [&](Graph& g) { kernel(g).grid[1].value = 3; },
      [&](Graph& g) { kernel(g).grid[0].parameter = ParameterId(); },
      [&](Graph& g) { kernel(g).block[0].value = 64; },
      [&](Graph& g) { kernel(g).shared_bytes = 65; },
      [&](Graph& g) { std::swap(kernel(g).args[0], kernel(g).args[1]); },
      [&](Graph& g) { kernel(g).args.pop_back(); },
      [&](Graph& g) {
        std::get<BufferArgument>(kernel(g).args[0]).offset_bytes = 8;
      },
      [&](Graph& g) { std::get<Scalar>(kernel(g).args[2]).bits = 63; },
      [&](Graph& g) {
        std::get<Scalar>(kernel(g).args[2]).type = ScalarType::kU32;
      },
      [&](Graph& g) {
        std::get<BytesArgument>(kernel(g).args[3]).bytes[0] = 2;
      },
      [&](Graph& g) {
        std::get<BytesArgument>(kernel(g).args[3]).relocations[0].offset_bytes =
            0;
      },
      [&](Graph& g) {
        std::get<BytesArgument>(kernel(g).args[3])
            .relocations[0]
            .buffer_offset_bytes = 0;
      },
      [&](Graph& g) { kernel(g).accesses_declared = false; },
      [&](Graph& g) { kernel(g).accesses[0].kind = AccessKind::kMayWrite; },
      [&](Graph& g) { kernel(g).accesses[0].range.width_bytes = 4; },
      [&](Graph& g) { kernel(g).accesses.pop_back(); },
      [&](Graph& g) { copy(g).src.offset_bytes = 4; },
      [&](Graph& g) { copy(g).src.pitch_bytes = 36; },
      [&](Graph& g) { copy(g).dst.place = BufferId(1); },
      [&](Graph& g) { copy(g).width_bytes = 8; },
      [&](Graph& g) { copy(g).height = 3; },
      [&](Graph& g) { std::swap(copy(g).src, copy(g).dst); },
      [](Graph& g) {
        auto& symbol = std::get<MemcpyNode>(g.nodes[3].body);
        std::get<ModuleSymbol>(symbol.dst.place).symbol = "w";
      },
      [&](Graph& g) { fill(g).dst = BufferId(1); },
      [&](Graph& g) { fill(g).offset_bytes = 62; },
      [&](Graph& g) { fill(g).pattern = 4; },
      [&](Graph& g) { fill(g).pattern_bytes = 4; },
      [&](Graph& g) { fill(g).width = 5; },
      [&](Graph& g) { fill(g).height = 3; },
      [&](Graph& g) { fill(g).pitch_bytes = 18; },
      [](Graph& g) { g.nodes[4].after.pop_back(); },
      [](Graph& g) { g.nodes[4].body = MemsetNode{}; },
      [](Graph& g) { std::swap(g.nodes[2], g.nodes[3]); },
      [](Graph& g) { g.nodes.pop_back(); },
  };
  std::set<Digest> digests = {GraphDigest(Everything())};
  for (size_t i = 0; i < changes.size(); ++i) {
    Graph graph = Everything();
    changes[i](graph);
    EXPECT_TRUE(digests.insert(GraphDigest(graph)).second) << "change " << i;
  }
}

TEST(GraphDigestTest, WhatChangesNoRunDoesNotChangeIt) {
  const Digest digest = GraphDigest(Everything());
  Graph graph = Everything();
  graph.description = "another";
  for (Node& node : graph.nodes) {
    node.hints = {.cost_ns = 9, .stream = 2, .priority = -1, .fusible = false};
  }
  // The order and the number of equal entries of `after`.
  std::swap(graph.nodes[4].after[0], graph.nodes[4].after[1]);
  graph.nodes[4].after.push_back(graph.nodes[4].after[0]);
  // One dimension, written out or not.
  graph.buffers[2].shape.clear();
  // Fields without meaning.
  std::get<KernelNode>(graph.nodes[0].body).grid[0].value = 77;
  std::get<MemcpyNode>(graph.nodes[3].body).src.pitch_bytes = 99;
  EXPECT_EQ(GraphDigest(graph), digest);
  EXPECT_NE(HintsDigest(graph), HintsDigest(Everything()));
}

TEST(GraphDigestTest, EachHintChangesTheDigestOfHints) {
  std::set<Digest> digests = {HintsDigest(Everything())};
  for (const Hints& hints :
       {Hints{.cost_ns = 6}, Hints{.cost_ns = 5, .stream = 0},
        Hints{.cost_ns = 5, .priority = 0},
        Hints{.cost_ns = 5, .fusible = true},
        Hints{.cost_ns = 5, .fusible = false}, Hints{}}) {
    Graph graph = Everything();
    graph.nodes[4].hints = hints;
    EXPECT_TRUE(digests.insert(HintsDigest(graph)).second);
  }
}

}  // namespace
}  // namespace graphd
