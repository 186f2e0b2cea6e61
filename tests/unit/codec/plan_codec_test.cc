#include "core/codec/plan_codec.h"

#include <gmock/gmock.h>
#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "core/codec/device_codec.h"
#include "tests/unit/codec/sample_plan.h"

namespace graphd {
namespace {

using testing::HasSubstr;

TEST(PlanCodecTest, APlanWithEveryFieldComesBackUnchanged) {
  const Plan plan = SamplePlan();
  const auto back = ParsePlan(SerializePlan(plan));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(SerializePlan(*back), SerializePlan(plan));
  EXPECT_EQ(PlanDigest(*back), PlanDigest(plan));
  EXPECT_EQ(back->graph, plan.graph);
  EXPECT_EQ(back->steps.size(), plan.steps.size());
  EXPECT_EQ(back->steps[1].accesses, plan.steps[1].accesses);
  EXPECT_EQ(back->steps[3].waits, plan.steps[3].waits);
  EXPECT_EQ(back->steps[0].phase, RunPhase::kFirst);
  const auto& kernel = std::get<KernelStep>(back->steps[1].body);
  EXPECT_EQ(kernel.grid[0].parameter, ParameterId(0));
  EXPECT_EQ(kernel.grid[1].value, 2u);
  EXPECT_EQ(kernel.args.size(), 4u);
  EXPECT_EQ(back->parameters[0].maximum, plan.parameters[0].maximum);
  EXPECT_EQ(back->buffers[3].symbol, "table");
}

TEST(PlanCodecTest, EqualDevicesOfOtherNamesShareAPlan) {
  Plan plan = SamplePlan();
  const Digest digest = PlanDigest(plan);
  plan.device.name = "another";
  plan.device.uuid = "GPU-1";
  EXPECT_EQ(PlanDigest(plan), digest);
  plan.device.sm_count = 99;
  EXPECT_NE(PlanDigest(plan), digest);
}

TEST(PlanCodecTest, WhatAnExecutorReliesOnIsChecked) {
  namespace record = internal::v1;
  using Damage = std::function<void(record::PlanRecord&)>;
  struct Case {
    Damage damage;
    std::string message;
  };
  const auto kernel = [](record::PlanRecord& r) {
    return r.mutable_steps(1)->mutable_kernel();
  };
  const auto copy = [](record::PlanRecord& r) {
    return r.mutable_steps(0)->mutable_memcpy();
  };
  const auto fill = [](record::PlanRecord& r) {
    return r.mutable_steps(2)->mutable_memset();
  };
  const std::vector<Case> cases = {
      {[](auto& r) { r.set_graph("short"); }, "digest has 5 bytes"},
      {[](auto& r) { r.mutable_device()->set_device_class(7); }, "class is 7"},
      {[](auto& r) { r.mutable_device()->clear_max_grid(); },
       "max_grid has 0 entries"},
      {[](auto& r) { r.set_stream_count(0); }, "stream_count is 0"},
      {[](auto& r) { r.set_stream_count(1000); }, "stream_count is 1000"},
      {[](auto& r) { r.mutable_images(0)->set_kind(2); },
       "images[0].kind is 2"},
      {[](auto& r) { r.mutable_buffers(0)->set_place(3); },
       "buffers[0].place is 3"},
      {[](auto& r) { r.mutable_buffers(0)->set_offset_bytes(4096); },
       "buffers[0] has 1024 bytes at 4096 of an arena of 4096"},
      {[](auto& r) { r.mutable_buffers(1)->set_size_bytes(1u << 30); },
       "buffers[1] has 1073741824 bytes"},
      {[](auto& r) { r.mutable_buffers(3)->set_image(0); },
       "buffers[3] is a variable without image or symbol"},
      {[](auto& r) { r.mutable_buffers(3)->set_image(9); },
       "buffers[3].image is 8, but there are 1"},
      {[](auto& r) { r.mutable_buffers(0)->set_variable_image(true); },
       "buffers[0] is a variable without image or symbol"},
      {[](auto& r) { r.mutable_buffers(3)->set_variable_image(true); },
       "buffers[3].variable_image is set outside the host arena"},
      {[](auto& r) { r.mutable_parameters(0)->set_type(0); },
       "parameters[0].type is 0"},
      {[](auto& r) {
         r.mutable_parameters(0)->set_maximum_bits(uint64_t{1} << 40);
       },
       "parameters[0] has bits beyond u32"},
      {[](auto& r) { r.mutable_inputs(0)->set_buffer(77); },
       "inputs[0].buffer is 77"},
      {[](auto& r) { r.mutable_outputs(0)->set_buffer(0); },
       "outputs[0].buffer is not in the host arena"},
      {[](auto& r) { r.mutable_steps(4)->clear_empty(); },
       "steps[4] has no body"},
      {[](auto& r) { r.mutable_steps(1)->set_stream(2); },
       "steps[1].stream is 2"},
      {[](auto& r) { r.mutable_steps(3)->set_waits(0, 3); },
       "steps[3].waits is 3, but there are 3"},
      {[](auto& r) { r.mutable_steps(3)->set_waits(1, 0); },
       "steps[3].waits are not ascending"},
      {[](auto& r) { r.mutable_steps(0)->set_phase(3); },
       "steps[0].phase is 3"},
      {[](auto& r) { r.mutable_steps(1)->mutable_accesses(0)->set_buffer(9); },
       "steps[1].accesses[0].buffer is 9"},
      {[](auto& r) { r.mutable_steps(1)->mutable_accesses(0)->set_kind(9); },
       "steps[1].accesses[0].kind is 9"},
      {[](auto& r) {
         r.mutable_steps(1)->mutable_accesses(0)->set_rows(UINT64_MAX);
       },
       "steps[1].accesses[0] leaves its buffer of 1024 bytes"},
      {[&](auto& r) { kernel(r)->set_image(1); }, "steps[1].image is 1"},
      {[&](auto& r) { kernel(r)->mutable_grid()->RemoveLast(); },
       "steps[1].grid has 2 dimensions"},
      {[&](auto& r) { kernel(r)->mutable_block(0)->set_value(0); },
       "steps[1].block[0] is 0"},
      {[&](auto& r) { kernel(r)->mutable_grid(0)->set_parameter(3); },
       "steps[1].grid[0] is 2, but there are 1"},
      {[&](auto& r) { kernel(r)->mutable_args(0)->clear_address(); },
       "steps[1].args[0] is empty"},
      {[&](auto& r) {
         kernel(r)->mutable_args(0)->mutable_address()->set_buffer(9);
       },
       "steps[1].args[0].buffer is 9"},
      {[&](auto& r) {
         kernel(r)->mutable_args(0)->mutable_address()->set_offset_bytes(1025);
       },
       "steps[1].args[0] starts at byte 1025"},
      {[&](auto& r) {
         kernel(r)->mutable_args(1)->mutable_scalar()->set_type(99);
       },
       "steps[1].args[1].type is 99"},
      {[&](auto& r) {
         kernel(r)->mutable_args(1)->mutable_scalar()->set_bits(UINT64_MAX);
       },
       "steps[1].args[1] has bits beyond s32"},
      {[&](auto& r) { kernel(r)->mutable_args(2)->set_parameter(1); },
       "steps[1].args[2] is 1"},
      {[&](auto& r) {
         kernel(r)
             ->mutable_args(3)
             ->mutable_bytes()
             ->mutable_relocations(0)
             ->set_at_bytes(9);
       },
       "steps[1].args[3] has a pointer at byte 9 of a struct of 16"},
      {[&](auto& r) { copy(r)->set_src(9); }, "steps[0].src is 9"},
      {[&](auto& r) { copy(r)->set_dst(9); }, "steps[0].dst is 9"},
      {[&](auto& r) { copy(r)->set_width_bytes(1025); },
       "steps[0].src leaves its buffer of 1024 bytes"},
      {[&](auto& r) { copy(r)->set_dst_offset_bytes(UINT64_MAX); },
       "steps[0].dst leaves its buffer of 1024 bytes"},
      {[&](auto& r) { fill(r)->set_dst(9); }, "steps[2].dst is 9"},
      {[&](auto& r) { fill(r)->set_pattern_bytes(3); },
       "steps[2].pattern_bytes is 3"},
      {[&](auto& r) {
         fill(r)->set_pattern_bytes(4);
         fill(r)->set_width(UINT64_MAX);
       },
       "steps[2].width overflows"},
      {[&](auto& r) { fill(r)->set_width(4096); },
       "steps[2] leaves its buffer of 1024 bytes"},
  };
  for (const Case& c : cases) {
    record::PlanRecord damaged = PlanToRecord(SamplePlan());
    c.damage(damaged);
    const auto plan = PlanFromRecord(damaged);
    EXPECT_EQ(plan.status().code(), absl::StatusCode::kDataLoss) << c.message;
    EXPECT_THAT(std::string(plan.status().message()), HasSubstr(c.message));
  }
}

TEST(PlanCodecTest, AnotherFormatVersionIsNotDamage) {
  internal::v1::PlanRecord record = PlanToRecord(SamplePlan());
  record.set_format_version(2);
  EXPECT_EQ(PlanFromRecord(record).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(PlanCodecTest, FlippedBytesGiveAnErrorOrAPlanThatCanBeWritten) {
  const std::string bytes = SerializePlan(SamplePlan());
  // Names that are no longer UTF-8 are logged one by one.
  const google::protobuf::LogSilencer silencer;
  std::mt19937 random(7);
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = bytes;
    for (int flips = 0; flips < 3; ++flips) {
      damaged[random() % damaged.size()] ^= 1 << (random() % 8);
    }
    if (i % 4 == 0) damaged.resize(random() % damaged.size());
    const auto plan = ParsePlan(damaged);
    if (plan.ok()) {
      EXPECT_TRUE(ParsePlan(SerializePlan(*plan)).ok());
    } else {
      ++refused;
    }
  }
  EXPECT_GT(refused, 5000);
}

TEST(DeviceCodecTest, ADeviceComesBackUnchanged) {
  DeviceDescription device;
  device.device_class = DeviceClass::kCuda;
  device.name = "NVIDIA H200";
  device.uuid = "GPU-0";
  device.capability_major = 9;
  device.capability_minor = 0;
  device.driver_version = 13010;
  device.sm_count = 132;
  device.memory_bytes = uint64_t{1} << 37;
  device.max_block = {1024, 512, 64};
  device.max_grid = {7, 8, 9};
  device.shared_bytes_per_block_optin = 232448;
  device.max_parameter_bytes = 32764;
  const auto back = DeviceFromRecord(DeviceToRecord(device));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, device);
}

}  // namespace
}  // namespace graphd
