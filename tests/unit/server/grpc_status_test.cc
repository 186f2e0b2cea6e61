#include "server/services/grpc_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "server/services/call.h"

namespace graphd {
namespace {

using ::testing::HasSubstr;

google::rpc::Status DetailsOf(const grpc::Status& status) {
  google::rpc::Status details;
  EXPECT_TRUE(details.ParseFromString(status.error_details()));
  return details;
}

TEST(GrpcStatusTest, EveryCodeKeepsItsNumberAndMessage) {
  for (int code = 1; code <= 16; ++code) {
    const grpc::Status status = ToGrpcStatus(
        absl::Status(static_cast<absl::StatusCode>(code), "what happened"));
    EXPECT_EQ(static_cast<int>(status.error_code()), code);
    EXPECT_EQ(status.error_message(), "what happened");
    EXPECT_EQ(status.error_details(), "");
  }
  EXPECT_TRUE(ToGrpcStatus(absl::OkStatus()).ok());
}

TEST(GrpcStatusTest, FindingsBecomeFieldViolations) {
  Violations violations;
  violations.Add("nodes[0].args", "expected 3, found 2");
  violations.Add("inputs[\"x\"]", "missing");
  const grpc::Status status =
      ToGrpcStatus(ViolationsStatus(violations, "graph"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("inputs[\"x\"]: missing"));
  const google::rpc::Status details = DetailsOf(status);
  ASSERT_EQ(details.details_size(), 1);
  EXPECT_EQ(details.code(), 3);
  google::rpc::BadRequest bad;
  ASSERT_TRUE(details.details(0).UnpackTo(&bad));
  ASSERT_EQ(bad.field_violations_size(), 2);
  EXPECT_EQ(bad.field_violations(0).field(), "nodes[0].args");
  EXPECT_EQ(bad.field_violations(0).description(), "expected 3, found 2");
}

TEST(GrpcStatusTest, ARetryableErrorSaysWhen) {
  const grpc::Status status =
      ToGrpcStatus(WithRetryAdvice(absl::UnavailableError("not yet")));
  google::rpc::RetryInfo info;
  ASSERT_TRUE(DetailsOf(status).details(0).UnpackTo(&info));
  EXPECT_GT(info.retry_delay().nanos() + info.retry_delay().seconds(), 0);
  EXPECT_EQ(ToGrpcStatus(WithRetryAdvice(absl::AbortedError("a fault")))
                .error_details(),
            "");
}

TEST(GrpcStatusTest, AReasonCarriesItsMetadata) {
  const grpc::Status status =
      ToGrpcStatus(WithReason(absl::AbortedError("a fault"), "KERNEL_FAULT",
                              {{"kernel", "relu"}, {"block", "1,0,0"}}));
  google::rpc::ErrorInfo info;
  ASSERT_TRUE(DetailsOf(status).details(0).UnpackTo(&info));
  EXPECT_EQ(info.reason(), "KERNEL_FAULT");
  EXPECT_EQ(info.domain(), "graphd");
  EXPECT_EQ(info.metadata().at("kernel"), "relu");
  EXPECT_EQ(info.metadata().at("block"), "1,0,0");
}

// A client refuses metadata above 8 KiB, and with it the whole answer.
TEST(GrpcStatusTest, TheLongestErrorFitsIntoMetadata) {
  for (const std::string text : {"x", "\n", "%", "\xc3\xa9"}) {
    std::string message;
    while (message.size() < 100'000) message += text;
    std::vector<Violation> violations;
    for (int i = 0; i < 64; ++i) {
      violations.push_back({absl::StrCat("nodes[", i, "]"), message});
    }
    const grpc::Status status = ToGrpcStatus(
        WithViolations(absl::InvalidArgumentError(message), violations));
    size_t encoded = 0;
    for (const char c : status.error_message()) {
      encoded += c >= 0x20 && c < 0x7f && c != '%' ? 1 : 3;
    }
    encoded += (status.error_details().size() + 2) / 3 * 4;
    EXPECT_LT(encoded, 8000u) << text;
    EXPECT_THAT(status.error_message(), HasSubstr("bytes more"));
    google::rpc::BadRequest bad;
    ASSERT_TRUE(DetailsOf(status).details(0).UnpackTo(&bad));
    EXPECT_GE(bad.field_violations_size(), 1);
  }
}

}  // namespace
}  // namespace graphd
