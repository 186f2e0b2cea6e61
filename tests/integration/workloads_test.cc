// Real work through the C++ client, against references computed here.
//
// std::fma and single float operations round as a GPU's do, so equality is bit
// for bit; n-body, whose sums a compiler may contract in several ways, is held
// against double precision.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "client/client.h"
#include "client/graphctl/definition_file.h"
#include "core/graph/graph_builder.h"
#include "tests/support/daemon_process.h"

namespace graphd {
namespace {

using Floats = std::vector<float>;

constexpr v1::Executor kExecutors[] = {v1::EXECUTOR_CUDA_GRAPH,
                                       v1::EXECUTOR_SEQUENTIAL};

// Reproducible values in [low, high), from a linear congruential generator.
Floats Values(size_t count, uint32_t seed, float low, float high) {
  Floats values(count);
  for (float& value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = low + (high - low) * static_cast<float>(seed >> 8) * 0x1p-24f;
  }
  return values;
}

// Where two vectors first differ in their bits; "" when nowhere.
template <typename T>
std::string Difference(const std::vector<T>& found,
                       const std::vector<T>& expected) {
  if (found.size() != expected.size()) return "sizes differ";
  for (size_t i = 0; i < found.size(); ++i) {
    if (std::memcmp(&found[i], &expected[i], sizeof(T)) != 0) {
      return "element " + std::to_string(i) + " is " +
             std::to_string(found[i]) + ", expected " +
             std::to_string(expected[i]);
    }
  }
  return "";
}

class WorkloadsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto daemon =
        DaemonProcess::Start(std::string(GRAPHD_BINARY_DIR) + "/bin/graphd",
                             {"--soft-devices", "1"});
    ASSERT_TRUE(daemon.ok()) << daemon.status();
    daemon_ = daemon->release();
    client_ = new Client(daemon_->unix_endpoint());
  }
  static void TearDownTestSuite() {
    delete client_;
    if (daemon_ != nullptr) {
      EXPECT_EQ(daemon_->Stop(), 0);
    }
    delete daemon_;
  }

  void SetUp() override { ASSERT_NE(client_, nullptr); }

  static std::string SubmitExample(const std::string& name) {
    auto graph =
        graphctl::LoadDefinition(std::string(GRAPHD_SOURCE_DIR) +
                                 "/docs/examples/" + name + "/graph.textproto");
    EXPECT_TRUE(graph.ok()) << graph.status();
    if (!graph.ok()) return "";
    v1::SubmitGraphRequest request;
    *request.mutable_graph() = *std::move(graph);
    const auto response = client_->SubmitGraph(request);
    EXPECT_TRUE(response.ok()) << response.status();
    return response.ok() ? response->digest() : "";
  }

  static DaemonProcess* daemon_;
  static Client* client_;
};

DaemonProcess* WorkloadsTest::daemon_ = nullptr;
Client* WorkloadsTest::client_ = nullptr;

TEST_F(WorkloadsTest, ReluAndScaleFromTheBuilderHasTheDigestOfTheDefinition) {
  const auto definition = graphctl::LoadDefinition(
      GRAPHD_SOURCE_DIR "/docs/examples/relu_scale/graph.textproto");
  ASSERT_TRUE(definition.ok()) << definition.status();
  constexpr int32_t kCount = 1048576;
  GraphBuilder builder;
  builder.Input("x", ScalarType::kF32, {kCount})
      .Transient("t", ScalarType::kF32, {kCount})
      .Output("y", ScalarType::kF32, {kCount})
      .CudaSource("kernels", definition->modules(0).cuda_source())
      .Parameter("a", Scalar::F32(0.5f));
  builder.Kernel("relu", "kernels", "relu")
      .Grid(4096)
      .Block(256)
      .Buffer("x")
      .Buffer("t")
      .Value(Scalar::S32(kCount));
  builder.Kernel("scale", "kernels", "scale")
      .Grid(4096)
      .Block(256)
      .Buffer("t")
      .Buffer("y")
      .Parameter("a")
      .Value(Scalar::S32(kCount));
  const auto graph = builder.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto submitted = client_->Submit(*graph, "built");
  ASSERT_TRUE(submitted.ok()) << submitted.status();
  EXPECT_EQ(submitted->digest(), SubmitExample("relu_scale"));

  const Floats x = Values(kCount, 1, -1, 1);
  for (const float a : {0.5f, 0.1f}) {
    Floats expected(kCount);
    for (int i = 0; i < kCount; ++i) expected[i] = a * std::max(x[i], 0.0f);
    for (const v1::Executor executor : kExecutors) {
      Floats y(kCount);
      ReplayCall call("built");
      call.Input("x", x).Set("a", Scalar::F32(a)).Output("y", y);
      const auto run = client_->Replay(call.With(executor));
      ASSERT_TRUE(run.ok()) << run.status();
      EXPECT_EQ(run->executor(), executor);
      EXPECT_EQ(Difference(y, expected), "");
    }
  }
}

