// Limits, and ids that no definition can produce; the messages themselves are
// in tests/golden/validation.
#include "core/graph/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "core/graph/graph_builder.h"

namespace graphd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Graph TwoFills() {
  GraphBuilder b;
  b.Output("y", ScalarType::kU8, {64}).Output("z", ScalarType::kU8, {64});
  b.CudaSource("m", "__global__ void k() {}", {"-DN=1", "-DM=2"});
  b.CudaSource("n", "__global__ void k() {}");
  b.Parameter("p", Scalar::S32(1)).Parameter("q", Scalar::S32(1));
  b.Describe("text");
  b.Fill("fill_y", "y", 1);
  b.Kernel("kernel", "m", "k")
      .Buffer("y")
      .Buffer("z")
      .Accesses("y", AccessKind::kMayRead)
      .Accesses("z", AccessKind::kMustWrite)
      .After("fill_y");
  return *b.Build();
}

std::vector<std::string> FindingsUnder(const Graph& graph,
                                       const GraphLimits& limits) {
  std::vector<std::string> found;
  for (const Violation& violation : Validate(graph, limits).found()) {
    found.push_back(absl::StrCat(violation.path, ": ", violation.message));
  }
  return found;
}

TEST(ValidateTest, TheGraphOfTheseTestsIsValid) {
  EXPECT_THAT(FindingsUnder(TwoFills(), {}), IsEmpty());
}

TEST(ValidateTest, EachLimitIsNamedWhenItIsMet) {
  struct Case {
    uint64_t GraphLimits::*limit;
    uint64_t value;
    std::vector<std::string> expected;
  };
  const Case cases[] = {
      {&GraphLimits::nodes, 1, {"nodes: has 2 entries; the limit is 1"}},
      {&GraphLimits::buffers, 1, {"buffers: has 2 entries; the limit is 1"}},
      {&GraphLimits::modules, 1, {"modules: has 2 entries; the limit is 1"}},
      {&GraphLimits::parameters,
       1,
       {"parameters: has 2 entries; the limit is 1"}},
      {&GraphLimits::after_edges,
       0,
       {"nodes: have 1 entries in `after`; the limit is 0"}},
      {&GraphLimits::args, 1, {"nodes[1].args: has 2 entries; the limit is 1"}},
      {&GraphLimits::argument_bytes,
       15,
       {"nodes[1].args: take 16 bytes together; the limit is 15"}},
      {&GraphLimits::accesses,
       1,
       {"nodes[1].accesses: has 2 entries; the limit is 1"}},
      {&GraphLimits::name_bytes,
       5,
       {"nodes[0].name: is 6 bytes long; the limit is 5",
        "nodes[1].name: is 6 bytes long; the limit is 5"}},
      {&GraphLimits::symbol_bytes,
       0,
       {"modules[0].options[0]: is 5 bytes long; the limit is 0",
        "modules[0].options[1]: is 5 bytes long; the limit is 0",
        "nodes[1].function: is 1 bytes long; the limit is 0"}},
      {&GraphLimits::options,
       1,
       {"modules[0].options: has 2 entries; the limit is 1"}},
      {&GraphLimits::description_bytes,
       3,
       {"description: is 4 bytes long; the limit is 3"}},
      {&GraphLimits::code_bytes,
       43,
       {"modules: hold 44 bytes of code; the limit is 43"}},
      {&GraphLimits::rank,
       0,
       {"buffers[0].shape: has 1 dimensions; the limit is 0",
        "buffers[1].shape: has 1 dimensions; the limit is 0"}},
      {&GraphLimits::buffer_bytes,
       63,
       {"buffers[0].size_bytes: is 64; the limit is 63",
        "buffers[1].size_bytes: is 64; the limit is 63"}},
      {&GraphLimits::total_bytes,
       127,
       {"buffers: take 128 bytes together; the limit is 127"}},
  };
  const Graph graph = TwoFills();
  for (const Case& c : cases) {
    GraphLimits limits;
    limits.*c.limit = c.value;
    EXPECT_EQ(FindingsUnder(graph, limits), c.expected);
  }
}

TEST(ValidateTest, SizesThatOverflowTogetherMeetTheLimit) {
  Graph graph = TwoFills();
  for (Buffer& buffer : graph.buffers) {
    buffer.size_bytes = uint64_t{1} << 63;
    buffer.shape.clear();
  }
  GraphLimits limits;
  limits.buffer_bytes = ~uint64_t{0};
  EXPECT_THAT(
      FindingsUnder(graph, limits),
      ElementsAre("buffers: take 18446744073709551615 bytes together; the "
                  "limit is 4398046511104"));
}

