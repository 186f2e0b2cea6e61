#include "core/exec/binding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/sample_plans.h"

namespace graphd {
namespace {

using ::testing::HasSubstr;

class BindingTest : public testing::Test {
 protected:
  std::string Message(const absl::Status& status) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  }

  Plan plan_ = ScalePlan(DeviceDescription{}, 128);
  std::vector<char> x_ = std::vector<char>(512);
  std::vector<char> y_ = std::vector<char>(512);
  RunArguments right_{
      {{"x", absl::MakeSpan(x_)}}, {}, {{"y", absl::MakeSpan(y_)}}};
};

TEST_F(BindingTest, AcceptsCompleteBindings) {
  EXPECT_TRUE(CheckBindings(plan_, right_).ok());
}

TEST_F(BindingTest, ReportsEveryFindingAtOnce) {
  RunArguments wrong;
  wrong.inputs = {{"z", absl::MakeSpan(x_)}};
  wrong.outputs = {{"y", absl::MakeSpan(y_).subspan(4)}};
  wrong.count = 0;
  const std::string message = Message(CheckBindings(plan_, wrong));
  EXPECT_THAT(message, HasSubstr("inputs[\"z\"]: the graph has no such input"));
  EXPECT_THAT(message, HasSubstr("inputs[\"x\"]: missing: expected 512 bytes"));
  EXPECT_THAT(message,
              HasSubstr("outputs[\"y\"]: the buffer has 512 bytes, found 508"));
  EXPECT_THAT(message, HasSubstr("count: must be at least 1, found 0"));
}

TEST_F(BindingTest, RefusesAnInputThatIsGivenTwice) {
  right_.inputs.push_back(right_.inputs[0]);
  EXPECT_THAT(Message(CheckBindings(plan_, right_)),
              HasSubstr("inputs[\"x\"]: given twice"));
}

TEST_F(BindingTest, TakesDefaultsForParametersThatAreNotSet) {
  const auto values = ParameterValues(plan_, right_);
  ASSERT_TRUE(values.ok());
  EXPECT_EQ((*values)[0], Scalar::F32(2));
  EXPECT_EQ((*values)[1], Scalar::U32(2));
}

TEST_F(BindingTest, RefusesParametersThatAreUnknownMistypedOrOutOfRange) {
  right_.parameters = {{"b", Scalar::F32(1)},
                       {"a", Scalar::F32(101)},
                       {"blocks", Scalar::F32(1)}};
  const std::string message = Message(ParameterValues(plan_, right_).status());
  EXPECT_THAT(message,
              HasSubstr("parameters[\"b\"]: the graph has no such parameter"));
  EXPECT_THAT(message,
              HasSubstr("parameters[\"a\"]: must be at most 100, found 101"));
  EXPECT_THAT(message,
              HasSubstr("parameters[\"blocks\"]: expected u32, found f32"));
}

TEST_F(BindingTest, RefusesNotANumberWhereThereIsARange) {
  right_.parameters = {{"a", Scalar::F32(std::nanf(""))}};
  EXPECT_THAT(Message(ParameterValues(plan_, right_).status()),
              HasSubstr("parameters[\"a\"]: must be at most 100"));
}

TEST_F(BindingTest, RefusesALaunchDimensionThatTheDeviceDoesNotTake) {
  right_.parameters = {{"blocks", Scalar::U32(0)}};
  EXPECT_THAT(Message(ParameterValues(plan_, right_).status()),
              HasSubstr("a launch dimension of step \"scale\" must be 1 to "
                        "2147483647, found 0"));
}

TEST_F(BindingTest, RefusesAParameterWithoutValueOrDefault) {
  plan_.parameters[0].default_value.reset();
  EXPECT_THAT(Message(ParameterValues(plan_, right_).status()),
              HasSubstr("parameters[\"a\"]: has no default and was not set"));
}

}  // namespace
}  // namespace graphd
