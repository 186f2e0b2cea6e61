#include "core/ptx/reaching_definitions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/ptx/parser.h"

namespace graphd::ptx {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Module ParseBody(const std::string& body) {
  auto module = Parse(absl::StrCat(
      ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n",
      ".reg .pred %p<4>; .reg .b32 %r<9>;\n", body, "}\n"));
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

// Analyses one kernel, keeping what it refers to.
struct Analysis {
  explicit Analysis(const std::string& body)
      : module(ParseBody(body)), flow(*module.FindEntry("k")), reaching(flow) {}

  // Instructions that may have written `name` when instruction `at` begins.
  std::vector<uint32_t> At(uint32_t at, const std::string& name) const {
    const auto list = reaching.At(at, flow.Register(at, name));
    EXPECT_TRUE(list.has_value());
    std::vector<uint32_t> instructions;
    for (const uint32_t d : *list) {
      instructions.push_back(reaching.definitions()[d].instruction);
    }
    return instructions;
  }

  Module module;
  ControlFlow flow;
  ReachingDefinitions reaching;
};

TEST(ReachingDefinitionsTest, ALaterDefinitionEndsTheOneBefore) {
  const Analysis a(
      "mov.u32 %r1, 1;\nmov.u32 %r2, %r1;\nmov.u32 %r1, 2;\n"
      "mov.u32 %r2, %r1;\nret;\n");
  EXPECT_THAT(a.At(1, "%r1"), ElementsAre(0));
  EXPECT_THAT(a.At(3, "%r1"), ElementsAre(2));
}

TEST(ReachingDefinitionsTest, AGuardedDefinitionJoinsTheOneBefore) {
  const Analysis a(
      "mov.u32 %r1, 1;\n@%p1 mov.u32 %r1, 2;\nmov.u32 %r2, %r1;\nret;\n");
  EXPECT_THAT(a.At(2, "%r1"), ElementsAre(0, 1));
}

TEST(ReachingDefinitionsTest, BranchesMeet) {
  const Analysis a(R"(
mov.u32 %r1, 1;
@%p1 bra ELSE;
mov.u32 %r1, 2;
bra END;
ELSE:
mov.u32 %r3, %r1;
END:
mov.u32 %r2, %r1;
ret;
)");
  EXPECT_THAT(a.At(4, "%r1"), ElementsAre(0));
  EXPECT_THAT(a.At(5, "%r1"), ElementsAre(0, 2));
}

TEST(ReachingDefinitionsTest, ALoopBringsItsOwnDefinitionsBack) {
  const Analysis a(R"(
mov.u32 %r1, 1;
LOOP:
mov.u32 %r2, %r1;
add.u32 %r1, %r1, 1;
@%p1 bra LOOP;
mov.u32 %r3, %r1;
ret;
)");
  EXPECT_THAT(a.At(1, "%r1"), ElementsAre(0, 2));
  EXPECT_THAT(a.At(4, "%r1"), ElementsAre(2));
}

TEST(ReachingDefinitionsTest, ARegisterOfAnInnerBlockIsAnother) {
  const Analysis a(R"(
mov.u32 %r1, 1;
{
.reg .b32 %r<2>;
mov.u32 %r1, 2;
mov.u32 %r0, %r1;
}
mov.u32 %r2, %r1;
ret;
)");
  EXPECT_THAT(a.At(2, "%r1"), ElementsAre(1));
  EXPECT_THAT(a.At(3, "%r1"), ElementsAre(0));
}

TEST(ReachingDefinitionsTest, WhatNothingLeadsToIsLeftOpen) {
  const Analysis a(
      "mov.u32 %r1, 1;\nmov.u32 %r1, 2;\nret;\nmov.u32 %r2, %r1;\nret;\n");
  EXPECT_FALSE(a.reaching.At(3, a.flow.Register(3, "%r1")).has_value());
}

TEST(ReachingDefinitionsTest, AnIndirectBranchMayGoToEachLabel) {
  const Analysis a(R"(
mov.u32 %r1, 1;
A:
mov.u32 %r2, %r1;
B:
mov.u32 %r1, 2;
C:
mov.u32 %r1, 3;
ts: .branchtargets A, B;
brx.idx %r2, ts;
)");
  EXPECT_THAT(a.At(1, "%r1"), ElementsAre(0, 3));
}

TEST(ReachingDefinitionsTest, BarriersWithAResultAndCallsDefine) {
  const Analysis a(R"(
mov.u32 %r1, 1;
bar.sync 0;
barrier.red.popc.u32 %r1, 0, %p1;
mov.u32 %r2, %r1;
call (%r1), f, (%r2);
mov.u32 %r3, %r1;
mov.u32 %r4, %r2;
ret;
)");
  EXPECT_THAT(a.At(3, "%r1"), ElementsAre(2));
  EXPECT_THAT(a.At(5, "%r1"), ElementsAre(4));
  EXPECT_THAT(a.At(6, "%r2"), ElementsAre(3));
}

// Random kernels against a search from each definition over the instructions.
class Oracle {
 public:
  struct Line {
    int target = -1;  // register that it writes
    int source = -1;  // register that it reads
    bool guarded = false;
    std::vector<int> next;  // instructions that may follow
  };

