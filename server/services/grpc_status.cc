#include "server/services/grpc_status.h"

#include <google/protobuf/any.pb.h>

#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace graphd {
namespace {

constexpr absl::string_view kTypePrefix = "type.googleapis.com/";
// A client's default limit for metadata is 8 KiB, trailers included. The
// message is sent percent-encoded, the details in base 64.
constexpr size_t kLongestMessageBytes = 3400;  // encoded
constexpr size_t kLongestDetailsBytes = 2800;  // before base 64

template <typename Message>
void SetDetail(absl::Status& status, const Message& message) {
  status.SetPayload(
      absl::StrCat(kTypePrefix, Message::descriptor()->full_name()),
      absl::Cord(message.SerializeAsString()));
}

// What percent-encoding makes of a character.
size_t EncodedBytes(char c) {
  return c >= 0x20 && c < 0x7f && c != '%' ? 1 : 3;
}

std::string Cut(absl::string_view text, size_t limit) {
  size_t end = 0;
  size_t encoded = 0;
  while (end < text.size() && encoded + EncodedBytes(text[end]) <= limit) {
    encoded += EncodedBytes(text[end++]);
  }
  if (end == text.size()) return std::string(text);
  // Not inside a UTF-8 sequence.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) {
    --end;
  }
  return absl::StrCat(text.substr(0, end), " ... (", text.size() - end,
                      " bytes more)");
}

}  // namespace

absl::Status WithViolations(absl::Status status,
                            const std::vector<Violation>& violations) {
  if (violations.empty()) return status;
  google::rpc::BadRequest bad;
  for (const Violation& violation : violations) {
    auto* field = bad.add_field_violations();
    field->set_field(violation.path);
    field->set_description(Cut(violation.message, 600));
    if (bad.ByteSizeLong() > kLongestDetailsBytes - 512) {
      bad.mutable_field_violations()->RemoveLast();
      break;
    }
  }
  SetDetail(status, bad);
  return status;
}

absl::Status WithRetryDelay(absl::Status status, absl::Duration delay) {
  google::rpc::RetryInfo info;
  const int64_t ns = absl::ToInt64Nanoseconds(delay);
  info.mutable_retry_delay()->set_seconds(ns / 1000000000);
  info.mutable_retry_delay()->set_nanos(static_cast<int32_t>(ns % 1000000000));
  SetDetail(status, info);
  return status;
}

absl::Status WithReason(absl::Status status, absl::string_view reason,
                        const std::map<std::string, std::string>& metadata) {
  google::rpc::ErrorInfo info;
  info.set_reason(std::string(reason));
  info.set_domain("graphd");
  for (const auto& [name, value] : metadata) {
    (*info.mutable_metadata())[name] = Cut(value, 512);
  }
  SetDetail(status, info);
  return status;
}

absl::Status ViolationsStatus(const Violations& violations,
                              absl::string_view subject) {
  return WithViolations(violations.ToStatus(subject), violations.found());
}

grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const std::string message = Cut(status.message(), kLongestMessageBytes);
  google::rpc::Status details;
  details.set_code(static_cast<int>(status.code()));
  details.set_message(message.substr(0, 256));
  status.ForEachPayload([&](absl::string_view type, const absl::Cord& value) {
    google::protobuf::Any* any = details.add_details();
    any->set_type_url(std::string(type));
    any->set_value(std::string(value));
  });
  return grpc::Status(
      static_cast<grpc::StatusCode>(status.code()), message,
      details.details_size() == 0 ? "" : details.SerializeAsString());
}

}  // namespace graphd
