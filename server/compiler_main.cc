// graphd-compiler: checks and compiles graphs for graphd, within limits.
#include <fcntl.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/workers/channel.h"
#include "server/workers/compiler_loop.h"
#include "server/workers/file_access.h"

namespace graphd {
namespace {

constexpr int kChannelNumber = 3;
constexpr int kUsage = 2;
constexpr int kFailed = 1;

int Fail(absl::string_view message, int code) {
  std::fprintf(stderr, "graphd-compiler: %s\n", std::string(message).c_str());
  return code;
}

int Main(int argc, char** argv) {
  CompilerLoop::Limits limits;
  CLI::App app("graphd-compiler: checks and compiles graphs for graphd",
               "graphd-compiler");
  app.set_version_flag("--version",
                       absl::StrCat("graphd-compiler ", GRAPHD_VERSION));
  app.add_option("--memory-bytes", limits.memory_bytes,
                 "address space of the process; 0: no limit");
  app.add_option("--cpu-seconds", limits.cpu_seconds,
                 "processor time of one request; 0: no limit");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  if (::fcntl(kChannelNumber, F_GETFD) < 0) {
    return Fail(
        "started by hand; graphd starts it with a channel as descriptor 3",
        kUsage);
  }
  ::fcntl(kChannelNumber, F_SETFD, FD_CLOEXEC);
  std::signal(SIGPIPE, SIG_IGN);
  const rlimit no_core{0, 0};  // a core would hold what clients sent
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (limits.memory_bytes > 0) {
    const rlimit memory{limits.memory_bytes, limits.memory_bytes};
    if (::setrlimit(RLIMIT_AS, &memory) != 0) {
      return Fail(absl::StrCat("setrlimit: ", std::strerror(errno)), kFailed);
    }
  }
  if (const absl::Status status = AllowReadingOnly(ToolkitFolders());
      !status.ok()) {
    std::fprintf(stderr, "graphd-compiler: sources can include any file: %s\n",
                 std::string(status.message()).c_str());
  }
  CompilerLoop loop{Channel(Descriptor(kChannelNumber)), limits};
  const absl::Status status = loop.Run();
  return status.ok() ? 0 : Fail(status.message(), kFailed);
}

}  // namespace
}  // namespace graphd

int main(int argc, char** argv) { return graphd::Main(argc, argv); }