TEST_F(WorkloadsTest, SaxpyFromSourceAndFromPtxRoundsOnce) {
  constexpr size_t kCount = 1000003;
  const Floats x = Values(kCount, 2, -8, 8);
  const Floats y = Values(kCount, 3, -8, 8);
  Floats expected(kCount);
  for (size_t i = 0; i < kCount; ++i) expected[i] = std::fma(0.3f, x[i], y[i]);
  for (const char* name : {"saxpy", "saxpy_ptx"}) {
    const std::string digest = SubmitExample(name);
    for (const v1::Executor executor : kExecutors) {
      Floats z(kCount);
      ReplayCall call(digest);
      call.Input("x", x).Input("y", y).Output("z", z);
      call.Set("a", Scalar::F32(0.3f)).Set("blocks", Scalar::U32(33));
      const auto run = client_->Replay(call.With(executor));
      ASSERT_TRUE(run.ok()) << run.status();
      EXPECT_EQ(Difference(z, expected), "") << name;
    }
  }
}

TEST_F(WorkloadsTest, ATiledMatrixProductIsAChainOfFusedMultiplyAdds) {
  constexpr size_t kSide = 512;
  const Floats a = Values(kSide * kSide, 4, -1, 1);
  const Floats b = Values(kSide * kSide, 5, -1, 1);
  Floats expected(kSide * kSide, 0.0f);
  for (size_t row = 0; row < kSide; ++row) {
    for (size_t k = 0; k < kSide; ++k) {
      const float left = a[row * kSide + k];
      for (size_t column = 0; column < kSide; ++column) {
        float& sum = expected[row * kSide + column];
        sum = std::fma(left, b[k * kSide + column], sum);
      }
    }
  }
  const std::string digest = SubmitExample("matmul");
  Floats c(kSide * kSide);
  ReplayCall call(digest);
  const auto run =
      client_->Replay(call.Input("a", a).Input("b", b).Output("c", c));
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(Difference(c, expected), "");
}

TEST_F(WorkloadsTest, FortySweepsOfAStencilBetweenTwoBuffers) {
  constexpr size_t kWidth = 256;
  constexpr size_t kHeight = 192;
  const Floats even = Values(kWidth * kHeight, 6, 0, 100);
  const Floats odd = Values(kWidth * kHeight, 7, 0, 100);
  Floats buffers[2] = {even, odd};
  for (int sweep = 0; sweep < 40; ++sweep) {
    const Floats& in = buffers[sweep % 2];
    Floats& out = buffers[(sweep + 1) % 2];
    for (size_t y = 1; y + 1 < kHeight; ++y) {
      for (size_t x = 1; x + 1 < kWidth; ++x) {
        const size_t i = y * kWidth + x;
        const float around =
            (in[i - kWidth] + in[i + kWidth]) + (in[i - 1] + in[i + 1]);
        out[i] = std::fma(0.5f, in[i], 0.125f * around);
      }
    }
  }
  const std::string digest = SubmitExample("stencil");
  for (const v1::Executor executor : kExecutors) {
    Floats result(kWidth * kHeight);
    ReplayCall call(digest);
    call.Input("even", even).Input("odd", odd).Output("result", result);
    const auto run = client_->Replay(call.With(executor));
    ASSERT_TRUE(run.ok()) << run.status();
    EXPECT_EQ(Difference(result, buffers[0]), "");
  }
}

