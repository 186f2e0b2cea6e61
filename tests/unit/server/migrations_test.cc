#include "server/store/migrations.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/store/graph_store.h"
#include "tests/unit/server/temporary_folder.h"

namespace graphd {
namespace {

std::unique_ptr<SqlConnection> Open(const TemporaryFolder& folder) {
  auto connection = SqlConnection::Open(folder.path() + "/graphs.db");
  EXPECT_TRUE(connection.ok()) << connection.status();
  return *std::move(connection);
}

TEST(MigrationsTest, AnEmptyDatabaseGetsTheCurrentSchema) {
  const TemporaryFolder folder;
  auto connection = Open(folder);
  EXPECT_EQ(*ReadSchemaVersion(*connection), 0);
  ASSERT_TRUE(Migrate(*connection).ok());
  EXPECT_EQ(*ReadSchemaVersion(*connection), kSchemaVersion);
  EXPECT_TRUE(Migrate(*connection).ok());  // nothing left to do
}

TEST(MigrationsTest, EveryEarlierSchemaKeepsItsGraphs) {
  for (int version = 1; version < kSchemaVersion; ++version) {
    const TemporaryFolder folder;
    const std::string digest_hex(64, 'a');
    {
      auto connection = Open(folder);
      ASSERT_TRUE(Migrate(*connection, version).ok());
      ASSERT_EQ(*ReadSchemaVersion(*connection), version);
      ASSERT_TRUE(connection
                      ->Execute(absl::StrCat(
                          "INSERT INTO graphs VALUES (x'", digest_hex,
                          "', x'01', x'", Sha256("\x01").ToString().substr(7),
                          "', x'02', 3);", "INSERT INTO names VALUES ('n', 7);",
                          "INSERT INTO revisions VALUES ('n', 7, x'",
                          digest_hex, "', 4);"))
                      .ok());
    }
    auto store = GraphStore::Open(folder.path());
    ASSERT_TRUE(store.ok()) << store.status();
    const auto digest = (*store)->Resolve(*GraphReference::Parse("n@7"));
    ASSERT_TRUE(digest.ok()) << digest.status();
    EXPECT_EQ(digest->ToString(), "sha256:" + digest_hex);
    EXPECT_EQ(*(*store)->GetDefinition(*digest), "\x01");
  }
}

TEST(MigrationsTest, TheDatabaseOfANewerDaemonIsRefused) {
  const TemporaryFolder folder;
  auto connection = Open(folder);
  ASSERT_TRUE(
      connection
          ->Execute(absl::StrCat("PRAGMA user_version=", kSchemaVersion + 1))
          .ok());
  EXPECT_EQ(Migrate(*connection).code(), absl::StatusCode::kFailedPrecondition);
}

TEST(MigrationsTest, ATransactionThatIsNotCommittedLeavesNothing) {
  const TemporaryFolder folder;
  auto connection = Open(folder);
  {
    auto transaction = SqlTransaction::Begin(*connection);
    ASSERT_TRUE(transaction.ok());
    ASSERT_TRUE(connection->Execute("CREATE TABLE t (x)").ok());
  }
  EXPECT_FALSE(connection->Execute("SELECT * FROM t").ok());
}

}  // namespace
}  // namespace graphd
