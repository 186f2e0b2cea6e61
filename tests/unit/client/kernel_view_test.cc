#include "client/graphctl/kernel_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphd::graphctl {
namespace {

using ::testing::HasSubstr;

InspectedKernel Relu() {
  InspectedKernel kernel;
  kernel.name = "_Z4reluPKfPfi";
  ptx::Signature::Param in;
  in.name = "in";
  in.type = ptx::Type::kU64;
  in.size_bytes = 8;
  ptx::Signature::Param shape;
  shape.name = "shape";
  shape.size_bytes = 12;
  shape.offset_bytes = 8;
  shape.is_array = true;
  kernel.facts.signature.params = {in, shape};
  ptx::MemoryAccess load;
  load.parameter = 0;
  load.width_bytes = 4;
  load.line = 17;
  kernel.facts.accesses = {load};
  kernel.facts.escapes = {false, false};
  kernel.facts.has_barrier = true;
  kernel.facts.not_elementwise_because = "it has a barrier";
  return kernel;
}

TEST(KernelViewTest, AKernelShowsWhatItReachesAndWhatStopsIt) {
  InspectedFile file{"a.cu", "", {Relu()}};
  EXPECT_TRUE(file.Runs());
  EXPECT_EQ(InspectionText(file),
            R"(a.cu
  kernel _Z4reluPKfPfi
    relu(float const*, float*, int)
    PARAMETER  TYPE                BYTES  OFFSET  USE
    0 in       u64                     8       0  read
    1 shape    struct of 12 bytes     12       8
    reads 4 bytes of parameter 0 at anywhere (line 17)
    uses barriers
    element-wise: no, it has a barrier
    software GPU: runs
)");
}

TEST(KernelViewTest, WhatSoftwareDoesNotRunIsNamedWithItsLine) {
  InspectedFile file{"a.ptx", "", {Relu()}};
  file.kernels[0].unsupported = ptx::Unsupported{"mma.sync", 9};
  EXPECT_FALSE(file.Runs());
  EXPECT_THAT(InspectionText(file),
              HasSubstr("software GPU: no, line 9: mma.sync"));
  EXPECT_THAT(InspectionJson(file),
              HasSubstr("\"unsupported\":{\"line\":9,\"instruction\":"
                        "\"mma.sync\"}"));
}

TEST(KernelViewTest, AFileThatCannotBeReadIsAnErrorInItsPlace) {
  const InspectedFile file{"a.cu", "does not compile:\nline \"3\"", {}};
  EXPECT_FALSE(file.Runs());
  EXPECT_EQ(InspectionText(file),
            "a.cu\n  cannot run: does not compile:\n    line \"3\"\n");
  EXPECT_EQ(InspectionJson(file),
            "{\"file\":\"a.cu\",\"error\":\"does not compile:\\u000aline "
            "\\\"3\\\"\",\"runs\":false,\"kernels\":[]}");
}

}  // namespace
}  // namespace graphd::graphctl
