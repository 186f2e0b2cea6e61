#include <algorithm>
#include <utility>

#include "tests/conformance/conformance_test.h"

namespace graphd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using Edge = std::pair<CUgraphNode, CUgraphNode>;

const CUgraphNode kUnwritten =
    reinterpret_cast<CUgraphNode>(uintptr_t{kPoison});

class GraphTest : public ConformanceTest {
 protected:
  // Lists, by the count that the driver tells.
  Nodes NodesOf(CUgraph graph) {
    size_t count = kPoison;
    Must(cu().cuGraphGetNodes(graph, nullptr, &count));
    return List(count, [&](CUgraphNode* nodes, size_t* room) {
      return cu().cuGraphGetNodes(graph, nodes, room);
    });
  }
  Nodes RootsOf(CUgraph graph) {
    size_t count = kPoison;
    Must(cu().cuGraphGetRootNodes(graph, nullptr, &count));
    return List(count, [&](CUgraphNode* nodes, size_t* room) {
      return cu().cuGraphGetRootNodes(graph, nodes, room);
    });
  }
  Nodes DependenciesOf(CUgraphNode node) {
    size_t count = kPoison;
    Must(cu().cuGraphNodeGetDependencies(node, nullptr, nullptr, &count));
    return List(count, [&](CUgraphNode* nodes, size_t* room) {
      return cu().cuGraphNodeGetDependencies(node, nodes, nullptr, room);
    });
  }
  Nodes DependentsOf(CUgraphNode node) {
    size_t count = kPoison;
    Must(cu().cuGraphNodeGetDependentNodes(node, nullptr, nullptr, &count));
    return List(count, [&](CUgraphNode* nodes, size_t* room) {
      return cu().cuGraphNodeGetDependentNodes(node, nodes, nullptr, room);
    });
  }
  std::vector<Edge> EdgesOf(CUgraph graph) {
    size_t count = kPoison;
    Must(cu().cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
    if (count == kPoison) return {{kUnwritten, kUnwritten}};
    Nodes from(count, kUnwritten);
    Nodes to(count, kUnwritten);
    Must(cu().cuGraphGetEdges(graph, from.data(), to.data(), nullptr, &count));
    std::vector<Edge> edges;
    for (size_t i = 0; i < count; ++i) edges.emplace_back(from[i], to[i]);
    return edges;
  }
  CUgraphNodeType TypeOf(CUgraphNode node) {
    auto type = static_cast<CUgraphNodeType>(-1);
    Must(cu().cuGraphNodeGetType(node, &type));
    return type;
  }
  CUresult AddEdgeTo(CUgraph graph, CUgraphNode from, CUgraphNode to) {
    return cu().cuGraphAddDependencies(graph, &from, &to, nullptr, 1);
  }
  CUresult RemoveEdge(CUgraph graph, CUgraphNode from, CUgraphNode to) {
    return cu().cuGraphRemoveDependencies(graph, &from, &to, nullptr, 1);
  }

 private:
  template <typename Get>
  static Nodes List(size_t count, const Get& get) {
    // A count that nobody wrote: a list that no test expects.
    if (count == kPoison) return {kUnwritten};
    Nodes nodes(count, kUnwritten);
    if (count > 0) Must(get(nodes.data(), &count));
    return nodes;
  }
};
GRAPHD_CONFORMANCE_SUITE(GraphTest);

TEST_P(GraphTest, BeginsEmpty) {
  const CUgraph graph = Graph();
  EXPECT_NE(graph, nullptr);
  EXPECT_THAT(NodesOf(graph), IsEmpty());
  EXPECT_THAT(RootsOf(graph), IsEmpty());
  EXPECT_THAT(EdgesOf(graph), IsEmpty());
}

TEST_P(GraphTest, RefusesFlagsAndNull) {
  CUgraph graph = nullptr;
  EXPECT_EQ(cu().cuGraphCreate(&graph, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().cuGraphCreate(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_P(GraphTest, ListsItsNodesAndRoots) {
  const CUgraph graph = Graph();
  const CUgraphNode a = AddEmpty(graph, {});
  EXPECT_THAT(NodesOf(graph), ElementsAre(a));
  const CUgraphNode b = AddEmpty(graph, {});
  const CUgraphNode c = AddEmpty(graph, {a, b});
  const CUgraphNode d = AddEmpty(graph, {c});
  const CUgraphNode e = AddEmpty(graph, {c});
  EXPECT_NE(a, nullptr);
  EXPECT_THAT(NodesOf(graph), UnorderedElementsAre(a, b, c, d, e));
  EXPECT_THAT(RootsOf(graph), UnorderedElementsAre(a, b));
}

TEST_P(GraphTest, ListsEdgesBothWays) {
  const CUgraph graph = Graph();
  const CUgraphNode a = AddEmpty(graph, {});
  const CUgraphNode b = AddEmpty(graph, {});
  const CUgraphNode c = AddEmpty(graph, {a, b});
  EXPECT_THAT(DependenciesOf(c), ElementsAre(a, b));
  EXPECT_THAT(DependenciesOf(a), IsEmpty());
  EXPECT_THAT(DependentsOf(a), ElementsAre(c));
  EXPECT_THAT(DependentsOf(c), IsEmpty());
  EXPECT_THAT(EdgesOf(graph), UnorderedElementsAre(Edge{a, c}, Edge{b, c}));
}

TEST_P(GraphTest, EmptiesTheExcessOfAListThatIsTooLong) {
  const CUgraph graph = Graph();
  const CUgraphNode a = AddEmpty(graph, {});
  const CUgraphNode b = AddEmpty(graph, {a});
  Nodes nodes(5, kUnwritten);
  size_t count = nodes.size();
  Must(cu().cuGraphGetNodes(graph, nodes.data(), &count));
  EXPECT_EQ(count, 2u);
  EXPECT_THAT(nodes,
              testing::UnorderedElementsAre(a, b, nullptr, nullptr, nullptr));
  Nodes from(3, kUnwritten);
  Nodes to(3, kUnwritten);
  count = 3;
  Must(cu().cuGraphGetEdges(graph, from.data(), to.data(), nullptr, &count));
  EXPECT_EQ(count, 1u);
  EXPECT_THAT(from, ElementsAre(a, nullptr, nullptr));
  EXPECT_THAT(to, ElementsAre(b, nullptr, nullptr));
}

TEST_P(GraphTest, FillsAListThatIsTooShort) {
  const CUgraph graph = Graph();
  const CUgraphNode a = AddEmpty(graph, {});
  const CUgraphNode b = AddEmpty(graph, {});
  Nodes nodes(2, kUnwritten);
  size_t count = 1;
  Must(cu().cuGraphGetNodes(graph, nodes.data(), &count));
  EXPECT_EQ(count, 1u);
  EXPECT_TRUE(nodes[0] == a || nodes[0] == b);
  EXPECT_EQ(nodes[1], kUnwritten);
}

TEST_P(GraphTest, ListsPlainEdgesWithZeroedData) {
  const CUgraph graph = Graph();
  const CUgraphNode a = AddEmpty(graph, {});
  const CUgraphNode b = AddEmpty(graph, {a});
  CUgraphNode from = nullptr;
  CUgraphNode to = nullptr;
  CUgraphEdgeData data;
  std::fill_n(reinterpret_cast<uint8_t*>(&data), sizeof(data), uint8_t{0xff});
  size_t count = 1;
  Must(cu().cuGraphGetEdges(graph, &from, &to, &data, &count));
  EXPECT_EQ(from, a);
  EXPECT_EQ(to, b);
  EXPECT_EQ(data.from_port, 0);
  EXPECT_EQ(data.to_port, 0);
  EXPECT_EQ(data.type, 0);
}

TEST_P(GraphTest, AddsAndRemovesEdges) {
  const CUgraph graph = Graph();
  const CUgraphNode a = AddEmpty(graph, {});
  const CUgraphNode b = AddEmpty(graph, {});
  const CUgraphNode c = AddEmpty(graph, {});
  const CUgraphNode from[] = {a, b};
  const CUgraphNode to[] = {b, c};
  Must(cu().cuGraphAddDependencies(graph, from, to, nullptr, 2));
  EXPECT_THAT(EdgesOf(graph), UnorderedElementsAre(Edge{a, b}, Edge{b, c}));
  EXPECT_THAT(RootsOf(graph), ElementsAre(a));
  Must(RemoveEdge(graph, a, b));
  EXPECT_THAT(EdgesOf(graph), ElementsAre(Edge{b, c}));
  EXPECT_THAT(RootsOf(graph), UnorderedElementsAre(a, b));
}

TEST_P(GraphTest, RefusesTheSameEdgeTwice) {
  const CUgraph graph = Graph();
  const CUgraphNode a = AddEmpty(graph, {});
  const CUgraphNode b = AddEmpty(graph, {a});
  EXPECT_EQ(AddEdgeTo(graph, a, b), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(EdgesOf(graph), ElementsAre(Edge{a, b}));
  CUgraphNode c = nullptr;
  const CUgraphNode twice[] = {a, a};
  EXPECT_EQ(cu().cuGraphAddEmptyNode(&c, graph, twice, 2),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(NodesOf(graph), UnorderedElementsAre(a, b));
}

TEST_P(GraphTest, RefusesToRemoveAnEdgeThatIsNotThere) {
  const CUgraph graph = Graph();
  const CUgraphNode a = AddEmpty(graph, {});
  const CUgraphNode b = AddEmpty(graph, {a});
  EXPECT_EQ(RemoveEdge(graph, b, a), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(EdgesOf(graph), ElementsAre(Edge{a, b}));
}

TEST_P(GraphTest, RefusesNodesOfOtherGraphs) {
  const CUgraph graph = Graph();
  const CUgraph other = Graph();
  const CUgraphNode mine = AddEmpty(graph, {});
  const CUgraphNode foreign = AddEmpty(other, {});
  EXPECT_EQ(AddEdgeTo(graph, mine, foreign), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(AddEdgeTo(graph, foreign, mine), CUDA_ERROR_INVALID_VALUE);
  CUgraphNode node = nullptr;
  EXPECT_EQ(cu().cuGraphAddEmptyNode(&node, graph, &foreign, 1),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(NodesOf(graph), ElementsAre(mine));
  EXPECT_THAT(EdgesOf(graph), IsEmpty());
  EXPECT_THAT(EdgesOf(other), IsEmpty());
}

TEST_P(GraphTest, SeversTheEdgesOfANodeThatIsDestroyed) {
  const CUgraph graph = Graph();
  const CUgraphNode a = AddEmpty(graph, {});
  const CUgraphNode b = AddEmpty(graph, {a});
  const CUgraphNode c = AddEmpty(graph, {b});
  Must(cu().cuGraphDestroyNode(b));
  EXPECT_THAT(NodesOf(graph), UnorderedElementsAre(a, c));
  EXPECT_THAT(EdgesOf(graph), IsEmpty());
  EXPECT_THAT(DependentsOf(a), IsEmpty());
  EXPECT_THAT(DependenciesOf(c), IsEmpty());
  EXPECT_THAT(RootsOf(graph), UnorderedElementsAre(a, c));
}

TEST_P(GraphTest, KnowsTheTypesOfItsNodes) {
  const CUgraph graph = Graph();
  const CUdeviceptr one = Allocate(64);
  const CUdeviceptr two = Allocate(64);
  EXPECT_EQ(TypeOf(AddEmpty(graph, {})), CU_GRAPH_NODE_TYPE_EMPTY);
  EXPECT_EQ(TypeOf(AddAffine(graph, {}, one, 1, 1)), CU_GRAPH_NODE_TYPE_KERNEL);
  EXPECT_EQ(TypeOf(AddCopy(graph, {}, RowCopy(one, two, 64))),
            CU_GRAPH_NODE_TYPE_MEMCPY);
  EXPECT_EQ(TypeOf(AddFill(graph, {}, RowFill(one, 0, 4, 16))),
            CU_GRAPH_NODE_TYPE_MEMSET);
}

TEST_P(GraphTest, RefusesNullOutputsAndHandles) {
  const CUgraph graph = Graph();
  const CUgraphNode node = AddEmpty(graph, {});
  CUgraphNodeType type;
  size_t count = 0;
  EXPECT_EQ(cu().cuGraphNodeGetType(node, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(cu().cuGraphNodeGetType(nullptr, &type), CUDA_SUCCESS);
  EXPECT_EQ(cu().cuGraphGetNodes(graph, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(cu().cuGraphGetNodes(nullptr, nullptr, &count), CUDA_SUCCESS);
  EXPECT_EQ(cu().cuGraphAddEmptyNode(nullptr, graph, nullptr, 0),
            CUDA_ERROR_INVALID_VALUE);
  CUgraphNode added = nullptr;
  EXPECT_EQ(cu().cuGraphAddEmptyNode(&added, graph, nullptr, 1),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_P(GraphTest, GivesAKernelNodesParametersBack) {
  const CUgraph graph = Graph();
  const CUdeviceptr word = Allocate(4);
  Arguments<CUdeviceptr, uint32_t, uint32_t, uint32_t> arguments(word, 1, 2, 3);
  CUDA_KERNEL_NODE_PARAMS params =
      KernelParams(Kernel("affine"), 7, 96, arguments.pointers());
  params.sharedMemBytes = 512;
  CUgraphNode node = nullptr;
  Must(cu().cuGraphAddKernelNode(&node, graph, nullptr, 0, &params));
  arguments.Set<3>(uint32_t{1000});
  CUDA_KERNEL_NODE_PARAMS back{};
  Must(cu().cuGraphKernelNodeGetParams(node, &back));
  EXPECT_EQ(back.func, params.func);
  EXPECT_EQ(back.gridDimX, 7u);
  EXPECT_EQ(back.gridDimZ, 1u);
  EXPECT_EQ(back.blockDimX, 96u);
  EXPECT_EQ(back.sharedMemBytes, 512u);
  ASSERT_NE(back.kernelParams, nullptr);
  // The driver's own copy of the values, as they were.
  EXPECT_EQ(*static_cast<CUdeviceptr*>(back.kernelParams[0]), word);
  EXPECT_EQ(*static_cast<uint32_t*>(back.kernelParams[3]), 3u);
}

TEST_P(GraphTest, GivesACopyNodesParametersBack) {
  const CUgraph graph = Graph();
  const CUdeviceptr one = Allocate(64);
  const CUdeviceptr two = Allocate(64);
  const CUgraphNode node = AddCopy(graph, {}, RowCopy(one, two, 40));
  CUDA_MEMCPY3D back{};
  Must(cu().cuGraphMemcpyNodeGetParams(node, &back));
  EXPECT_EQ(back.dstDevice, one);
  EXPECT_EQ(back.srcDevice, two);
  EXPECT_EQ(back.WidthInBytes, 40u);
  const CUDA_MEMCPY3D changed = RowCopy(two, one, 16);
  Must(cu().cuGraphMemcpyNodeSetParams(node, &changed));
  Must(cu().cuGraphMemcpyNodeGetParams(node, &back));
  EXPECT_EQ(back.dstDevice, two);
  EXPECT_EQ(back.WidthInBytes, 16u);
}

TEST_P(GraphTest, GivesAFillNodesParametersBack) {
  const CUgraph graph = Graph();
  const CUdeviceptr buffer = Allocate(64);
  const CUgraphNode node = AddFill(graph, {}, RowFill(buffer, 0x1234, 2, 10));
  CUDA_MEMSET_NODE_PARAMS back{};
  Must(cu().cuGraphMemsetNodeGetParams(node, &back));
  EXPECT_EQ(back.dst, buffer);
  EXPECT_EQ(back.value, 0x1234u);
  EXPECT_EQ(back.elementSize, 2u);
  EXPECT_EQ(back.width, 10u);
  EXPECT_EQ(back.height, 1u);
  const CUDA_MEMSET_NODE_PARAMS changed = RowFill(buffer + 4, 9, 4, 3);
  Must(cu().cuGraphMemsetNodeSetParams(node, &changed));
  Must(cu().cuGraphMemsetNodeGetParams(node, &back));
  EXPECT_EQ(back.dst, buffer + 4);
  EXPECT_EQ(back.elementSize, 4u);
}

TEST_P(GraphTest, RefusesParametersOfAnotherTypeOfNode) {
  const CUgraph graph = Graph();
  const CUdeviceptr buffer = Allocate(64);
  const CUgraphNode fill = AddFill(graph, {}, RowFill(buffer, 1, 4, 16));
  CUDA_KERNEL_NODE_PARAMS kernel{};
  CUDA_MEMCPY3D copy{};
  EXPECT_EQ(cu().cuGraphKernelNodeGetParams(fill, &kernel),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().cuGraphMemcpyNodeGetParams(fill, &copy),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_P(GraphTest, RefusesKernelNodesThatCouldNotLaunch) {
  const CUgraph graph = Graph();
  const CUdeviceptr word = Allocate(4);
  Arguments<CUdeviceptr, uint32_t, uint32_t, uint32_t> arguments(word, 1, 2, 3);
  const CUDA_KERNEL_NODE_PARAMS good =
      KernelParams(Kernel("affine"), 1, 1, arguments.pointers());
  CUgraphNode node = nullptr;
  CUDA_KERNEL_NODE_PARAMS bad = good;
  bad.gridDimY = 0;
  EXPECT_EQ(cu().cuGraphAddKernelNode(&node, graph, nullptr, 0, &bad),
            CUDA_ERROR_INVALID_VALUE);
  bad = good;
  bad.blockDimX = 2048;
  EXPECT_EQ(cu().cuGraphAddKernelNode(&node, graph, nullptr, 0, &bad),
            CUDA_ERROR_INVALID_VALUE);
  bad = good;
  void* extra[] = {CU_LAUNCH_PARAM_END};
  bad.extra = extra;
  EXPECT_EQ(cu().cuGraphAddKernelNode(&node, graph, nullptr, 0, &bad),
            CUDA_ERROR_INVALID_VALUE);
  bad = good;
  bad.func = nullptr;
  EXPECT_NE(cu().cuGraphAddKernelNode(&node, graph, nullptr, 0, &bad),
            CUDA_SUCCESS);
  EXPECT_THAT(NodesOf(graph), IsEmpty());
}

TEST_P(GraphTest, RefusesCopiesAndFillsOfNothing) {
  const CUgraph graph = Graph();
  const CUdeviceptr one = Allocate(64);
  const CUdeviceptr two = Allocate(64);
  CUgraphNode node = nullptr;
  const CUDA_MEMCPY3D copy = RowCopy(one, two, 0);
  EXPECT_EQ(
      cu().cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, context()),
      CUDA_ERROR_INVALID_VALUE);
  const CUDA_MEMSET_NODE_PARAMS fill = RowFill(one, 1, 4, 0);
  EXPECT_EQ(
      cu().cuGraphAddMemsetNode(&node, graph, nullptr, 0, &fill, context()),
      CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(NodesOf(graph), IsEmpty());
}

TEST_P(GraphTest, RefusesFillsWithElementsOfAnOddWidth) {
  const CUgraph graph = Graph();
  const CUdeviceptr buffer = Allocate(64);
  CUgraphNode node = nullptr;
  for (const uint32_t element_bytes : {0u, 3u, 8u}) {
    const CUDA_MEMSET_NODE_PARAMS fill = RowFill(buffer, 1, element_bytes, 1);
    EXPECT_EQ(
        cu().cuGraphAddMemsetNode(&node, graph, nullptr, 0, &fill, context()),
        CUDA_ERROR_INVALID_VALUE)
        << element_bytes;
  }
  EXPECT_THAT(NodesOf(graph), IsEmpty());
}

TEST_P(GraphTest, IsRefusedOnceDestroyed) {
  if (!cu().is_software) GTEST_SKIP() << "libcuda follows what it is given";
  CUgraph graph = nullptr;
  Must(cu().cuGraphCreate(&graph, 0));
  const CUgraphNode node = AddEmpty(graph, {});
  Must(cu().cuGraphDestroy(graph));
  size_t count = 0;
  CUgraphNodeType type;
  EXPECT_NE(cu().cuGraphGetNodes(graph, nullptr, &count), CUDA_SUCCESS);
  EXPECT_NE(cu().cuGraphNodeGetType(node, &type), CUDA_SUCCESS);
  EXPECT_NE(cu().cuGraphDestroy(graph), CUDA_SUCCESS);
}

}  // namespace
}  // namespace graphd