TEST(ValidateTest, IdsOutsideTheGraphAreFound) {
  Graph graph = TwoFills();
  std::get<MemsetNode>(graph.nodes[0].body).dst = BufferId(7);
  auto& kernel = std::get<KernelNode>(graph.nodes[1].body);
  kernel.module = ModuleId();
  kernel.grid[1].parameter = ParameterId(9);
  kernel.args.push_back(ParameterArgument{ParameterId()});
  graph.nodes[1].after = {NodeId(5), NodeId()};
  EXPECT_THAT(
      FindingsUnder(graph, {}),
      ElementsAre(
          "nodes[0].buffer: refers to buffer 7, but the graph has 2",
          "nodes[1].module: refers to no module",
          "nodes[1].grid[1]: refers to parameter 9, but the graph has 2",
          "nodes[1].args[2]: refers to no parameter",
          "nodes[1].after[0]: refers to node 5, but the graph has 2",
          "nodes[1].after[1]: refers to no node",
          "buffers[0]: no node writes OUTPUT buffer \"y\""));
}

TEST(ValidateTest, ZeroHeightsAreFoundInCode) {
  Graph graph = TwoFills();
  std::get<MemsetNode>(graph.nodes[0].body).height = 0;
  graph.nodes.push_back({"copy",
                         MemcpyNode{.src = {.place = BufferId(0)},
                                    .dst = {.place = BufferId(1)},
                                    .width_bytes = 4,
                                    .height = 0},
                         {},
                         {}});
  EXPECT_THAT(FindingsUnder(graph, {}),
              ElementsAre("nodes[0].height: is 0; expected at least 1 row",
                          "nodes[2].height: is 0; expected at least 1 row"));
}

TEST(ValidateTest, BitsBeyondAScalarsTypeAreFoundInCode) {
  Graph graph = TwoFills();
  graph.parameters[0].default_value = Scalar{ScalarType::kS32, ~uint64_t{0}};
  std::get<KernelNode>(graph.nodes[1].body)
      .args.push_back(Scalar{ScalarType::kU8, 256});
  EXPECT_THAT(FindingsUnder(graph, {}),
              ElementsAre("parameters[0].default_value: has bits beyond s32",
                          "nodes[1].args[2]: has bits beyond u8"));
}

TEST(ValidateTest, TextThatIsNotUtf8IsFound) {
  for (const char* text :
       {"\x80", "a\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82",
        "\xf0\x80\x80\x80", "\xff"}) {
    Graph graph = TwoFills();
    graph.description = text;
    graph.modules[0].code = text;
    EXPECT_EQ(Validate(graph).found().size(), 2u) << text;
  }
  Graph graph = TwoFills();
  graph.description = "é € 𝄞";
  EXPECT_TRUE(Validate(graph).empty());
}

TEST(ValidateTest, ALongCycleIsShortened) {
  GraphBuilder b;
  std::vector<std::string> names;
  for (int i = 0; i < 12; ++i) {
    names.push_back(absl::StrCat("n", i));
    b.Empty(names.back());
  }
  b.Chain(names).Dep("n11", "n0");
  EXPECT_FALSE(b.Build().ok());
  ASSERT_EQ(b.violations().found().size(), 1u);
  EXPECT_EQ(b.violations().found()[0].message,
            "cycle: \"n0\" after \"n11\" after \"n10\" after \"n9\" after "
            "\"n8\" after \"n7\" after \"n6\" after \"n5\" after … (4 more) "
            "after \"n0\"");
}

TEST(ValidateTest, ReadsOfManySmallWritesAreCheckedWithoutQuadraticWork) {
  // 20,000 fills with gaps, each followed by a copy of what it wrote.
  constexpr uint64_t kPairs = 20000;
  GraphBuilder b;
  b.Transient("t", ScalarType::kU8, {4 * kPairs});
  b.Output("y", ScalarType::kU8, {4 * kPairs});
  for (uint64_t i = 0; i < kPairs; ++i) {
    b.Fill2D("", "t", {.offset_bytes = 4 * i, .width = 2});
    b.Copy2D("", {"t", 4 * i}, {"y", 4 * i}, 2, 1);
  }
  b.Copy2D("rows", {"t", 0, 4}, {"y", 0, 4}, 2, kPairs);
  EXPECT_TRUE(b.Build().ok());
}

}  // namespace
}  // namespace graphd
