// Runs every test of the suite on a table that does nothing. A test that passes
// there checks nothing that a driver does.
//
// Each runs in a process of its own with a time limit; a crash and a timeout
// count as failed, which is what a test should do. One test must pass, the
// empty one: or the others might fail for what their fixture does.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/conformance/conformance_test.h"
#include "tests/conformance/hollow_table.h"

extern char** environ;

namespace graphd {

const std::vector<Provider>& Providers() {
  static const auto& providers =
      *new std::vector<Provider>{{"Hollow", HollowTable()}};
  return providers;
}

namespace {

constexpr int kSecondsForATest = 20;
constexpr char kEmptyTest[] = "Conformance/FixtureTest.AsksNothing/Hollow";

using FixtureTest = ConformanceTest;
TEST_P(FixtureTest, AsksNothing) {}
GRAPHD_CONFORMANCE_SUITE(FixtureTest);

// Whether one test ends with success: passed or skipped.
bool Passes(const std::string& name) {
  std::string program = "/proc/self/exe";
  std::string filter = absl::StrCat("--gtest_filter=", name);
  char* const arguments[] = {program.data(), filter.data(), nullptr};
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&quiet, descriptor, "/dev/null", O_WRONLY,
                                     0);
  }
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, program.c_str(), &quiet, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&quiet);
  if (failed != 0) return false;
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(kSecondsForATest);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int RunEach() {
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  int tests = 0;
  int wrong = 0;
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const std::string name =
          absl::StrCat(suite.name(), ".", suite.GetTestInfo(j)->name());
      const bool should_pass = name == kEmptyTest;
      ++tests;
      if (Passes(name) == should_pass) continue;
      ++wrong;
      std::printf("%s: %s\n",
                  should_pass ? "the fixture itself fails"
                              : "passes on a table that does nothing",
                  name.c_str());
    }
  }
  std::printf("%d tests, %d wrong\n", tests, wrong);
  return tests > 1 && wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace graphd

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // With a filter, as RunEach starts it: one test in this process.
  const bool all = GTEST_FLAG_GET(filter) == "*";
  return all ? graphd::RunEach() : RUN_ALL_TESTS();
}
