// graphd: the daemon.
#include <grpc/support/log.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/config.h"
#include "server/server.h"

namespace graphd {
namespace {

constexpr int kUsage = 2;
constexpr int kCannotStart = 1;

struct CommandLine {
  std::string config_file;
  bool check = false;
  bool print_config = false;
  std::map<std::string, std::vector<std::string>> settings;  // by flag
};

// Returns an exit code, or -1 to go on.
int Parse(int argc, char** argv, CommandLine& line) {
  CLI::App app("graphd: replays GPU graphs for its clients", "graphd");
  app.set_version_flag("--version", absl::StrCat("graphd ", GRAPHD_VERSION));
  app.add_option("--config", line.config_file, "settings as TOML");
  app.add_flag("--check", line.check, "check the settings and end");
  app.add_flag("--print-config", line.print_config,
               "print the settings with their sources and end");
  for (const Setting& setting : Settings()) {
    auto* option = app.add_option(std::string(setting.flag),
                                  line.settings[std::string(setting.flag)],
                                  std::string(setting.help));
    option->expected(1)->multi_option_policy(
        setting.is_list ? CLI::MultiOptionPolicy::TakeAll
                        : CLI::MultiOptionPolicy::TakeLast);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  for (auto entry = line.settings.begin(); entry != line.settings.end();) {
    entry = entry->second.empty() ? line.settings.erase(entry) : ++entry;
  }
  return -1;
}

int Fail(const absl::Status& status, int code) {
  std::fprintf(stderr, "graphd: %s\n", std::string(status.message()).c_str());
  return code;
}

// Waits for the signal to end. A second one ends the process at once.
void WaitForSignal(const sigset_t& signals, Logger& log) {
  int signal = 0;
  ::sigwait(&signals, &signal);
  log.Info("signal received", {{"signal", absl::StrCat(signal)}});
  std::thread([signals] {
    int again = 0;
    ::sigwait(&signals, &again);
    ::_exit(128 + again);
  }).detach();
}

int Serve(const Config& config) {
  Logger log(config.log_level, config.log_format);
  if (std::getenv("GRPC_VERBOSITY") == nullptr) {
    ::gpr_set_log_function([](gpr_log_func_args*) {});  // errors are statuses
  }
  ::umask(077);
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGTERM);
  ::sigaddset(&signals, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);

  auto server = Server::Start(config, log);
  if (!server.ok()) return Fail(server.status(), kCannotStart);
  if (!config.ready_file.empty()) {
    const absl::Status written =
        WriteReadyFile(config.ready_file, (*server)->addresses());
    if (!written.ok()) return Fail(written, kCannotStart);
  }
  log.Info("serving",
           {{"addresses", absl::StrJoin((*server)->addresses(), ", ")},
            {"state", config.state_dir},
            {"version", GRAPHD_VERSION}});
  WaitForSignal(signals, log);
  (*server)->Drain();
  if (!config.ready_file.empty()) ::unlink(config.ready_file.c_str());
  log.Info("stopped");
  return 0;
}

int Main(int argc, char** argv) {
  CommandLine line;
  const int code = Parse(argc, argv, line);
  if (code >= 0) return code;
  const auto loaded =
      LoadConfig(line.config_file, line.settings,
                 [](const char* name) { return std::getenv(name); });
  if (!loaded.ok()) return Fail(loaded.status(), kUsage);
  if (line.print_config) {
    std::fputs(PrintConfig(*loaded).c_str(), stdout);
    return 0;
  }
  if (line.check) return 0;
  return Serve(loaded->config);
}

}  // namespace
}  // namespace graphd

int main(int argc, char** argv) { return graphd::Main(argc, argv); }
