#include "client/graphctl/endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace graphd::graphctl {
namespace {

using ::testing::HasSubstr;

struct Machine {
  std::map<std::string, std::string> variables;
  std::map<std::string, std::string> files;
  std::set<std::string> sockets;

  Surroundings surroundings() const {
    Surroundings result;
    result.variable = [this](const std::string& name) {
      const auto found = variables.find(name);
      return found == variables.end() ? "" : found->second;
    };
    result.is_socket = [this](const std::string& path) {
      return sockets.count(path) > 0;
    };
    result.read_file =
        [this](const std::string& path) -> absl::StatusOr<std::string> {
      const auto found = files.find(path);
      if (found == files.end()) return absl::NotFoundError(path);
      return found->second;
    };
    return result;
  }
  std::string Address(const std::string& flag = "") const {
    const auto endpoint = ResolveEndpoint(flag, surroundings());
    return endpoint.ok() ? endpoint->address
                         : std::string(endpoint.status().message());
  }
};

constexpr char kContexts[] = R"(
current = "lab"
[contexts.lab]
endpoint = "unix:/lab.sock"
)";

TEST(EndpointTest, AFlagBeatsTheEnvironmentWhichBeatsTheFileWhichBeatsASocket) {
  Machine machine;
  EXPECT_EQ(machine.Address(), "127.0.0.1:7600");
  machine.variables["XDG_RUNTIME_DIR"] = "/run/user/7";
  machine.sockets = {"/run/user/7/graphd/graphd.sock"};
  EXPECT_EQ(machine.Address(), "unix:/run/user/7/graphd/graphd.sock");
  machine.sockets.insert("/run/graphd/graphd.sock");
  EXPECT_EQ(machine.Address(), "unix:/run/graphd/graphd.sock");
  machine.variables["HOME"] = "/home/u";
  machine.files["/home/u/.config/graphd/contexts.toml"] = kContexts;
  EXPECT_EQ(machine.Address(), "unix:/lab.sock");
  machine.variables["GRAPHD_ENDPOINT"] = "127.0.0.1:1";
  EXPECT_EQ(machine.Address(), "127.0.0.1:1");
  EXPECT_EQ(machine.Address("[::1]:2"), "[::1]:2");
}

TEST(EndpointTest, TheContextFileLiesUnderXdgConfigHome) {
  Machine machine;
  machine.variables["HOME"] = "/home/u";
  machine.variables["XDG_CONFIG_HOME"] = "/etc/u";
  machine.files["/home/u/.config/graphd/contexts.toml"] = "not read";
  machine.files["/etc/u/graphd/contexts.toml"] = kContexts;
  EXPECT_EQ(machine.Address(), "unix:/lab.sock");
}

TEST(EndpointTest, AContextFileThatIsWrongIsNamedWithItsLine) {
  Machine machine;
  machine.variables["XDG_CONFIG_HOME"] = "/c";
  std::string& file = machine.files["/c/graphd/contexts.toml"];
  file = "current = \n";
  EXPECT_THAT(machine.Address(), HasSubstr("/c/graphd/contexts.toml:1:"));
  file = "current = \"gone\"\n";
  EXPECT_THAT(machine.Address(), HasSubstr("[contexts.gone]"));
  file = "current = 3\n";
  EXPECT_THAT(machine.Address(), HasSubstr("the name of a context"));
  file = "current = \"a\"\n[contexts.a]\nendpoint = \"nowhere\"\n";
  EXPECT_THAT(machine.Address(), HasSubstr("context a: \"nowhere\" is not an"));
  file = "[contexts.a]\nendpoint = \"unix:/a\"\n";
  EXPECT_EQ(machine.Address(), "127.0.0.1:7600");
}

TEST(EndpointTest, AddressesAreCheckedAndPathsAreUnixSockets) {
  EXPECT_EQ(*ParseEndpoint("/a/b.sock"), "unix:/a/b.sock");
  EXPECT_EQ(*ParseEndpoint("unix:///a/b.sock"), "unix:/a/b.sock");
  EXPECT_EQ(*ParseEndpoint("localhost:7600"), "localhost:7600");
  for (const char* wrong :
       {"", "host", "host:", ":7600", "host:0", "host:65536", "http://host:80",
        "unix:", "::1:80"}) {
    EXPECT_FALSE(ParseEndpoint(wrong).ok()) << wrong;
  }
  EXPECT_THAT(
      std::string(
          ParseEndpoint("/" + std::string(200, 'a')).status().message()),
      HasSubstr("at most 107 bytes"));
}

}  // namespace
}  // namespace graphd::graphctl
