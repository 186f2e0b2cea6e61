// What every command of graphctl shares: global flags, streams, the client.
//
// A command registers itself with the parser and leaves an action behind; main
// parses, runs the action, and turns its status into an exit code.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CLIENT_GRAPHCTL_COMMAND_H_
#define GRAPHD_CLIENT_GRAPHCTL_COMMAND_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/client.h"
#include "client/graphctl/exit_codes.h"
#include "client/graphctl/output.h"

namespace graphd::graphctl {

class Command {
 public:
  // An exit code, or an error that gets one.
  using Action = std::function<absl::StatusOr<int>()>;

  Command(std::ostream& out, std::ostream& err) : out_(out), err_(err) {}
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  // Adds -o, --endpoint, --timeout and -q.
  void AddGlobalFlags(CLI::App& app);
  // A verb of `parent` with examples under its help, and what it does.
  CLI::App* AddVerb(CLI::App& parent, const std::string& name,
                    const std::string& summary, const std::string& examples,
                    Action action);

  // Runs what the parsed command line asks for; prints its error, or the help
  // of a command that lacks its object.
  int Run(const CLI::App& app);
  void Fail(const absl::Status& status);

  // The daemon, at the endpoint that the rules give.
  absl::StatusOr<Client*> Daemon();
  // The format asked for, when this command has it; kTable when none is.
  absl::StatusOr<OutputFormat> FormatAmong(
      const std::vector<OutputFormat>& formats) const;
  // Prints `message` when the format is for programs.
  absl::StatusOr<bool> PrintMessage(const google::protobuf::Message& message,
                                    OutputFormat format);

  // Data.
  std::ostream& out() { return out_; }
  // Messages for people; silent with -q.
  void Say(absl::string_view line);

 private:
  std::ostream& out_;
  std::ostream& err_;
  std::string endpoint_flag_;
  std::string format_flag_;
  std::string timeout_flag_;
  bool quiet_ = false;
  Action action_;
  std::unique_ptr<Client> client_;
};

// An error that this machine found, not the daemon: exit code 2.
absl::Status Local(const absl::Status& status);
template <typename T>
absl::StatusOr<T> Local(absl::StatusOr<T> value) {
  if (value.ok()) return value;
  return Local(value.status());
}

// "x=x.npy" into name and value. Errors: usage, naming the flag.
absl::StatusOr<std::pair<std::string, std::string>> SplitBinding(
    absl::string_view flag, absl::string_view text);
// "1048576", "512,512" or "512x512". Errors: usage.
absl::StatusOr<std::vector<uint64_t>> ParseShape(absl::string_view text);
// Errors: usage, listing the types.
absl::StatusOr<ScalarType> ParseType(absl::string_view flag,
                                     absl::string_view text);

// The files of the commands.
void AddGraphCommands(CLI::App& app, Command& command);
void AddDescribeCommand(CLI::App& app, Command& command);
void AddExplainCommand(CLI::App& app, Command& command);
void AddRunCommand(CLI::App& app, Command& command);
void AddInspectCommand(CLI::App& app, Command& command);
void AddTensorCommands(CLI::App& app, Command& command);
void AddHealthCommand(CLI::App& app, Command& command);

}  // namespace graphd::graphctl

#endif  // GRAPHD_CLIENT_GRAPHCTL_COMMAND_H_
