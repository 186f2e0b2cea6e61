#include <cstring>
#include <string>

#include "tests/conformance/conformance_test.h"
#include "tests/conformance/kernels.h"

namespace graphd {
namespace {

using testing::ElementsAre;

constexpr char kMistaken[] = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry broken()
{
  add.s32 %unknown, 1, 2;
  ret;
}
)";

class ModuleTest : public ConformanceTest {
 protected:
  CUmodule Load(const char* text = kConformanceKernels) {
    CUmodule module = nullptr;
    Must(cu().cuModuleLoadDataEx(&module, text, 0, nullptr, nullptr));
    return module;
  }
  int Attribute(CUfunction_attribute attribute, CUfunction function) {
    int value = -1;
    Must(cu().cuFuncGetAttribute(&value, attribute, function));
    return value;
  }
};
GRAPHD_CONFORMANCE_SUITE(ModuleTest);

TEST_P(ModuleTest, GivesItsFunctionsByName) {
  const CUmodule module = Load();
  CUfunction affine = nullptr;
  CUfunction append = nullptr;
  CUfunction again = nullptr;
  Must(cu().cuModuleGetFunction(&affine, module, "affine"));
  Must(cu().cuModuleGetFunction(&append, module, "append"));
  Must(cu().cuModuleGetFunction(&again, module, "affine"));
  EXPECT_NE(affine, nullptr);
  EXPECT_NE(append, nullptr);
  EXPECT_NE(affine, append);
  EXPECT_EQ(affine, again);
  Must(cu().cuModuleUnload(module));
}

TEST_P(ModuleTest, HasNoFunctionOfAnotherName) {
  const CUmodule module = Load();
  CUfunction function = nullptr;
  EXPECT_EQ(cu().cuModuleGetFunction(&function, module, "affin"),
            CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cu().cuModuleGetFunction(&function, module, "counter"),
            CUDA_ERROR_NOT_FOUND);
  Must(cu().cuModuleUnload(module));
}

TEST_P(ModuleTest, RefusesNull) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  EXPECT_EQ(cu().cuModuleLoadDataEx(&module, nullptr, 0, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().cuModuleLoadDataEx(nullptr, kConformanceKernels, 0, nullptr,
                                    nullptr),
            CUDA_ERROR_INVALID_VALUE);
  module = Load();
  EXPECT_EQ(cu().cuModuleGetFunction(&function, module, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().cuModuleGetFunction(nullptr, module, "affine"),
            CUDA_ERROR_INVALID_VALUE);
  Must(cu().cuModuleUnload(module));
}

TEST_P(ModuleTest, IsNotMadeFromMistakenPtx) {
  CUmodule module = nullptr;
  EXPECT_EQ(cu().cuModuleLoadDataEx(&module, kMistaken, 0, nullptr, nullptr),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(module, nullptr);
}

TEST_P(ModuleTest, SaysWhatIsWrongWithMistakenPtx) {
  char log[1024];
  std::memset(log, 0, sizeof(log));
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof(log) - 1)};
  CUmodule module = nullptr;
  EXPECT_EQ(cu().cuModuleLoadDataEx(&module, kMistaken, 2, options, values),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(std::string(log), testing::HasSubstr("unknown"));
}

TEST_P(ModuleTest, HasVariablesWithTheirFirstValues) {
  const CUmodule module = Load();
  CUdeviceptr counter = 0;
  CUdeviceptr table = 0;
  size_t counter_bytes = 0;
  size_t table_bytes = 0;
  Must(cu().cuModuleGetGlobal(&counter, &counter_bytes, module, "counter"));
  Must(cu().cuModuleGetGlobal(&table, &table_bytes, module, "table"));
  EXPECT_EQ(counter_bytes, 4u);
  EXPECT_EQ(table_bytes, 16u);
  EXPECT_EQ(Read(counter, 1), Words{kCounterStart});
  EXPECT_THAT(Read(table, 4), testing::ElementsAreArray(kTable));
  Must(cu().cuModuleUnload(module));
}

TEST_P(ModuleTest, HasNoVariableOfAnotherName) {
  const CUmodule module = Load();
  CUdeviceptr address = 0;
  size_t bytes = 0;
  EXPECT_EQ(cu().cuModuleGetGlobal(&address, &bytes, module, "affine"),
            CUDA_ERROR_NOT_FOUND);
  Must(cu().cuModuleUnload(module));
}

TEST_P(ModuleTest, GivesAnAddressOrASizeAlone) {
  const CUmodule module = Load();
  CUdeviceptr address = 0;
  size_t bytes = 0;
  Must(cu().cuModuleGetGlobal(&address, nullptr, module, "table"));
  Must(cu().cuModuleGetGlobal(nullptr, &bytes, module, "table"));
  EXPECT_NE(address, 0u);
  EXPECT_EQ(bytes, 16u);
  Must(cu().cuModuleUnload(module));
}

TEST_P(ModuleTest, SharesItsVariablesWithItsKernels) {
  const CUmodule module = Load();
  CUdeviceptr counter = 0;
  CUdeviceptr table = 0;
  size_t bytes = 0;
  CUfunction read = nullptr;
  Must(cu().cuModuleGetGlobal(&counter, &bytes, module, "counter"));
  Must(cu().cuModuleGetGlobal(&table, &bytes, module, "table"));
  Must(cu().cuModuleGetFunction(&read, module, "read_variables"));
  Write(counter, {100});
  Write(table + 8, {99});
  const CUdeviceptr out = Buffer(Words(5, 0));
  Arguments<CUdeviceptr> arguments(out);
  Must(cu().cuLaunchKernel(read, 1, 1, 1, 1, 1, 1, 0, kNoStream,
                           arguments.pointers(), nullptr));
  Must(cu().cuStreamSynchronize(kNoStream));
  EXPECT_THAT(Read(out, 5), ElementsAre(100, 11, 22, 99, 44));
  EXPECT_EQ(Read(counter, 1), Words{101});
  Must(cu().cuModuleUnload(module));
}

TEST_P(ModuleTest, HasVariablesOfItsOwnAtEachLoad) {
  const CUmodule one = Load();
  const CUmodule two = Load();
  EXPECT_NE(one, two);
  CUdeviceptr in_one = 0;
  CUdeviceptr in_two = 0;
  size_t bytes = 0;
  Must(cu().cuModuleGetGlobal(&in_one, &bytes, one, "counter"));
  Must(cu().cuModuleGetGlobal(&in_two, &bytes, two, "counter"));
  EXPECT_NE(in_one, in_two);
  Write(in_one, {1});
  EXPECT_EQ(Read(in_two, 1), Words{kCounterStart});
  Must(cu().cuModuleUnload(one));
  EXPECT_EQ(Read(in_two, 1), Words{kCounterStart});
  Must(cu().cuModuleUnload(two));
}

TEST_P(ModuleTest, IsUnloadedOnce) {
  if (!cu().is_software) GTEST_SKIP() << "libcuda follows what it is given";
  const CUmodule module = Load();
  EXPECT_EQ(cu().cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(cu().cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  CUfunction function = nullptr;
  EXPECT_EQ(cu().cuModuleGetFunction(&function, module, "affine"),
            CUDA_ERROR_INVALID_HANDLE);
}

TEST_P(ModuleTest, GivesItsMemoryBackWhenUnloaded) {
  Must(cu().cuModuleUnload(Load()));
  const size_t before = FreeBytes();
  EXPECT_GT(before, 0u);
  for (int i = 0; i < 50; ++i) Must(cu().cuModuleUnload(Load()));
  EXPECT_GE(FreeBytes() + kSlackBytes, before);
}

TEST_P(ModuleTest, KnowsWhatItsFunctionsDeclare) {
  const CUfunction rotate = Kernel("rotate_block");
  EXPECT_EQ(Attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, rotate),
            static_cast<int>(kRotateSharedBytes));
  EXPECT_EQ(Attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, rotate),
            static_cast<int>(kRotateThreads));
  const CUfunction affine = Kernel("affine");
  EXPECT_EQ(Attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, affine), 0);
  EXPECT_EQ(Attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, affine), 1024);
  EXPECT_EQ(Attribute(CU_FUNC_ATTRIBUTE_PTX_VERSION, affine), 75);
  EXPECT_GE(Attribute(CU_FUNC_ATTRIBUTE_NUM_REGS, affine), 1);
}

