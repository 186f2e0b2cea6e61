#include "core/base/digest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphd {
namespace {

// FIPS 180-2, appendix B.1.
constexpr char kAbc[] =
    "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST(DigestTest, AgreesWithThePublishedVector) {
  EXPECT_EQ(Sha256("abc").ToString(), kAbc);
}

TEST(DigestTest, DisplayFormParsesBack) {
  const auto digest = Digest::Parse(kAbc);
  ASSERT_TRUE(digest.ok());
  EXPECT_EQ(*digest, Sha256("abc"));
}

TEST(DigestTest, RefusesWhatIsNotADisplayForm) {
  for (const char* text :
       {"", "abc", "sha256:", "sha256:00",
        "sha256:"
        "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD"}) {
    const auto digest = Digest::Parse(text);
    EXPECT_EQ(digest.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(digest.status().message()),
                testing::HasSubstr("is not a digest"));
  }
}

TEST(DigestTest, LengthPrefixesKeepFieldsApart) {
  EXPECT_NE(DigestBuilder().Bytes("ab").Bytes("c").Finish(),
            DigestBuilder().Bytes("a").Bytes("bc").Finish());
}

}  // namespace
}  // namespace graphd
