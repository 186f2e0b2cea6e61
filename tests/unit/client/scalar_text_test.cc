#include "client/graphctl/scalar_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphd::graphctl {
namespace {

using ::testing::HasSubstr;

TEST(ScalarTextTest, ValuesAreReadAsTheirType) {
  EXPECT_EQ(*ParseScalar(ScalarType::kF32, "0.1"), Scalar::F32(0.1f));
  EXPECT_EQ(*ParseScalar(ScalarType::kF64, "-1e-3"), Scalar::F64(-1e-3));
  EXPECT_EQ(*ParseScalar(ScalarType::kS32, "-3"), Scalar::S32(-3));
  EXPECT_EQ(*ParseScalar(ScalarType::kU64, "18446744073709551615"),
            Scalar::U64(~uint64_t{0}));
  EXPECT_EQ(ParseScalar(ScalarType::kU8, "0xff")->bits, 255u);
  EXPECT_EQ(ParseScalar(ScalarType::kBool, "true")->bits, 1u);
  EXPECT_TRUE(ParseScalar(ScalarType::kF32, "inf").ok());
}

TEST(ScalarTextTest, WhatDoesNotFitIsRefused) {
  for (const auto& [type, text] :
       std::vector<std::pair<ScalarType, const char*>>{
           {ScalarType::kU8, "256"},
           {ScalarType::kU8, "-1"},
           {ScalarType::kS8, "128"},
           {ScalarType::kS32, "0.5"},
           {ScalarType::kF32, "1e39"},
           {ScalarType::kF16, "1e6"},
           {ScalarType::kF64, "half"},
           {ScalarType::kBool, "2"},
           {ScalarType::kS32, ""}}) {
    const auto scalar = ParseScalar(type, text);
    ASSERT_FALSE(scalar.ok()) << text;
    EXPECT_THAT(std::string(scalar.status().message()),
                HasSubstr(std::string(Name(type))));
  }
}

}  // namespace
}  // namespace graphd::graphctl