TEST_P(ModuleTest, RefusesAttributesThatDoNotExistOrCannotBeSet) {
  const CUfunction affine = Kernel("affine");
  int value = 0;
  EXPECT_EQ(cu().cuFuncGetAttribute(
                &value, static_cast<CUfunction_attribute>(1000000), affine),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().cuFuncSetAttribute(affine, CU_FUNC_ATTRIBUTE_NUM_REGS, 16),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_P(ModuleTest, KeepsTheDynamicSharedMemoryThatAFunctionWasAllowed) {
  const CUfunction reverse = Kernel("reverse_block");
  constexpr auto kDynamic = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  Must(cu().cuFuncSetAttribute(reverse, kDynamic, 60 * 1024));
  EXPECT_EQ(Attribute(kDynamic, reverse), 60 * 1024);
  EXPECT_EQ(cu().cuFuncSetAttribute(reverse, kDynamic, 64 << 20),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Attribute(kDynamic, reverse), 60 * 1024);
}

TEST_P(ModuleTest, IsLoadedEagerly) {
  if (cu().cuModuleGetLoadingMode == nullptr) {
    GTEST_SKIP() << "the driver has no loading modes";
  }
  auto mode = static_cast<CUmoduleLoadingMode>(0);
  Must(cu().cuModuleGetLoadingMode(&mode));
  EXPECT_EQ(mode, CU_MODULE_EAGER_LOADING);
}

}  // namespace
}  // namespace graphd
