// What of an exec changes without instantiating again, node by node.
#include "tests/conformance/conformance_test.h"

namespace graphd {
namespace {

using testing::ElementsAre;

class GraphExecUpdateTest : public ConformanceTest {
 protected:
  CUresult SetAffine(CUgraphExec exec, CUgraphNode node, CUdeviceptr word,
                     uint32_t factor, uint32_t term) {
    Arguments<CUdeviceptr, uint32_t, uint32_t, uint32_t> arguments(
        word, 1, factor, term);
    const CUDA_KERNEL_NODE_PARAMS params =
        KernelParams(Kernel("affine"), 1, 1, arguments.pointers());
    return cu().cuGraphExecKernelNodeSetParams(exec, node, &params);
  }
  CUresult SetCopy(CUgraphExec exec, CUgraphNode node,
                   const CUDA_MEMCPY3D& copy) {
    return cu().cuGraphExecMemcpyNodeSetParams(exec, node, &copy, context());
  }
  CUresult SetFill(CUgraphExec exec, CUgraphNode node,
                   const CUDA_MEMSET_NODE_PARAMS& fill) {
    return cu().cuGraphExecMemsetNodeSetParams(exec, node, &fill, context());
  }
  void Enable(CUgraphExec exec, CUgraphNode node, bool enabled) {
    Must(cu().cuGraphNodeSetEnabled(exec, node, enabled ? 1 : 0));
  }
  unsigned Enabled(CUgraphExec exec, CUgraphNode node) {
    unsigned enabled = kPoison;
    Must(cu().cuGraphNodeGetEnabled(exec, node, &enabled));
    return enabled;
  }
};
GRAPHD_CONFORMANCE_SUITE(GraphExecUpdateTest);

TEST_P(GraphExecUpdateTest, ChangesAKernelsArguments) {
  const CUdeviceptr words = Buffer({1, 1});
  const CUgraph graph = Graph();
  const CUgraphNode node = AddAffine(graph, {}, words, 2, 0);
  const CUgraphExec exec = Instantiate(graph);
  Run(exec, Stream());
  Must(SetAffine(exec, node, words + 4, 5, 3));
  Run(exec, Stream());
  EXPECT_THAT(Read(words, 2), ElementsAre(2, 8));
}

TEST_P(GraphExecUpdateTest, ChangesAKernelAndItsShape) {
  const CUdeviceptr words = Buffer(Words(24, 0));
  const CUgraph graph = Graph();
  const CUgraphNode node = AddAffine(graph, {}, words, 1, 1);
  const CUgraphExec exec = Instantiate(graph);
  Arguments<CUdeviceptr> arguments(words);
  const CUDA_KERNEL_NODE_PARAMS params =
      KernelParams(Kernel("store_coordinates"), 3, 4, arguments.pointers());
  Must(cu().cuGraphExecKernelNodeSetParams(exec, node, &params));
  Run(exec, Stream());
  Words expected;
  for (uint32_t thread = 0; thread < 12; ++thread) {
    expected.push_back(thread % 4);
    expected.push_back(thread / 4);
  }
  EXPECT_EQ(Read(words, 24), expected);
}

TEST_P(GraphExecUpdateTest, LeavesTheGraphAndOtherExecs) {
  const CUdeviceptr word = Buffer({1});
  const CUgraph graph = Graph();
  const CUgraphNode node = AddAffine(graph, {}, word, 2, 0);
  const CUgraphExec changed = Instantiate(graph);
  const CUgraphExec same = Instantiate(graph);
  Must(SetAffine(changed, node, word, 1, 100));
  CUDA_KERNEL_NODE_PARAMS params{};
  Must(cu().cuGraphKernelNodeGetParams(node, &params));
  ASSERT_NE(params.kernelParams, nullptr);
  EXPECT_EQ(*static_cast<uint32_t*>(params.kernelParams[2]), 2u);
  Run(same, Stream());
  EXPECT_EQ(Read(word, 1), Words{2});
  Run(Instantiate(graph), Stream());
  EXPECT_EQ(Read(word, 1), Words{4});
  Run(changed, Stream());
  EXPECT_EQ(Read(word, 1), Words{104});
}

TEST_P(GraphExecUpdateTest, IsSeenByLaterLaunchesOnly) {
  const CUstream stream = Stream();
  const CUdeviceptr word = Buffer({1});
  const CUgraph graph = Graph();
  const CUgraphNode slow = AddSlowAffine(graph, {}, word, 2, 1);
  const CUgraphNode last = AddAffine(graph, {slow}, word, 10, 0);
  const CUgraphExec exec = Instantiate(graph);
  Must(cu().cuGraphLaunch(exec, stream));
  Must(SetAffine(exec, last, word, 100, 7));
  Must(cu().cuGraphLaunch(exec, stream));
  Must(cu().cuStreamSynchronize(stream));
  EXPECT_EQ(Read(word, 1), Words{(30 * 2 + 1) * 100 + 7});
}

TEST_P(GraphExecUpdateTest, AlternatesBetweenTwoBuffers) {
  const CUstream stream = Stream();
  const CUdeviceptr words = Buffer({0, 0});
  const CUgraph graph = Graph();
  const CUgraphNode node = AddAffine(graph, {}, words, 1, 1);
  const CUgraphExec exec = Instantiate(graph);
  for (uint32_t i = 0; i < 100; ++i) {
    Must(SetAffine(exec, node, words + 4 * (i % 2), 1, i));
    Must(cu().cuGraphLaunch(exec, stream));
  }
  Must(cu().cuStreamSynchronize(stream));
  EXPECT_THAT(Read(words, 2), ElementsAre(2450, 2500));
}

TEST_P(GraphExecUpdateTest, IsNotMadeWhenRefused) {
  const CUdeviceptr word = Buffer({1});
  const CUgraph graph = Graph();
  const CUgraphNode node = AddAffine(graph, {}, word, 3, 2);
  const CUgraphExec exec = Instantiate(graph);
  Arguments<CUdeviceptr, uint32_t, uint32_t, uint32_t> arguments(word, 1, 9, 9);
  const CUDA_KERNEL_NODE_PARAMS bad =
      KernelParams(Kernel("affine"), 0, 1, arguments.pointers());
  EXPECT_EQ(cu().cuGraphExecKernelNodeSetParams(exec, node, &bad),
            CUDA_ERROR_INVALID_VALUE);
  Run(exec, Stream());
  EXPECT_EQ(Read(word, 1), Words{5});
}

TEST_P(GraphExecUpdateTest, RefusesNodesThatAreNotInTheGraph) {
  const CUdeviceptr word = Buffer({1});
  const CUgraph graph = Graph();
  AddAffine(graph, {}, word, 1, 1);
  const CUgraph other = Graph();
  const CUgraphNode foreign = AddAffine(other, {}, word, 1, 1);
  const CUgraphExec exec = Instantiate(graph);
  const CUgraphNode late = AddAffine(graph, {}, word, 1, 1);
  EXPECT_EQ(SetAffine(exec, foreign, word, 1, 9), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(SetAffine(exec, late, word, 1, 9), CUDA_ERROR_INVALID_VALUE);
  Run(exec, Stream());
  EXPECT_EQ(Read(word, 1), Words{2});
}

TEST_P(GraphExecUpdateTest, RefusesParametersOfAnotherType) {
  const CUdeviceptr words = Buffer({1, 2});
  const CUgraph graph = Graph();
  const CUgraphNode fill = AddFill(graph, {}, RowFill(words, 7, 4, 1));
  const CUgraphExec exec = Instantiate(graph);
  EXPECT_EQ(SetAffine(exec, fill, words, 1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(SetCopy(exec, fill, RowCopy(words, words + 4, 4)),
            CUDA_ERROR_INVALID_VALUE);
  Run(exec, Stream());
  EXPECT_THAT(Read(words, 2), ElementsAre(7, 2));
}

TEST_P(GraphExecUpdateTest, ChangesACopysAddressesAndLength) {
  const CUdeviceptr from = Buffer({1, 2, 3, 4});
  const CUdeviceptr to = Buffer({0, 0, 0, 0});
  const CUgraph graph = Graph();
  const CUgraphNode node = AddCopy(graph, {}, RowCopy(to, from, 4));
  const CUgraphExec exec = Instantiate(graph);
  Must(SetCopy(exec, node, RowCopy(to + 4, from + 8, 8)));
  Run(exec, Stream());
  EXPECT_THAT(Read(to, 4), ElementsAre(0, 3, 4, 0));
}

TEST_P(GraphExecUpdateTest, ChangesACopysHostAddress) {
  uint32_t one = kPoison;
  uint32_t two = kPoison;
  const CUdeviceptr word = Buffer({8});
  const CUgraph graph = Graph();
  const CUgraphNode node = AddCopy(graph, {}, RowToHost(&one, word, 4));
  const CUgraphExec exec = Instantiate(graph);
  Must(SetCopy(exec, node, RowToHost(&two, word, 4)));
  Run(exec, Stream());
  EXPECT_EQ(one, kPoison);
  EXPECT_EQ(two, 8u);
}

TEST_P(GraphExecUpdateTest, KeepsACopysKindOfMemory) {
  const uint32_t host = 50;
  const CUdeviceptr words = Buffer({1, 2});
  const CUgraph graph = Graph();
  const CUgraphNode node = AddCopy(graph, {}, RowCopy(words, words + 4, 4));
  const CUgraphExec exec = Instantiate(graph);
  EXPECT_EQ(SetCopy(exec, node, RowFromHost(words, &host, 4)),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(SetCopy(exec, node, RowCopy(words, words + 4, 0)),
            CUDA_ERROR_INVALID_VALUE);
  Run(exec, Stream());
  EXPECT_THAT(Read(words, 2), ElementsAre(2, 2));
}

TEST_P(GraphExecUpdateTest, LeavesRectanglesToANewInstantiation) {
  const CUdeviceptr from = Buffer({1, 2, 3, 4});
  const CUdeviceptr to = Buffer({0, 0, 0, 0});
  CUDA_MEMCPY3D rectangle = RowCopy(to, from, 4);
  rectangle.Height = 2;
  rectangle.srcPitch = 8;
  rectangle.srcHeight = 2;
  rectangle.dstPitch = 8;
  rectangle.dstHeight = 2;
  const CUgraph graph = Graph();
  const CUgraphNode node = AddCopy(graph, {}, rectangle);
  const CUgraphExec exec = Instantiate(graph);
  CUDA_MEMCPY3D moved = rectangle;
  moved.dstDevice = to + 4;
  EXPECT_EQ(SetCopy(exec, node, moved), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(SetCopy(exec, node, RowCopy(to, from, 4)),
            CUDA_ERROR_INVALID_VALUE);
  Run(exec, Stream());
  EXPECT_THAT(Read(to, 4), ElementsAre(1, 0, 3, 0));
}

TEST_P(GraphExecUpdateTest, ChangesAFillsValueAndAddress) {
  const CUdeviceptr words = Buffer({0, 0, 0});
  const CUgraph graph = Graph();
  const CUgraphNode node = AddFill(graph, {}, RowFill(words, 1, 4, 1));
  const CUgraphExec exec = Instantiate(graph);
  Must(SetFill(exec, node, RowFill(words + 8, 9, 4, 1)));
  Run(exec, Stream());
  EXPECT_THAT(Read(words, 3), ElementsAre(0, 0, 9));
}

TEST_P(GraphExecUpdateTest, KeepsTheShapeOfAFilledRectangle) {
  const CUdeviceptr words = Buffer({0, 0, 0, 0});
  CUDA_MEMSET_NODE_PARAMS rectangle = RowFill(words, 1, 4, 1);
  rectangle.height = 2;
  rectangle.pitch = 8;
  const CUgraph graph = Graph();
  const CUgraphNode node = AddFill(graph, {}, rectangle);
  const CUgraphExec exec = Instantiate(graph);
  CUDA_MEMSET_NODE_PARAMS wider = rectangle;
  wider.width = 2;
  EXPECT_EQ(SetFill(exec, node, wider), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(SetFill(exec, node, RowFill(words, 1, 4, 0)),
            CUDA_ERROR_INVALID_VALUE);
  Run(exec, Stream());
  EXPECT_THAT(Read(words, 4), ElementsAre(1, 0, 1, 0));
}

TEST_P(GraphExecUpdateTest, SwitchesNodesOffAndOn) {
  const CUdeviceptr words = Buffer({1, 0, 5, 0});
  const CUgraph graph = Graph();
  const CUgraphNode kernel = AddAffine(graph, {}, words, 1, 1);
  const CUgraphNode fill = AddFill(graph, {}, RowFill(words + 4, 3, 4, 1));
  const CUgraphNode copy =
      AddCopy(graph, {}, RowCopy(words + 12, words + 8, 4));
  const CUgraphExec exec = Instantiate(graph);
  for (const CUgraphNode node : {kernel, fill, copy}) {
    EXPECT_EQ(Enabled(exec, node), 1u);
    Enable(exec, node, false);
    EXPECT_EQ(Enabled(exec, node), 0u);
  }
  Run(exec, Stream());
  EXPECT_THAT(Read(words, 4), ElementsAre(1, 0, 5, 0));
  for (const CUgraphNode node : {kernel, fill, copy}) {
    Enable(exec, node, true);
  }
  Run(exec, Stream());
  EXPECT_THAT(Read(words, 4), ElementsAre(2, 3, 5, 5));
}

TEST_P(GraphExecUpdateTest, OrdersThroughANodeThatIsOff) {
  const CUdeviceptr words = Buffer({1, 0});
  const CUgraph graph = Graph();
  const CUgraphNode a = AddSlowAffine(graph, {}, words, 7, 0);
  const CUgraphNode b = AddAffine(graph, {a}, words, 0, 0);
  AddCopy(graph, {b}, RowCopy(words + 4, words, 4));
  const CUgraphExec exec = Instantiate(graph);
  Enable(exec, b, false);
  Run(exec, Stream());
  EXPECT_THAT(Read(words, 2), ElementsAre(7, 7));
}

TEST_P(GraphExecUpdateTest, TogglesManyTimes) {
  const CUstream stream = Stream();
  const CUdeviceptr word = Buffer({0});
  const CUgraph graph = Graph();
  const CUgraphNode a = AddAffine(graph, {}, word, 1, 1);
  const CUgraphNode b = AddAffine(graph, {a}, word, 1, 1000);
  AddAffine(graph, {b}, word, 1, 1);
  const CUgraphExec exec = Instantiate(graph);
  for (int i = 0; i < 1000; ++i) {
    Enable(exec, b, i % 2 == 0);
    Must(cu().cuGraphLaunch(exec, stream));
  }
  Must(cu().cuStreamSynchronize(stream));
  EXPECT_EQ(Read(word, 1), Words{2 * 1000 + 500 * 1000});
}

TEST_P(GraphExecUpdateTest, ReachesNodesThatAreOff) {
  const CUdeviceptr word = Buffer({1});
  const CUgraph graph = Graph();
  const CUgraphNode node = AddAffine(graph, {}, word, 2, 0);
  const CUgraphExec exec = Instantiate(graph);
  Enable(exec, node, false);
  Must(SetAffine(exec, node, word, 1, 40));
  EXPECT_EQ(Enabled(exec, node), 0u);
  Run(exec, Stream());
  EXPECT_EQ(Read(word, 1), Words{1});
  Enable(exec, node, true);
  Run(exec, Stream());
  EXPECT_EQ(Read(word, 1), Words{41});
}

TEST_P(GraphExecUpdateTest, SwitchesOneExecOnly) {
  const CUdeviceptr word = Buffer({1});
  const CUgraph graph = Graph();
  const CUgraphNode node = AddAffine(graph, {}, word, 2, 0);
  const CUgraphExec one = Instantiate(graph);
  const CUgraphExec two = Instantiate(graph);
  Enable(one, node, false);
  EXPECT_EQ(Enabled(two, node), 1u);
  Run(one, Stream());
  EXPECT_EQ(Read(word, 1), Words{1});
  Run(two, Stream());
  EXPECT_EQ(Read(word, 1), Words{2});
}

TEST_P(GraphExecUpdateTest, DoesNotSwitchEmptyNodes) {
  const CUgraph graph = Graph();
  const CUgraphNode node = AddEmpty(graph, {});
  const CUgraphExec exec = Instantiate(graph);
  unsigned enabled = 0;
  EXPECT_EQ(cu().cuGraphNodeSetEnabled(exec, node, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().cuGraphNodeGetEnabled(exec, node, &enabled),
            CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace graphd
