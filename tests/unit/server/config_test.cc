#include "server/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/unit/server/temporary_folder.h"

namespace graphd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Flags = std::map<std::string, std::vector<std::string>>;

class ConfigTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& toml) {
    const std::string path = folder_.path() + "/graphd.toml";
    std::ofstream(path) << toml;
    return path;
  }

  absl::StatusOr<LoadedConfig> Load(const std::string& file,
                                    const Flags& flags = {}) {
    return LoadConfig(file, flags, [this](const char* name) {
      const auto found = environment_.find(name);
      return found == environment_.end() ? nullptr : found->second.c_str();
    });
  }

  TemporaryFolder folder_;
  std::map<std::string, std::string> environment_;
};

TEST_F(ConfigTest, FlagsBeatTheEnvironmentWhichBeatsTheFile) {
  const std::string file = Write(
      "[devices]\nqueue = 1\nrun_limit = \"1s\"\nsoft_memory = \"1GiB\"\n");
  environment_["GRAPHD_DEVICES__QUEUE"] = "2";
  environment_["GRAPHD_DEVICES__RUN_LIMIT"] = "2s";
  const auto loaded = Load(file, {{"--queue", {"3"}}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->config.queue_capacity, 3u);
  EXPECT_EQ(loaded->config.run_limit, absl::Seconds(2));
  EXPECT_EQ(loaded->config.soft_memory_bytes, uint64_t{1} << 30);
  const std::string printed = PrintConfig(*loaded);
  EXPECT_THAT(printed, HasSubstr("queue = \"3\"  # flag"));
  EXPECT_THAT(printed, HasSubstr("run_limit = \"2s\"  # environment"));
  EXPECT_THAT(printed, HasSubstr("soft_memory = \"1GiB\"  # " + file));
  EXPECT_THAT(printed, HasSubstr("level = \"info\"  # default"));
}

TEST_F(ConfigTest, WhatIsPrintedCanBeRead) {
  const auto first = Load("", {{"--listen", {"unix:/a b", "127.0.0.1:0"}},
                               {"--device", {"soft0", "gpu1"}},
                               {"--state", {"/a\"b"}}});
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = Load(Write(PrintConfig(*first)));
  ASSERT_TRUE(second.ok()) << second.status();
  for (const Setting& setting : Settings()) {
    EXPECT_EQ(setting.get(first->config), setting.get(second->config))
        << setting.section << "." << setting.key;
  }
}

TEST_F(ConfigTest, AnUnknownSettingIsNamedWithItsLine) {
  const auto loaded = Load(Write("[server]\nstate = \"/s\"\nstat = \"/s\"\n"));
  EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(loaded.status().message()),
              HasSubstr("graphd.toml:3: server.stat: no such setting"));
}

TEST_F(ConfigTest, AFileThatIsNoTomlIsAnErrorWithItsLine) {
  const auto loaded = Load(Write("[server]\nstate = \n"));
  EXPECT_THAT(std::string(loaded.status().message()),
              HasSubstr("graphd.toml:2"));
  EXPECT_FALSE(Load(folder_.path() + "/absent.toml").ok());
}

TEST_F(ConfigTest, ValuesThatMakeNoSenseAreRefused) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"--queue", "0"},        {"--queue", "many"},
      {"--run-limit", "5"},    {"--run-limit", "-1s"},
      {"--run-limit", "48h"},  {"--soft-memory", "2GB"},
      {"--soft-memory", "0"},  {"--device", "cpu0"},
      {"--device", "soft"},    {"--log-level", "loud"},
      {"--log-format", "xml"}, {"--max-message", "99999999TiB"},
  };
  for (const auto& [flag, value] : bad) {
    const auto loaded = Load("", {{flag, {value}}});
    EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument)
        << flag << " " << value;
    EXPECT_THAT(std::string(loaded.status().message()), HasSubstr(flag));
  }
}

TEST_F(ConfigTest, SizesHaveUnits) {
  EXPECT_EQ(*ParseBytes("1000"), 1000u);
  EXPECT_EQ(*ParseBytes("64KiB"), 65536u);
  EXPECT_EQ(*ParseBytes("64MiB"), uint64_t{64} << 20);
  EXPECT_EQ(*ParseBytes("2GiB"), uint64_t{2} << 30);
  EXPECT_EQ(*ParseBytes("1TiB"), uint64_t{1} << 40);
}

TEST_F(ConfigTest, OnlyLoopbackAndUnixSocketsAreServed) {
  for (const char* good : {"127.0.0.1:7600", "127.1.2.3:0", "[::1]:1",
                           "localhost:80", "unix:/run/s", "unix:///run/s"}) {
    EXPECT_TRUE(CheckListenAddress(good).ok()) << good;
  }
  for (const char* bad :
       {"0.0.0.0:7600", "[::]:7600", "192.168.1.1:1", "example.org:1",
        "127.0.0.1", "127.0.0.1:70000", "127.evil.example.org:1", "unix:", "",
        ":7600", "127.0.0.1.example.org:1"}) {
    EXPECT_EQ(CheckListenAddress(bad).code(),
              absl::StatusCode::kInvalidArgument)
        << bad;
  }
  EXPECT_THAT(std::string(CheckListenAddress("0.0.0.0:1").message()),
              HasSubstr("without TLS"));
  EXPECT_THAT(
      std::string(
          CheckListenAddress("unix:/" + std::string(200, 'x')).message()),
      HasSubstr("201 bytes"));
}

TEST_F(ConfigTest, DefaultsFollowTheUsersFolders) {
  environment_["XDG_RUNTIME_DIR"] = folder_.path();
  environment_["XDG_STATE_HOME"] = folder_.path();
  const auto loaded = Load("");
  ASSERT_TRUE(loaded.ok());
  ASSERT_EQ(loaded->config.listen.size(), 2u);
  EXPECT_THAT(loaded->config.listen[0], HasSubstr("/graphd/graphd.sock"));
  EXPECT_EQ(loaded->config.listen[1], "127.0.0.1:7600");
  EXPECT_THAT(loaded->config.state_dir, HasSubstr("graphd"));
  EXPECT_THAT(loaded->config.worker_program, HasSubstr("/graphd-worker"));
}

}  // namespace
}  // namespace graphd
