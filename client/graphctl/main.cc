// graphctl: the command line of graphd.
#include <grpc/support/log.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdlib>
#include <iostream>

#include "client/graphctl/command.h"

namespace graphd::graphctl {
namespace {

// Outputs appear whole or not at all, so there is nothing to clean up.
void OnInterrupt(int) { ::_exit(kInterrupted); }

int Main(int argc, char** argv) {
  std::signal(SIGINT, OnInterrupt);
  if (std::getenv("GRPC_VERBOSITY") == nullptr) {
    ::gpr_set_log_function([](gpr_log_func_args*) {});  // errors are statuses
  }
  Command command(std::cout, std::cerr);
  CLI::App app("graphctl: submits GPU graphs to graphd, runs and explains them",
               "graphctl");
  app.set_version_flag("--version", "graphctl " GRAPHD_VERSION);
  app.footer(
      "\nGRAPH is a name, name@revision or sha256:...; \"-\" is a standard "
      "stream.\nExit codes: 0 done, 1 the answer is no, 2 usage, 3 timed out, "
      "4 partial,\n64 + N status N of graphd, 130 interrupted.");
  command.AddGlobalFlags(app);
  AddGraphCommands(app, command);
  AddDescribeCommand(app, command);
  AddRunCommand(app, command);
  AddExplainCommand(app, command);
  AddInspectCommand(app, command);
  AddTensorCommands(app, command);
  AddHealthCommand(app, command);
  command.AddVerb(app, "version", "The version of graphctl",
                  "  graphctl version", [&command] {
                    command.out() << "graphctl " GRAPHD_VERSION "\n";
                    return absl::StatusOr<int>(kDone);
                  });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    std::cerr << "error: " << error.what() << "\nhint: see --help\n";
    return kUsage;
  }
  return command.Run(app);
}

}  // namespace
}  // namespace graphd::graphctl

int main(int argc, char** argv) { return graphd::graphctl::Main(argc, argv); }
