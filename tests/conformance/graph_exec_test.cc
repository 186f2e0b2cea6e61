#include <algorithm>
#include <thread>

#include "tests/conformance/conformance_test.h"

namespace graphd {
namespace {

using testing::ElementsAre;

class GraphExecTest : public ConformanceTest {
 protected:
  // A log for `append`: its length, then its entries.
  CUdeviceptr Log(size_t room) { return Buffer(Words(room + 1, 0)); }
  CUgraphNode AddEntry(CUgraph graph, const Nodes& after, CUdeviceptr log,
                       uint32_t entry) {
    return AddKernel(graph, after, "append", log, entry);
  }
  Words Entries(CUdeviceptr log, size_t room) {
    const Words words = Read(log, room + 1);
    if (words[0] > room) return {kPoison};
    return Words(words.begin() + 1, words.begin() + 1 + words[0]);
  }
};
GRAPHD_CONFORMANCE_SUITE(GraphExecTest);

TEST_P(GraphExecTest, OfAnEmptyGraphDoesNothing) {
  const CUstream stream = Stream();
  const CUdeviceptr word = Buffer({1});
  const CUgraphExec exec = Instantiate(Graph());
  EXPECT_NE(exec, nullptr);
  Must(LaunchAffine(stream, word, 2, 0));
  Must(cu().cuGraphLaunch(exec, stream));
  Must(LaunchAffine(stream, word, 2, 1));
  Must(cu().cuStreamSynchronize(stream));
  EXPECT_EQ(Read(word, 1), Words{5});
}

TEST_P(GraphExecTest, RunsOncePerLaunch) {
  const CUdeviceptr word = Buffer({0});
  const CUgraph graph = Graph();
  AddAffine(graph, {}, word, 1, 1);
  const CUgraphExec exec = Instantiate(graph);
  EXPECT_EQ(Read(word, 1), Words{0});
  for (int i = 0; i < 3; ++i) Run(exec, Stream());
  EXPECT_EQ(Read(word, 1), Words{3});
}

TEST_P(GraphExecTest, RunsAChainInOrder) {
  const CUdeviceptr word = Buffer({1});
  const CUgraph graph = Graph();
  Nodes last;
  uint32_t expected = 1;
  for (uint32_t i = 0; i < 50; ++i) {
    last = {AddAffine(graph, last, word, 3, i)};
    expected = expected * 3 + i;
  }
  Run(Instantiate(graph), Stream());
  EXPECT_EQ(Read(word, 1), Words{expected});
}

TEST_P(GraphExecTest, RunsADiamond) {
  const CUdeviceptr words = Buffer({1, 0, 0, 0});
  const CUgraph graph = Graph();
  const CUgraphNode top = AddSlowAffine(graph, {}, words, 5, 2);
  const CUgraphNode copy_left =
      AddCopy(graph, {top}, RowCopy(words + 4, words, 4));
  const CUgraphNode copy_right =
      AddCopy(graph, {top}, RowCopy(words + 8, words, 4));
  const CUgraphNode left = AddSlowAffine(graph, {copy_left}, words + 4, 2, 0);
  const CUgraphNode right = AddAffine(graph, {copy_right}, words + 8, 3, 0);
  AddCopy(graph, {left, right}, RowCopy(words + 12, words + 4, 4));
  Run(Instantiate(graph), Stream());
  EXPECT_THAT(Read(words, 4), ElementsAre(7, 14, 21, 14));
}

TEST_P(GraphExecTest, FollowsEdgesNotTheOrderOfCreation) {
  const CUdeviceptr log = Log(3);
  const CUgraph graph = Graph();
  const CUgraphNode third = AddEntry(graph, {}, log, 3);
  const CUgraphNode second = AddEntry(graph, {}, log, 2);
  const CUgraphNode first = AddEntry(graph, {}, log, 1);
  AddEdge(graph, first, second);
  AddEdge(graph, second, third);
  Run(Instantiate(graph), Stream());
  EXPECT_THAT(Entries(log, 3), ElementsAre(1, 2, 3));
}

TEST_P(GraphExecTest, AllowsRedundantEdges) {
  const CUdeviceptr log = Log(8);
  const CUgraph graph = Graph();
  const CUgraphNode r = AddEntry(graph, {}, log, 0);
  const CUgraphNode f1 = AddEntry(graph, {r}, log, 1);
  const CUgraphNode f2 = AddEntry(graph, {f1}, log, 2);
  const CUgraphNode f3 = AddEntry(graph, {f2}, log, 3);
  const CUgraphNode a1 = AddEntry(graph, {f2, f3}, log, 4);
  const CUgraphNode f4 = AddEntry(graph, {a1}, log, 5);
  const CUgraphNode a2 = AddEntry(graph, {f1, f4, f3}, log, 6);
  AddEntry(graph, {a2}, log, 7);
  Run(Instantiate(graph), Stream());
  EXPECT_THAT(Entries(log, 8), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST_P(GraphExecTest, RunsEveryRootAndTheirJoin) {
  const CUdeviceptr words = Buffer({1, 1, 1, 1, 0, 0, 0, 0});
  const CUgraph graph = Graph();
  Nodes roots;
  for (uint32_t i = 0; i < 4; ++i) {
    roots.push_back(AddSlowAffine(graph, {}, words + 4 * i, 10, i));
  }
  AddCopy(graph, roots, RowCopy(words + 16, words, 16));
  Run(Instantiate(graph), Stream());
  EXPECT_THAT(Read(words, 8), ElementsAre(10, 11, 12, 13, 10, 11, 12, 13));
}

TEST_P(GraphExecTest, OrdersThroughEmptyNodes) {
  const CUdeviceptr word = Buffer({1});
  const CUgraph graph = Graph();
  const CUgraphNode first = AddSlowAffine(graph, {}, word, 2, 1);
  const CUgraphNode barrier = AddEmpty(graph, {first});
  AddAffine(graph, {barrier}, word, 10, 4);
  Run(Instantiate(graph), Stream());
  EXPECT_EQ(Read(word, 1), Words{34});
}

TEST_P(GraphExecTest, CopiesToAndFromTheHostAtLaunch) {
  uint32_t from = 1;
  uint32_t to = kPoison;
  const CUdeviceptr word = Buffer({0});
  const CUgraph graph = Graph();
  const CUgraphNode in = AddCopy(graph, {}, RowFromHost(word, &from, 4));
  const CUgraphNode work = AddAffine(graph, {in}, word, 10, 3);
  AddCopy(graph, {work}, RowToHost(&to, word, 4));
  const CUgraphExec exec = Instantiate(graph);
  for (const uint32_t value : {2u, 7u}) {
    from = value;  // read at launch, not when the node was added
    Run(exec, Stream());
    EXPECT_EQ(to, value * 10 + 3);
  }
}

TEST_P(GraphExecTest, CopiesRectangles) {
  Words picture;
  for (uint32_t i = 0; i < 20; ++i) picture.push_back(i);
  const CUdeviceptr from = Buffer(picture);  // 5 columns, 4 rows
  const CUdeviceptr to = Buffer(Words(12, 100));
  CUDA_MEMCPY3D copy = RowCopy(to, from, 8);
  copy.Height = 3;
  copy.srcXInBytes = 4;
  copy.srcY = 1;
  copy.srcPitch = 20;
  copy.srcHeight = 4;
  copy.dstPitch = 16;
  copy.dstHeight = 3;
  copy.dstXInBytes = 8;
  const CUgraph graph = Graph();
  AddCopy(graph, {}, copy);
  Run(Instantiate(graph), Stream());
  EXPECT_THAT(Read(to, 12),
              ElementsAre(100, 100, 6, 7, 100, 100, 11, 12, 100, 100, 16, 17));
}

TEST_P(GraphExecTest, FillsRowsAndRectangles) {
  const CUdeviceptr words = Buffer(Words(8, 0));
  const CUgraph graph = Graph();
  AddFill(graph, {}, RowFill(words, 0xabcd, 2, 3));
  CUDA_MEMSET_NODE_PARAMS rectangle = RowFill(words + 9, 0x11, 1, 2);
  rectangle.height = 2;
  rectangle.pitch = 8;
  AddFill(graph, {}, rectangle);
  AddFill(graph, {}, RowFill(words + 24, 77, 4, 2));
  Run(Instantiate(graph), Stream());
  EXPECT_THAT(Read(words, 8), ElementsAre(0xabcdabcd, 0xabcd, 0x00111100, 0,
                                          0x00111100, 0, 77, 77));
}

TEST_P(GraphExecTest, FillsBytesAtOddAddresses) {
  const CUdeviceptr words = Buffer(Words(14, 0));
  const CUgraph graph = Graph();
  std::vector<uint8_t> expected(56, 0);
  for (size_t count = 1; count <= 7; ++count) {
    const size_t at = (count - 1) * 8 + 1;
    AddFill(graph, {},
            RowFill(words + at, static_cast<uint32_t>(count), 1, count));
    std::fill_n(expected.begin() + at, count, static_cast<uint8_t>(count));
  }
  Run(Instantiate(graph), Stream());
  EXPECT_EQ(ReadBytes(words, 56), expected);
}

TEST_P(GraphExecTest, HoldsArgumentsAsTheyWereWhenAdded) {
  const CUdeviceptr word = Buffer({1});
  const CUgraph graph = Graph();
  {
    Arguments<CUdeviceptr, uint32_t, uint32_t, uint32_t> arguments(word, 1, 7,
                                                                   1);
    const CUDA_KERNEL_NODE_PARAMS params =
        KernelParams(Kernel("affine"), 1, 1, arguments.pointers());
    CUgraphNode node = nullptr;
    Must(cu().cuGraphAddKernelNode(&node, graph, nullptr, 0, &params));
    arguments.Set<0>(CUdeviceptr{0});
    arguments.Set<2>(uint32_t{0});
  }
  Run(Instantiate(graph), Stream());
  EXPECT_EQ(Read(word, 1), Words{8});
}

TEST_P(GraphExecTest, IsNotChangedByItsGraph) {
  const CUdeviceptr word = Buffer({1});
  const CUgraph graph = Graph();
  const CUgraphNode node = AddAffine(graph, {}, word, 2, 0);
  const CUgraphExec before = Instantiate(graph);
  Arguments<CUdeviceptr, uint32_t, uint32_t, uint32_t> arguments(word, 1, 100,
                                                                 0);
  const CUDA_KERNEL_NODE_PARAMS params =
      KernelParams(Kernel("affine"), 1, 1, arguments.pointers());
  Must(cu().cuGraphKernelNodeSetParams(node, &params));
  AddAffine(graph, {node}, word, 1, 5);
  Run(before, Stream());
  EXPECT_EQ(Read(word, 1), Words{2});
  Run(Instantiate(graph), Stream());
  EXPECT_EQ(Read(word, 1), Words{205});
}

TEST_P(GraphExecTest, OutlivesItsGraph) {
  const CUdeviceptr word = Buffer({1});
  CUgraph graph = nullptr;
  Must(cu().cuGraphCreate(&graph, 0));
  const CUgraphNode first = AddAffine(graph, {}, word, 2, 1);
  AddAffine(graph, {first}, word, 5, 1);
  const CUgraphExec exec = Instantiate(graph);
  Must(cu().cuGraphDestroy(graph));
  Run(exec, Stream());
  EXPECT_EQ(Read(word, 1), Words{16});
}

TEST_P(GraphExecTest, FinishesAfterItIsDestroyed) {
  const CUstream stream = Stream();
  const CUdeviceptr word = Buffer({1});
  const CUgraph graph = Graph();
  const CUgraphNode first = AddSlowAffine(graph, {}, word, 2, 1);
  AddAffine(graph, {first}, word, 10, 0);
  CUgraphExec exec = nullptr;
  Must(cu().cuGraphInstantiateWithFlags(&exec, graph, 0));
  Must(cu().cuGraphLaunch(exec, stream));
  Must(cu().cuGraphExecDestroy(exec));
  Must(cu().cuStreamSynchronize(stream));
  EXPECT_EQ(Read(word, 1), Words{30});
}

TEST_P(GraphExecTest, IsOrderedInItsStream) {
  const CUstream stream = Stream();
  const CUdeviceptr word = Buffer({1});
  const CUgraph graph = Graph();
  AddSlowAffine(graph, {}, word, 3, 1);
  const CUgraphExec exec = Instantiate(graph);
  Must(LaunchSlowAffine(stream, word, 2, 5));
  Must(cu().cuGraphLaunch(exec, stream));
  Must(LaunchAffine(stream, word, 10, 1));
  Must(cu().cuGraphLaunch(exec, stream));
  Must(cu().cuStreamSynchronize(stream));
  EXPECT_EQ(Read(word, 1), Words{((1 * 2 + 5) * 3 + 1) * 30 + 3 + 1});
}

TEST_P(GraphExecTest, IsOrderedAfterAnEvent) {
  const CUstream first = Stream();
  const CUstream second = Stream();
  const CUevent event = Event(CU_EVENT_DISABLE_TIMING);
  const CUdeviceptr word = Buffer({1});
  const CUgraph graph = Graph();
  AddAffine(graph, {}, word, 10, 2);
  const CUgraphExec exec = Instantiate(graph);
  Must(LaunchSlowAffine(first, word, 4, 0));
  Must(cu().cuEventRecord(event, first));
  Must(cu().cuStreamWaitEvent(second, event, 0));
  Run(exec, second);
  EXPECT_EQ(Read(word, 1), Words{42});
}

TEST_P(GraphExecTest, NeverOverlapsItself) {
  const CUdeviceptr word = Buffer({0});
  const CUgraph graph = Graph();
  // Reads, waits, writes: two at once would lose an addition.
  Nodes last;
  for (int i = 0; i < 4; ++i) {
    last = {AddSlowAffine(graph, last, word, 1, 1)};
  }
  const CUgraphExec exec = Instantiate(graph);
  const CUstream streams[] = {Stream(), Stream(), Stream()};
  for (int i = 0; i < 4; ++i) {
    for (const CUstream stream : streams) {
      Must(cu().cuGraphLaunch(exec, stream));
    }
  }
  Must(cu().cuCtxSynchronize());
  EXPECT_EQ(Read(word, 1), Words{48});
}

TEST_P(GraphExecTest, RunsBesideAnotherExecOfItsGraph) {
  const CUdeviceptr words = Buffer({0, 0});
  const CUgraph graph = Graph();
  const CUgraphNode node = AddAffine(graph, {}, words, 1, 1);
  const CUgraphExec one = Instantiate(graph);
  const CUgraphExec two = Instantiate(graph);
  EXPECT_NE(one, two);
  Arguments<CUdeviceptr, uint32_t, uint32_t, uint32_t> arguments(words + 4, 1,
                                                                 1, 2);
  const CUDA_KERNEL_NODE_PARAMS params =
      KernelParams(Kernel("affine"), 1, 1, arguments.pointers());
  Must(cu().cuGraphExecKernelNodeSetParams(two, node, &params));
  const CUstream streams[] = {Stream(), Stream()};
  std::thread other([&] {
    Must(cu().cuCtxSetCurrent(context()));
    for (int i = 0; i < 50; ++i) Must(cu().cuGraphLaunch(two, streams[1]));
    Must(cu().cuStreamSynchronize(streams[1]));
  });
  for (int i = 0; i < 50; ++i) Must(cu().cuGraphLaunch(one, streams[0]));
  Must(cu().cuStreamSynchronize(streams[0]));
  other.join();
  EXPECT_EQ(Read(words, 2), (Words{50, 100}));
}

TEST_P(GraphExecTest, MayBeUploadedAndRunsNothingThen) {
  const CUstream stream = Stream();
  const CUdeviceptr word = Buffer({1});
  const CUgraph graph = Graph();
  AddAffine(graph, {}, word, 2, 0);
  const CUgraphExec exec = Instantiate(graph);
  Must(cu().cuGraphUpload(exec, stream));
  Must(cu().cuStreamSynchronize(stream));
  EXPECT_EQ(Read(word, 1), Words{1});
  Run(exec, stream);
  EXPECT_EQ(Read(word, 1), Words{2});
}

TEST_P(GraphExecTest, IsInstantiatedWithParams) {
  const CUstream stream = Stream();
  const CUdeviceptr word = Buffer({1});
  const CUgraph graph = Graph();
  AddAffine(graph, {}, word, 2, 0);
  CUDA_GRAPH_INSTANTIATE_PARAMS params{};
  params.flags = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
  params.hUploadStream = stream;
  params.hErrNode_out = reinterpret_cast<CUgraphNode>(uintptr_t{kPoison});
  params.result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
  CUgraphExec exec = nullptr;
  Must(cu().cuGraphInstantiateWithParams(&exec, graph, &params));
  EXPECT_EQ(params.result_out, CUDA_GRAPH_INSTANTIATE_SUCCESS);
  EXPECT_EQ(params.hErrNode_out, nullptr);
  Run(exec, stream);
  EXPECT_EQ(Read(word, 1), Words{2});
  Must(cu().cuGraphExecDestroy(exec));
}

TEST_P(GraphExecTest, RemembersItsFlags) {
  const CUgraph graph = Graph();
  AddEmpty(graph, {});
  for (const uint64_t flags :
       {uint64_t{0}, uint64_t{CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY}}) {
    CUgraphExec exec = nullptr;
    Must(cu().cuGraphInstantiateWithFlags(&exec, graph, flags));
    cuuint64_t back = kPoison;
    Must(cu().cuGraphExecGetFlags(exec, &back));
    EXPECT_EQ(back, flags);
    Must(cu().cuGraphExecDestroy(exec));
  }
}

TEST_P(GraphExecTest, RefusesUnknownFlagsAndNull) {
  const CUgraph graph = Graph();
  CUgraphExec exec = nullptr;
  EXPECT_EQ(cu().cuGraphInstantiateWithFlags(&exec, graph, 1 << 20),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().cuGraphInstantiateWithFlags(nullptr, graph, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(cu().cuGraphInstantiateWithFlags(&exec, nullptr, 0), CUDA_SUCCESS);
  EXPECT_NE(cu().cuGraphLaunch(nullptr, Stream()), CUDA_SUCCESS);
}

TEST_P(GraphExecTest, IsNotMadeFromACycleAndNamesANodeOfIt) {
  const CUgraph graph = Graph();
  const CUgraphNode a = AddEmpty(graph, {});
  const CUgraphNode b = AddEmpty(graph, {a});
  const CUgraphNode c = AddEmpty(graph, {b});
  const CUgraphNode d = AddEmpty(graph, {c});
  Must(cu().cuGraphAddDependencies(graph, &d, &b, nullptr, 1));
  CUDA_GRAPH_INSTANTIATE_PARAMS params{};
  CUgraphExec exec = nullptr;
  EXPECT_NE(cu().cuGraphInstantiateWithParams(&exec, graph, &params),
            CUDA_SUCCESS);
  EXPECT_EQ(params.result_out, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);
  EXPECT_NE(params.hErrNode_out, nullptr);
  EXPECT_NE(params.hErrNode_out, a);
  EXPECT_NE(cu().cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
}

TEST_P(GraphExecTest, IsMadeOnceTheCycleIsCut) {
  const CUdeviceptr word = Buffer({1});
  const CUgraph graph = Graph();
  const CUgraphNode a = AddAffine(graph, {}, word, 2, 0);
  const CUgraphNode b = AddAffine(graph, {a}, word, 3, 1);
  AddEdge(graph, b, a);
  CUgraphExec exec = nullptr;
  EXPECT_NE(cu().cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
  Must(cu().cuGraphRemoveDependencies(graph, &b, &a, nullptr, 1));
  Run(Instantiate(graph), Stream());
  EXPECT_EQ(Read(word, 1), Words{7});
}

TEST_P(GraphExecTest, LeavesTheEdgesOfItsGraph) {
  const CUdeviceptr word = Buffer({1});
  const CUgraph graph = Graph();
  const CUgraphNode a = AddAffine(graph, {}, word, 2, 0);
  const CUgraphNode b = AddAffine(graph, {a}, word, 2, 0);
  const CUgraphNode c = AddAffine(graph, {b}, word, 2, 0);
  AddEdge(graph, a, c);
  Run(Instantiate(graph), Stream());
  size_t count = 0;
  Must(cu().cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(Read(word, 1), Words{8});
}

TEST_P(GraphExecTest, TakesManyNodes) {
  constexpr uint32_t kWidth = 40;
  constexpr uint32_t kDepth = 25;
  const CUdeviceptr words = Buffer(Words(kWidth, 1));
  const CUgraph graph = Graph();
  Nodes layer;
  for (uint32_t depth = 0; depth < kDepth; ++depth) {
    // Each column is a chain; a node joins the layers now and then.
    Nodes next;
    for (uint32_t column = 0; column < kWidth; ++column) {
      const Nodes after = layer.empty()       ? Nodes{}
                          : layer.size() == 1 ? layer
                                              : Nodes{layer[column]};
      next.push_back(
          AddAffine(graph, after, words + 4 * column, 3, column + depth));
    }
    layer = depth % 8 == 7 ? Nodes{AddEmpty(graph, next)} : next;
  }
  Run(Instantiate(graph), Stream());
  Words expected(kWidth, 1);
  for (uint32_t depth = 0; depth < kDepth; ++depth) {
    for (uint32_t column = 0; column < kWidth; ++column) {
      expected[column] = expected[column] * 3 + column + depth;
    }
  }
  EXPECT_EQ(Read(words, kWidth), expected);
}

TEST_P(GraphExecTest, CostsNoMemoryOnceDestroyed) {
  const CUstream stream = Stream();
  const CUdeviceptr word = Buffer({0});
  const auto once = [&] {
    CUgraph graph = nullptr;
    Must(cu().cuGraphCreate(&graph, 0));
    Nodes last;
    for (int i = 0; i < 3; ++i) last = {AddAffine(graph, last, word, 1, 1)};
    CUgraphExec exec = nullptr;
    Must(cu().cuGraphInstantiateWithFlags(&exec, graph, 0));
    Run(exec, stream);
    Must(cu().cuGraphExecDestroy(exec));
    Must(cu().cuGraphDestroy(graph));
  };
  once();
  const size_t before = FreeBytes();
  for (int i = 1; i < 300; ++i) once();
  EXPECT_GE(FreeBytes() + kSlackBytes, before);
  EXPECT_EQ(Read(word, 1), Words{900});
}

}  // namespace
}  // namespace graphd
