#include "server/workers/file_access.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "tests/unit/server/temporary_folder.h"

namespace graphd {
namespace {

bool CanRead(const std::string& path) { return std::ifstream(path).good(); }

// What a process that may only read below `allowed` can do, as an exit code.
int InConfinedChild(const std::string& allowed,
                    bool (*question)(const std::string&),
                    const std::string& path) {
  const pid_t child = fork();
  if (child == 0) {
    const absl::Status status = AllowReadingOnly({allowed, "/nowhere"});
    if (absl::IsFailedPrecondition(status)) _exit(77);
    if (!status.ok()) _exit(99);
    _exit(question(path) ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(FileAccessTest, OnlyWhatLiesBelowTheFoldersIsRead) {
  const TemporaryFolder inside;
  const TemporaryFolder outside;
  std::ofstream(inside.path() + "/a") << "a";
  std::ofstream(outside.path() + "/b") << "b";
  const int allowed =
      InConfinedChild(inside.path(), CanRead, inside.path() + "/a");
  if (allowed == 77) {
    // The compiler says so in the log and goes on.
    SUCCEED() << "this kernel has no Landlock";
    return;
  }
  EXPECT_EQ(allowed, 1);
  EXPECT_EQ(InConfinedChild(inside.path(), CanRead, outside.path() + "/b"), 0);
  EXPECT_EQ(
      InConfinedChild(inside.path(), CanRead,
                      inside.path() + "/../" +
                          outside.path().substr(outside.path().rfind('/') + 1) +
                          "/b"),
      0);
  EXPECT_EQ(InConfinedChild(inside.path(), CanRead, "/etc/passwd"), 0);
}

TEST(FileAccessTest, NothingIsWritten) {
  const TemporaryFolder inside;
  const int written = InConfinedChild(
      inside.path(),
      [](const std::string& path) {
        return std::ofstream(path + "/new").good();
      },
      inside.path());
  EXPECT_TRUE(written == 0 || written == 77) << written;
}

}  // namespace
}  // namespace graphd
