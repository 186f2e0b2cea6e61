#include "client/graphctl/tensor_arithmetic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace graphd::graphctl {
namespace {

using ::testing::HasSubstr;

Tensor Floats(const std::vector<float>& values) {
  Tensor tensor{ScalarType::kF32, {values.size()}, ""};
  tensor.data.assign(reinterpret_cast<const char*>(values.data()),
                     4 * values.size());
  return tensor;
}

TEST(TensorArithmeticTest, RandomElementsAreTheSameEverywhere) {
  const auto tensor = RandomTensor(ScalarType::kF32, {4}, 1, -1, 1);
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  // Computed by the definition of SplitMix64 in another language.
  const std::vector<uint64_t> expected = {0xbe86f954, 0x3f631ada, 0xbf68d413,
                                          0x3f0e0c36};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(tensor->at(i).bits, expected[i]);
  const auto longer = RandomTensor(ScalarType::kF32, {8}, 1, -1, 1);
  ASSERT_TRUE(longer.ok());
  EXPECT_EQ(longer->data.substr(0, 16), tensor->data);
}

TEST(TensorArithmeticTest, RandomElementsStayInTheirRange) {
  const auto tensor = RandomTensor(ScalarType::kS8, {4096}, 3, -128, 128);
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  int64_t least = 127;
  int64_t most = -128;
  for (uint64_t i = 0; i < tensor->elements(); ++i) {
    least = std::min(least, *tensor->at(i).AsInteger());
    most = std::max(most, *tensor->at(i).AsInteger());
  }
  EXPECT_EQ(least, -128);
  EXPECT_EQ(most, 127);
}

TEST(TensorArithmeticTest, ARangeThatTheTypeCannotHoldIsRefused) {
  EXPECT_FALSE(RandomTensor(ScalarType::kU8, {1}, 0, -1, 10).ok());
  EXPECT_FALSE(RandomTensor(ScalarType::kU8, {1}, 0, 0, 300).ok());
  EXPECT_FALSE(RandomTensor(ScalarType::kF32, {1}, 0, 1, 1).ok());
  EXPECT_FALSE(RandomTensor(ScalarType::kF16, {1}, 0, 0, 1e6).ok());
  EXPECT_FALSE(RandomTensor(ScalarType::kF32, {1}, 0, NAN, 1).ok());
}

TEST(TensorArithmeticTest, ADifferenceIsCountedPlacedAndMeasured) {
  const float next = std::nextafter(1.0f, 2.0f);
  const auto difference =
      Compare(Floats({0, 1, 5, NAN, 0}), Floats({0, next, 7, NAN, -0.0f}));
  ASSERT_TRUE(difference.ok());
  EXPECT_EQ(difference->count, 3u);
  EXPECT_EQ(difference->first, 1u);
  EXPECT_EQ(difference->max_absolute, 2);
  const auto small = Compare(Floats({1, -1e-45f}), Floats({next, 1e-45f}));
  EXPECT_EQ(small->max_ulp, 2u);
}

TEST(TensorArithmeticTest, TensorsOfOtherTypeOrShapeDoNotCompare) {
  Tensor bytes{ScalarType::kU8, {4}, "abcd"};
  EXPECT_FALSE(Compare(bytes, Floats({1})).ok());
  Tensor square{ScalarType::kU8, {2, 2}, "abcd"};
  EXPECT_FALSE(Compare(bytes, square).ok());
}

TEST(TensorArithmeticTest, ConversionRoundsOrRefuses) {
  const auto half = Convert(Floats({0.1f, 65504}), ScalarType::kF16);
  ASSERT_TRUE(half.ok()) << half.status();
  EXPECT_EQ(half->at(0).bits, 0x2e66u);
  const auto whole = Convert(Floats({-3, 4}), ScalarType::kS32);
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ(whole->at(0).AsInteger(), -3);
  EXPECT_THAT(
      std::string(
          Convert(Floats({1, 0.5f}), ScalarType::kS32).status().message()),
      HasSubstr("element 1 is 0.5"));
  EXPECT_FALSE(Convert(Floats({-1}), ScalarType::kU32).ok());
  EXPECT_FALSE(Convert(Floats({1e30f}), ScalarType::kS64).ok());
  EXPECT_FALSE(Convert(Floats({NAN}), ScalarType::kU8).ok());
  EXPECT_FALSE(Convert(Floats({1e6f}), ScalarType::kF16).ok());
}

}  // namespace
}  // namespace graphd::graphctl
