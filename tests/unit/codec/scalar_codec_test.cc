#include "core/codec/scalar_codec.h"

#include <gtest/gtest.h>

#include <cmath>

namespace graphd {
namespace {

TEST(ScalarCodecTest, EveryTypeGoesThereAndBack) {
  for (int number = 1; number <= 13; ++number) {
    const auto type = ScalarTypeFromNumber(number);
    ASSERT_TRUE(type.has_value());
    EXPECT_EQ(ScalarTypeFromProto(ScalarTypeToProto(*type)), type);
  }
  EXPECT_EQ(ScalarTypeFromNumber(0), std::nullopt);
  EXPECT_EQ(ScalarTypeFromNumber(14), std::nullopt);
}

TEST(ScalarCodecTest, ValuesGoThereAndBackToTheBit) {
  for (const Scalar& scalar :
       {Scalar::F32(0.1f), Scalar::F32(-0.0f), Scalar::F32(INFINITY),
        Scalar{ScalarType::kF32, 0x7fc01234}, Scalar::F64(0.1),
        Scalar{ScalarType::kF16, 0x0001}, Scalar{ScalarType::kBF16, 0xbf80},
        Scalar::S32(-7), Scalar::S64(INT64_MIN), Scalar::U64(UINT64_MAX),
        Scalar{ScalarType::kS8, 0x80}, Scalar{ScalarType::kBool, 1}}) {
    const auto back = ScalarFromProto(ScalarToProto(scalar));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(*back, scalar) << scalar.ToString();
  }
}

TEST(ScalarCodecTest, TheKindOfTheValueMustSuitTheType) {
  v1::Scalar message;
  message.set_type(v1::SCALAR_TYPE_U32);
  message.set_int_value(3);
  EXPECT_EQ(ScalarFromProto(message).status().message(),
            "int_value does not suit u32; expected uint_value or bits");
  message.set_type(v1::SCALAR_TYPE_S32);
  message.set_uint_value(3);
  EXPECT_EQ(ScalarFromProto(message).status().message(),
            "uint_value does not suit s32; expected int_value or bits");
  message.set_type(v1::SCALAR_TYPE_BOOL);
  message.set_float_value(1);
  EXPECT_EQ(ScalarFromProto(message).status().message(),
            "float_value does not suit bool; expected int_value, uint_value or "
            "bits");
  message.set_uint_value(1);
  EXPECT_TRUE(ScalarFromProto(message).ok());
}

}  // namespace
}  // namespace graphd
