#include "server/workers/nvrtc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace graphd {
namespace {

using ::testing::HasSubstr;

class NvrtcTest : public ::testing::Test {
 protected:
  NvrtcTest() {
    auto nvrtc = Nvrtc::Open();
    EXPECT_TRUE(nvrtc.ok()) << nvrtc.status();
    if (nvrtc.ok()) nvrtc_ = *std::move(nvrtc);
  }

  absl::StatusOr<CompiledSource> Compile(const std::string& source,
                                         int capability = 75) {
    module_.name = "m";
    module_.kind = ModuleKind::kCudaSource;
    module_.code = source;
    return nvrtc_->Compile(module_, capability);
  }

  std::unique_ptr<Nvrtc> nvrtc_;
  Module module_;
};

TEST_F(NvrtcTest, ASourceBecomesPtxForTheNewestFittingArchitecture) {
  const std::string source =
      "extern \"C\" __global__ void f(float* x) { *x = 1; }";
  const auto turing = Compile(source, 75);
  ASSERT_TRUE(turing.ok()) << turing.status();
  EXPECT_THAT(turing->ptx, HasSubstr(".visible .entry f("));
  EXPECT_THAT(turing->ptx, HasSubstr(".target sm_75"));
  const auto between = Compile(source, 85);
  ASSERT_TRUE(between.ok());
  EXPECT_THAT(between->ptx, HasSubstr(".target sm_80"));
  EXPECT_EQ(Compile(source, 20).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(NvrtcTest, TheSameSourceGivesTheSameBytes) {
  const auto first = Compile("__global__ void f(float* x) { *x = 1; }");
  const auto second = Compile("__global__ void f(float* x) { *x = 1; }");
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->ptx, second->ptx);
  EXPECT_NE(first->ptx.back(), '\0');
}

TEST_F(NvrtcTest, NameExpressionsAreInstantiated) {
  module_.name_expressions = {"f<double>"};
  const auto compiled =
      Compile("template <class T> __global__ void f(T* x) { *x = 1; }");
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  ASSERT_EQ(compiled->lowered_names.size(), 1u);
  EXPECT_EQ(compiled->lowered_names[0].first, "f<double>");
  EXPECT_THAT(compiled->ptx,
              HasSubstr(".entry " + compiled->lowered_names[0].second + "("));
}

TEST_F(NvrtcTest, TheToolkitsHeadersAreFound) {
  EXPECT_TRUE(Compile("#include <cuda_fp16.h>\n"
                      "#include <cuda/std/array>\n"
                      "__global__ void f(__half* x) { *x = __hadd(*x, *x); }")
                  .ok());
}

TEST_F(NvrtcTest, TheLogOfARefusedSourceComesBack) {
  const auto compiled = Compile("__global__ void f() { y = 1; }");
  EXPECT_EQ(compiled.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(compiled.status().message()),
              HasSubstr("identifier \"y\" is undefined"));
  EXPECT_THAT(std::string(compiled.status().message()), HasSubstr("m.cu(1)"));
}

TEST_F(NvrtcTest, OptionsPassWhenAllowedAndAreRefusedElse) {
  module_.options = {"-DVALUE=3"};
  EXPECT_TRUE(Compile("__global__ void f(int* x) { *x = VALUE; }").ok());
  module_.options = {"--include-path=/etc"};
  EXPECT_EQ(Compile("__global__ void f() {}").status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace graphd
