#include "server/services/health_service.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace graphd {
namespace {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

class HealthServiceTest : public ::testing::Test {
 protected:
  HealthServiceTest() {
    grpc::ServerBuilder builder;
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    stub_ = grpc::health::v1::Health::NewStub(
        server_->InProcessChannel(grpc::ChannelArguments()));
  }
  ~HealthServiceTest() override {
    service_.EndWatches();
    server_->Shutdown();
  }

  int Check(const std::string& name) {
    grpc::ClientContext context;
    HealthCheckRequest request;
    request.set_service(name);
    HealthCheckResponse response;
    const grpc::Status status = stub_->Check(&context, request, &response);
    return status.ok() ? response.status()
                       : -static_cast<int>(status.error_code());
  }

  HealthService service_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<grpc::health::v1::Health::Stub> stub_;
};

TEST_F(HealthServiceTest, ACheckTellsTheLatestState) {
  EXPECT_EQ(Check("soft0"), -static_cast<int>(grpc::StatusCode::NOT_FOUND));
  service_.Set("soft0", true);
  EXPECT_EQ(Check("soft0"), HealthCheckResponse::SERVING);
  service_.Set("soft0", false);
  EXPECT_EQ(Check("soft0"), HealthCheckResponse::NOT_SERVING);
}

TEST_F(HealthServiceTest, AWatchTellsEveryChangeUntilTheEnd) {
  grpc::ClientContext context;
  HealthCheckRequest request;
  request.set_service("soft0");
  const auto reader = stub_->Watch(&context, request);
  HealthCheckResponse response;
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVICE_UNKNOWN);
  service_.Set("soft0", true);
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVING);
  service_.Shutdown();
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::NOT_SERVING);
  service_.EndWatches();
  EXPECT_FALSE(reader->Read(&response));
  EXPECT_TRUE(reader->Finish().ok());
}

TEST_F(HealthServiceTest, NothingServesAgainAfterShutdown) {
  service_.Set("", true);
  service_.Shutdown();
  service_.Set("", true);
  EXPECT_EQ(Check(""), HealthCheckResponse::NOT_SERVING);
}

}  // namespace
}  // namespace graphd