// Three steps of the same equations in double precision.
void Advance(std::vector<double>& bodies, std::vector<double>& velocity,
             size_t count, double dt) {
  std::vector<double> pull_on(4 * count, 0.0);
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = 0; j < count; ++j) {
      const double dx = bodies[4 * j] - bodies[4 * i];
      const double dy = bodies[4 * j + 1] - bodies[4 * i + 1];
      const double dz = bodies[4 * j + 2] - bodies[4 * i + 2];
      const double squared = dx * dx + dy * dy + dz * dz + double{0.01f};
      const double pull = bodies[4 * j + 3] / (squared * std::sqrt(squared));
      pull_on[4 * i] += dx * pull;
      pull_on[4 * i + 1] += dy * pull;
      pull_on[4 * i + 2] += dz * pull;
    }
  }
  for (size_t i = 0; i < count; ++i) {
    for (size_t axis = 0; axis < 3; ++axis) {
      velocity[4 * i + axis] += pull_on[4 * i + axis] * dt;
      bodies[4 * i + axis] += velocity[4 * i + axis] * dt;
    }
  }
}

TEST_F(WorkloadsTest, ThreeStepsOfNBodyFollowDoublePrecision) {
  constexpr size_t kCount = 2048;
  constexpr float kStep = 0.01f;
  Floats bodies = Values(4 * kCount, 8, -1, 1);
  for (size_t i = 0; i < kCount; ++i) {
    bodies[4 * i + 3] = 0.5f + 0.5f * std::fabs(bodies[4 * i + 3]);
  }
  const Floats velocity = Values(4 * kCount, 9, -0.1f, 0.1f);
  std::vector<double> exact_bodies(bodies.begin(), bodies.end());
  std::vector<double> exact_velocity(velocity.begin(), velocity.end());
  for (int step = 0; step < 3; ++step) {
    Advance(exact_bodies, exact_velocity, kCount, kStep);
  }
  const std::string digest = SubmitExample("nbody");
  Floats moved(4 * kCount);
  Floats speed(4 * kCount);
  ReplayCall call(digest);
  call.Input("bodies", bodies).Input("velocity", velocity);
  call.Output("moved", moved).Output("speed", speed);
  call.Set("dt", Scalar::F32(kStep));
  const auto run = client_->Replay(call);
  ASSERT_TRUE(run.ok()) << run.status();
  double largest_change = 0;
  double largest_error = 0;
  for (size_t i = 0; i < 4 * kCount; ++i) {
    largest_change = std::max(
        largest_change, std::fabs(exact_velocity[i] - double{velocity[i]}));
    largest_error =
        std::max(largest_error, std::fabs(speed[i] - exact_velocity[i]));
    largest_error =
        std::max(largest_error, std::fabs(moved[i] - exact_bodies[i]));
    if (i % 4 == 3) {
      EXPECT_EQ(moved[i], bodies[i]);  // masses stay
    }
  }
  // The bodies moved far more than rounding explains.
  EXPECT_GT(largest_change, 10.0);
  EXPECT_LT(largest_error, 1e-5 * largest_change);
}

TEST_F(WorkloadsTest, AForkJoinOfSixteenBranchesRunsOnFourStreams) {
  constexpr size_t kCount = 65536;
  const Floats x = Values(kCount, 10, 0, 1);
  Floats expected(kCount, 0.0f);
  for (size_t i = 0; i < kCount; ++i) {
    for (int branch = 0; branch < 16; ++branch) {
      const float rate = 3.5f + static_cast<float>(branch) / 64;
      float value = x[i];
      for (int round = 0; round < 32; ++round) {
        value = rate * value * (1.0f - value);
      }
      expected[i] += value;
    }
  }
  const std::string digest = SubmitExample("fork_join");
  for (const v1::Executor executor : kExecutors) {
    for (const uint32_t streams : {1u, 4u}) {
      Floats sum(kCount);
      ReplayCall call(digest);
      call.Input("x", x).Output("sum", sum).Streams(streams);
      const auto run = client_->Replay(call.With(executor));
      ASSERT_TRUE(run.ok()) << run.status();
      EXPECT_EQ(Difference(sum, expected), "");
    }
  }
  v1::ExplainGraphRequest explain;
  explain.set_graph(digest);
  explain.mutable_options()->set_streams(4);
  const auto plan = client_->ExplainGraph(explain);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->streams(), 4u);
}

