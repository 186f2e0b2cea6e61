// health: whether graphd, a service or a device serves.
#include "absl/strings/str_cat.h"
#include "client/graphctl/command.h"
#include "core/base/status_macros.h"

namespace graphd::graphctl {
namespace {

absl::StatusOr<int> Health(Command& command, const std::string& service) {
  GRAPHD_ASSIGN_OR_RETURN(
      const OutputFormat format,
      command.FormatAmong({OutputFormat::kTable, OutputFormat::kJson,
                           OutputFormat::kJsonLines, OutputFormat::kYaml}));
  GRAPHD_ASSIGN_OR_RETURN(Client * daemon, command.Daemon());
  GRAPHD_ASSIGN_OR_RETURN(const auto response, daemon->CheckHealth(service));
  const bool serving =
      response.status() == grpc::health::v1::HealthCheckResponse::SERVING;
  GRAPHD_ASSIGN_OR_RETURN(const bool printed,
                          command.PrintMessage(response, format));
  if (!printed) {
    command.out() << (service.empty() ? "graphd" : service)
                  << (serving ? " is serving\n" : " is not serving\n");
  }
  return serving ? kDone : kAnswerIsNo;
}

}  // namespace

void AddHealthCommand(CLI::App& app, Command& command) {
  auto service = std::make_shared<std::string>();
  command
      .AddVerb(app, "health", "Whether graphd serves; exit 0: yes, 1: no",
               "  graphctl health\n  graphctl health soft0\n"
               "  graphctl health graphd.v1.ExecutionService",
               [&command, service] { return Health(command, *service); })
      ->add_option("SERVICE", *service, "a service or a device; else graphd");
}

}  // namespace graphd::graphctl
