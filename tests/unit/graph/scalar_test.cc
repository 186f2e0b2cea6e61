#include "core/graph/scalar.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace graphd {
namespace {

TEST(ScalarTest, EveryTypeHasANameThatParsesBack) {
  for (int i = 1; i <= 13; ++i) {
    const auto type = static_cast<ScalarType>(i);
    EXPECT_EQ(ParseScalarType(Name(type)), type);
  }
  EXPECT_EQ(ParseScalarType("f128"), std::nullopt);
  EXPECT_EQ(ParseScalarType(""), std::nullopt);
}

TEST(ScalarTest, EveryHalfSurvivesTheWayThroughDouble) {
  for (const ScalarType type : {ScalarType::kF16, ScalarType::kBF16}) {
    for (uint64_t bits = 0; bits < 65536; ++bits) {
      const double value = Scalar{type, bits}.AsDouble();
      if (std::isnan(value)) continue;
      const auto back = Scalar::FromDouble(type, value);
      ASSERT_TRUE(back.has_value()) << Name(type) << " " << bits;
      ASSERT_EQ(back->bits, bits) << Name(type) << " " << value;
    }
  }
}

TEST(ScalarTest, BFloat16IsTheUpperHalfOfAFloat) {
  for (uint64_t bits = 0; bits < 65536; ++bits) {
    const float expected =
        std::bit_cast<float>(static_cast<uint32_t>(bits << 16));
    const double value = Scalar{ScalarType::kBF16, bits}.AsDouble();
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value));
    } else {
      ASSERT_EQ(value, expected);
    }
  }
}

TEST(ScalarTest, HalvesRoundToNearestEvenOnce) {
  const auto half = [](double value) {
    return Scalar::FromDouble(ScalarType::kF16, value)->bits;
  };
  EXPECT_EQ(half(1.0), 0x3c00u);
  EXPECT_EQ(half(1.0 + 0x1p-11), 0x3c00u);            // a tie, to even
  EXPECT_EQ(half(1.0 + 3 * 0x1p-11), 0x3c02u);        // a tie, to even
  EXPECT_EQ(half(1.0 + 0x1p-11 + 0x1p-40), 0x3c01u);  // above a tie
  EXPECT_EQ(half(65504.0), 0x7bffu);
  EXPECT_EQ(half(65519.0), 0x7bffu);
  EXPECT_EQ(half(0x1p-24), 0x0001u);
  EXPECT_EQ(half(0x1p-25), 0x0000u);
  EXPECT_EQ(half(-0.0), 0x8000u);
  EXPECT_EQ(half(std::numeric_limits<double>::infinity()), 0x7c00u);
  EXPECT_EQ(Scalar::FromDouble(ScalarType::kF16, 65520.0), std::nullopt);
}

TEST(ScalarTest, FloatsThatWouldBecomeInfiniteDoNotFit) {
  constexpr double kMost = std::numeric_limits<float>::max();
  EXPECT_EQ(Scalar::FromDouble(ScalarType::kF32, kMost)->AsDouble(), kMost);
  EXPECT_EQ(Scalar::FromDouble(ScalarType::kF32, 1e39), std::nullopt);
  EXPECT_EQ(Scalar::FromDouble(ScalarType::kF32, -1e39), std::nullopt);
  EXPECT_EQ(Scalar::FromDouble(ScalarType::kF32, 0x1.ffffffp127), std::nullopt);
  EXPECT_EQ(Scalar::FromDouble(ScalarType::kS32, 1.0), std::nullopt);
}

TEST(ScalarTest, IntegersFitTheirRangeAndNoMore) {
  EXPECT_EQ(Scalar::FromSigned(ScalarType::kS8, -128)->bits, 0x80u);
  EXPECT_EQ(Scalar::FromSigned(ScalarType::kS8, 127)->bits, 0x7fu);
  EXPECT_EQ(Scalar::FromSigned(ScalarType::kS8, 128), std::nullopt);
  EXPECT_EQ(Scalar::FromSigned(ScalarType::kS8, -129), std::nullopt);
  EXPECT_EQ(Scalar::FromSigned(ScalarType::kU16, -1), std::nullopt);
  EXPECT_EQ(Scalar::FromUnsigned(ScalarType::kU16, 65535)->bits, 65535u);
  EXPECT_EQ(Scalar::FromUnsigned(ScalarType::kU16, 65536), std::nullopt);
  EXPECT_EQ(Scalar::FromUnsigned(ScalarType::kS64, uint64_t{1} << 63),
            std::nullopt);
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(Scalar::FromSigned(ScalarType::kS64, kLeast)->AsInteger(), kLeast);
  EXPECT_EQ(Scalar::FromUnsigned(ScalarType::kBool, 2), std::nullopt);
  EXPECT_EQ(Scalar::FromUnsigned(ScalarType::kF32, 2), std::nullopt);
}

TEST(ScalarTest, OrderIsByValue) {
  EXPECT_TRUE(LessOrEqual(Scalar::S32(-1), Scalar::S32(0)));
  EXPECT_FALSE(LessOrEqual(Scalar::U64(~uint64_t{0}), Scalar::U64(1)));
  EXPECT_TRUE(LessOrEqual(Scalar::F32(-0.0f), Scalar::F32(0.0f)));
  const Scalar nan = Scalar::F32(std::nanf(""));
  EXPECT_FALSE(LessOrEqual(nan, Scalar::F32(0)));
  EXPECT_FALSE(LessOrEqual(Scalar::F32(0), nan));
  EXPECT_FALSE(LessOrEqual(nan, nan));
}

TEST(ScalarTest, TextReadsBackAsTheSameValue) {
  EXPECT_EQ(Scalar::F32(0.1f).ToString(), "0.1");
  EXPECT_EQ(Scalar::F64(0.1).ToString(), "0.1");
  EXPECT_EQ(Scalar::F32(0.5f).ToString(), "0.5");
  EXPECT_EQ(Scalar::S32(-3).ToString(), "-3");
  EXPECT_EQ(Scalar::U64(~uint64_t{0}).ToString(), "18446744073709551615");
  EXPECT_EQ((Scalar{ScalarType::kBool, 1}).ToString(), "true");
}

TEST(ScalarTest, BitsBeyondTheTypeAreNotCanonical) {
  EXPECT_TRUE((Scalar{ScalarType::kU8, 255}).IsCanonical());
  EXPECT_FALSE((Scalar{ScalarType::kU8, 256}).IsCanonical());
  EXPECT_FALSE((Scalar{ScalarType::kBool, 2}).IsCanonical());
  EXPECT_TRUE((Scalar{ScalarType::kU64, ~uint64_t{0}}).IsCanonical());
}

}  // namespace
}  // namespace graphd
