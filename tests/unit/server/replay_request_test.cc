#include "server/services/replay_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/codec/scalar_codec.h"

namespace graphd {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kMessageBytes = 1 << 20;

Buffer MakeBuffer(const std::string& name, BufferRole role) {
  Buffer buffer;
  buffer.name = name;
  buffer.role = role;
  buffer.size_bytes = 16;
  buffer.element_type = ScalarType::kF32;
  buffer.shape = {2, 2};
  return buffer;
}

class ReplayRequestTest : public ::testing::Test {
 protected:
  ReplayRequestTest() {
    facts_.inputs = {MakeBuffer("x", BufferRole::kInput),
                     MakeBuffer("w", BufferRole::kInput)};
    facts_.outputs = {MakeBuffer("y", BufferRole::kOutput),
                      MakeBuffer("z", BufferRole::kOutput)};
    Parameter a{"a", ScalarType::kF32, Scalar::F32(1), Scalar::F32(0),
                Scalar::F32(10)};
    Parameter n{"n", ScalarType::kU32};
    facts_.parameters = {a, n};
    (*request_.mutable_inputs())["x"].set_data(std::string(16, 'x'));
    (*request_.mutable_inputs())["w"].set_data(std::string(16, 'w'));
    (*request_.mutable_parameters())["n"] = ScalarToProto(Scalar::U32(4));
  }

  std::string Message() {
    const auto checked = CheckReplay(request_, facts_, kMessageBytes);
    if (checked.ok()) return "";
    EXPECT_EQ(checked.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(checked.status().message());
  }

  GraphFacts facts_;
  v1::ReplayRequest request_;
};

TEST_F(ReplayRequestTest, ARightRequestBecomesAnOrder) {
  const auto checked = CheckReplay(request_, facts_, kMessageBytes);
  ASSERT_TRUE(checked.ok()) << checked.status();
  EXPECT_EQ(checked->order.count, 1u);
  EXPECT_FALSE(checked->order.sequential);
  ASSERT_EQ(checked->order.inputs.size(), 2u);
  EXPECT_EQ(checked->order.inputs[0].name, "x");
  EXPECT_EQ(checked->order.inputs[0].bytes, std::string(16, 'x'));
  ASSERT_EQ(checked->order.outputs.size(), 2u);
  EXPECT_EQ(checked->order.outputs[1].size_bytes, 16u);
  ASSERT_EQ(checked->order.parameters.size(), 1u);  // "a" takes its default
  EXPECT_EQ(checked->order.parameters[0].bits(), 4u);
}

TEST_F(ReplayRequestTest, OnlyTheOutputsThatAreWantedAreOrdered) {
  request_.add_outputs("z");
  const auto checked = CheckReplay(request_, facts_, kMessageBytes);
  ASSERT_TRUE(checked.ok());
  ASSERT_EQ(checked->outputs.size(), 1u);
  EXPECT_EQ(checked->outputs[0]->name, "z");
}

TEST_F(ReplayRequestTest, EveryFindingIsReportedAtOnce) {
  request_.mutable_inputs()->erase("w");
  (*request_.mutable_inputs())["x"].set_data("short");
  (*request_.mutable_inputs())["q"].set_data("");
  request_.mutable_parameters()->erase("n");
  (*request_.mutable_parameters())["a"] = ScalarToProto(Scalar::F32(11));
  (*request_.mutable_parameters())["b"] = ScalarToProto(Scalar::F32(1));
  request_.add_outputs("y");
  request_.add_outputs("y");
  request_.add_outputs("x");
  request_.set_count(kMostExecutions + 1);
  const std::string message = Message();
  for (const char* finding :
       {"inputs[\"w\"]: missing: expected 16 bytes",
        "inputs[\"x\"]: expected 16 bytes, found 5",
        "inputs[\"q\"]: no such input; the graph has \"x\", \"w\"",
        "parameters[\"n\"]: missing", "parameters[\"a\"]: expected at most 10",
        "parameters[\"b\"]: no such parameter; the graph has \"a\", \"n\"",
        "outputs[1]: output \"y\" is named twice",
        "outputs[2]: no output \"x\"", "count: expected at most 1000000"}) {
    EXPECT_THAT(message, HasSubstr(finding));
  }
}

TEST_F(ReplayRequestTest, ATensorThatSaysWhatItIsMustAgree) {
  v1::Tensor& x = (*request_.mutable_inputs())["x"];
  x.set_element_type(v1::SCALAR_TYPE_F32);
  x.add_shape(2);
  x.add_shape(2);
  EXPECT_EQ(Message(), "");
  x.set_element_type(v1::SCALAR_TYPE_S32);
  x.set_shape(0, 4);
  x.set_shape(1, 1);
  EXPECT_THAT(Message(), HasSubstr("expected elements of type f32, found s32"));
  EXPECT_THAT(Message(), HasSubstr("expected shape [2, 2], found [4, 1]"));
}

TEST_F(ReplayRequestTest, AParameterOfAnotherTypeIsRefused) {
  (*request_.mutable_parameters())["a"] = ScalarToProto(Scalar::F64(1));
  EXPECT_THAT(Message(),
              HasSubstr("parameters[\"a\"]: expected type f32, found f64"));
  (*request_.mutable_parameters())["a"].Clear();
  EXPECT_THAT(Message(), HasSubstr("parameters[\"a\"]: "));
}

TEST_F(ReplayRequestTest, ARangeIncludesItsEndsAndNeverNan) {
  for (const float good : {0.0f, 10.0f}) {
    (*request_.mutable_parameters())["a"] = ScalarToProto(Scalar::F32(good));
    EXPECT_EQ(Message(), "");
  }
  for (const float bad : {-0.1f, 10.1f, __builtin_nanf("")}) {
    (*request_.mutable_parameters())["a"] = ScalarToProto(Scalar::F32(bad));
    EXPECT_THAT(Message(), HasSubstr("parameters[\"a\"]: expected at"));
  }
}

TEST_F(ReplayRequestTest, OutputsThatNoMessageHoldsAreRefused) {
  facts_.outputs[0].size_bytes = kMessageBytes;
  EXPECT_THAT(Message(), HasSubstr("outputs: they take"));
  request_.add_outputs("z");
  EXPECT_EQ(Message(), "");
}

}  // namespace
}  // namespace graphd