  explicit Oracle(std::vector<Line> lines) : lines_(std::move(lines)) {}

  bool IsReached(int at) const {
    std::set<int> seen;
    Search(0, seen, [](int) { return true; });
    return seen.count(at) != 0;
  }

  std::vector<uint32_t> At(int at, int reg) const {
    std::vector<uint32_t> found;
    for (size_t i = 0; i < lines_.size(); ++i) {
      if (lines_[i].target != reg || !IsReached(static_cast<int>(i))) continue;
      std::set<int> seen;
      for (const int next : lines_[i].next) {
        // Passes where the register is not written for certain.
        Search(next, seen, [&](int j) {
          return lines_[j].target != reg || lines_[j].guarded;
        });
      }
      if (seen.count(at) != 0) found.push_back(static_cast<uint32_t>(i));
    }
    return found;
  }

 private:
  template <typename Passes>
  void Search(int from, std::set<int>& seen, Passes passes) const {
    if (!seen.insert(from).second || !passes(from)) return;
    for (const int next : lines_[from].next) Search(next, seen, passes);
  }

  std::vector<Line> lines_;
};

TEST(ReachingDefinitionsTest, AgreesWithASearchOnRandomKernels) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const int size = 4 + static_cast<int>(random() % 16);
    std::vector<Oracle::Line> lines(size + 1);
    std::string text;
    for (int i = 0; i < size; ++i) {
      Oracle::Line& line = lines[i];
      line.guarded = random() % 3 == 0;
      const std::string guard = line.guarded ? "@%p1 " : "";
      absl::StrAppend(&text, "L", i, ":\n");
      if (random() % 4 == 0) {
        const int target = static_cast<int>(random() % (size + 1));
        absl::StrAppend(&text, guard, "bra L", target, ";\n");
        line.next.push_back(target);
        if (line.guarded) line.next.push_back(i + 1);
      } else {
        line.target = static_cast<int>(random() % 3);
        line.source = static_cast<int>(random() % 3);
        absl::StrAppend(&text, guard, "mov.u32 %r", line.target, ", %r",
                        line.source, ";\n");
        line.next.push_back(i + 1);
      }
    }
    absl::StrAppend(&text, "L", size, ":\nret;\n");
    const Analysis a(text);
    const Oracle oracle(lines);
    for (int i = 0; i < size; ++i) {
      if (lines[i].source < 0 || !oracle.IsReached(i)) continue;
      const std::string name = absl::StrCat("%r", lines[i].source);
      const uint32_t reg = a.flow.Register(i, name);
      // One definition is taken to reach wherever it is read.
      if (a.reaching.OfRegister(reg).size() < 2) continue;
      ASSERT_EQ(a.At(i, name), oracle.At(i, lines[i].source))
          << text << "at " << i;
    }
  }
}

TEST(ReachingDefinitionsTest, TextMadeToBeSlowIsLeftOpen) {
  std::string text;
  for (int i = 0; i < 40'000; ++i) {
    absl::StrAppend(&text, "L", i, ":\n@%p1 mov.u32 %r1, %r1;\n@%p1 bra L",
                    (i * 7919) % 40'000, ";\n");
  }
  const Analysis a(text + "ret;\n");
  EXPECT_FALSE(
      a.reaching.At(80'000 - 2, a.flow.Register(0, "%r1")).has_value());
}

}  // namespace
}  // namespace graphd::ptx
