// Properties of whole compilations, on random graphs.
#include <gtest/gtest.h>

#include "core/graph/validate.h"
#include "core/optimize/pipeline.h"
#include "core/plan/verify.h"
#include "tests/unit/optimize/random_declared_graph.h"

namespace graphd {
namespace {

std::vector<std::vector<std::string>> EachPassOff() {
  std::vector<std::vector<std::string>> ways = {{}};
  std::vector<std::string> all;
  for (const Pass& pass : Passes()) {
    ways.push_back({std::string(pass.name)});
    all.emplace_back(pass.name);
  }
  // And each one alone.
  for (size_t i = 0; i < all.size(); ++i) {
    std::vector<std::string> others = all;
    others.erase(others.begin() + i);
    ways.push_back(others);
  }
  ways.push_back(all);
  return ways;
}

void CheckEveryWay(const DeclaredGraphOptions& options) {
  const Graph graph = RandomDeclaredGraph(options);
  ASSERT_TRUE(Validate(graph).empty()) << Validate(graph).ToStatus("graph");
  for (const std::vector<std::string>& skip : EachPassOff()) {
    for (const uint32_t streams : {1u, 2u, 5u}) {
      const auto result = CompileDeclared(graph, skip, streams);
      ASSERT_TRUE(result.ok())
          << "seed " << options.seed << ", without "
          << (skip.empty() ? "nothing" : skip[0]) << ": " << result.status();
      for (const std::string& warning : result->explanation.warnings) {
        EXPECT_EQ(warning.find("does not verify"), std::string::npos)
            << "seed " << options.seed << ", without "
            << (skip.empty() ? "nothing" : skip[0]) << ": " << warning;
      }
      EXPECT_TRUE(VerifyPlan(*result->plan).ok());
    }
  }
}

TEST(RandomPlansTest, EveryPlanVerifiesWithEachPassOff) {
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    CheckEveryWay({.seed = seed, .nodes = 14, .buffers = 4});
  }
}

TEST(RandomPlansTest, PlansOfWideGraphsVerifyWithEachPassOff) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    CheckEveryWay({.seed = seed, .nodes = 80, .buffers = 30});
  }
}

TEST(RandomPlansTest, PlansOfExplicitlyOrderedGraphsVerifyWithEachPassOff) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    CheckEveryWay(
        {.seed = seed, .nodes = 16, .buffers = 5, .explicit_order = true});
  }
}

TEST(RandomPlansTest, PlansOfGraphsOfWholeBuffersVerifyWithEachPassOff) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    CheckEveryWay(
        {.seed = seed, .nodes = 40, .buffers = 14, .whole_buffers = true});
  }
}

}  // namespace
}  // namespace graphd