TEST_F(WorkloadsTest, FillsAndCopiesOfRowsNeedNoKernel) {
  std::vector<uint8_t> image(60 * 100);
  for (size_t i = 0; i < image.size(); ++i) {
    image[i] = static_cast<uint8_t>(i * 31 + i / 251);
  }
  std::vector<uint8_t> canvas(64 * 112, 0xaa);
  for (size_t row = 0; row < 60; ++row) {
    std::copy_n(&image[row * 100], 100, &canvas[118 + row * 112]);
  }
  for (size_t row = 0; row < 2; ++row) {
    for (size_t i = 0; i < 20; ++i) {
      const uint32_t pattern = 0x01020304;
      std::memcpy(&canvas[6840 + row * 112 + 4 * i], &pattern, 4);
    }
  }
  std::vector<uint8_t> cut(30 * 50);
  for (size_t row = 0; row < 30; ++row) {
    std::copy_n(&canvas[1935 + row * 112], 50, &cut[row * 50]);
  }
  const std::string digest = SubmitExample("fill_copy_2d");
  std::vector<uint8_t> framed(64 * 112);
  std::vector<uint8_t> middle(30 * 50);
  ReplayCall call(digest);
  call.Input("image", image).Output("framed", framed).Output("middle", middle);
  const auto run = client_->Replay(call);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(Difference(framed, canvas), "");
  EXPECT_EQ(Difference(middle, cut), "");
}

TEST_F(WorkloadsTest, AStructArgumentCarriesPointers) {
  const Floats x = Values(10000, 11, -3, 3);
  Floats expected(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    expected[i] = std::fma(1.5f, x[i], 0.25f);
  }
  Floats y(x.size());
  ReplayCall call(SubmitExample("struct_argument"));
  const auto run = client_->Replay(call.Input("x", x).Output("y", y));
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(Difference(y, expected), "");
}

TEST_F(WorkloadsTest, AModuleCounterStartsAfreshInEachExecution) {
  const Floats x = Values(5000, 12, -1, 1);
  uint32_t positive = 0;
  for (const float value : x) positive += value > 0 ? 1 : 0;
  const std::string digest = SubmitExample("module_counter");
  for (const v1::Executor executor : kExecutors) {
    std::vector<uint32_t> once(1);
    std::vector<uint32_t> twice(1);
    ReplayCall call(digest);
    call.Input("x", x).Output("once", once).Output("twice", twice).Count(3);
    const auto run = client_->Replay(call.With(executor));
    ASSERT_TRUE(run.ok()) << run.status();
    EXPECT_EQ(once[0], 100 + positive);
    EXPECT_EQ(twice[0], 100 + 2 * positive);
  }
}

TEST_F(WorkloadsTest, ARunSaysWhereItsTimeWent) {
  const Floats x = Values(10000, 13, -1, 1);
  ReplayCall call(SubmitExample("struct_argument"));
  call.Input("x", x);
  ASSERT_TRUE(client_->Replay(call).ok());
  const auto run = client_->Replay(call);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->outputs().at("y").data().size(), 40000u);
  EXPECT_EQ(run->outputs().at("y").element_type(), v1::SCALAR_TYPE_F32);
  EXPECT_GT(run->times().execute().nanos(), 0);
  EXPECT_EQ(run->times().compile().nanos(), 0);
  EXPECT_EQ(run->device(), "soft0");
}

}  // namespace
}  // namespace graphd
