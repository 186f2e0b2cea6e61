#include "server/store/migrations.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"

namespace graphd {
namespace {

// Element i brings version i to i + 1. Never change one that was released.
constexpr const char* kSteps[] = {
    // Graphs by digest, names with revisions.
    R"sql(
      CREATE TABLE graphs (
        digest BLOB PRIMARY KEY,
        definition BLOB,               -- NULL: in the blob folder
        definition_digest BLOB NOT NULL,
        summary BLOB NOT NULL,
        created_ns INTEGER NOT NULL
      ) WITHOUT ROWID;
      CREATE TABLE names (
        name TEXT PRIMARY KEY,
        last_revision INTEGER NOT NULL  -- never given twice
      ) WITHOUT ROWID;
      CREATE TABLE revisions (
        name TEXT NOT NULL REFERENCES names(name) ON DELETE CASCADE,
        revision INTEGER NOT NULL,
        digest BLOB NOT NULL REFERENCES graphs(digest),
        created_ns INTEGER NOT NULL,
        PRIMARY KEY (name, revision)
      ) WITHOUT ROWID;
      CREATE INDEX revisions_by_digest ON revisions(digest);
    )sql",
    // Answers to requests with an id.
    R"sql(
      CREATE TABLE requests (
        id TEXT PRIMARY KEY,
        content_digest BLOB NOT NULL,
        response BLOB NOT NULL,
        created_ns INTEGER NOT NULL
      ) WITHOUT ROWID;
      CREATE INDEX requests_by_time ON requests(created_ns);
    )sql",
};
static_assert(sizeof(kSteps) / sizeof(kSteps[0]) == kSchemaVersion);

}  // namespace

absl::StatusOr<int> ReadSchemaVersion(SqlConnection& connection) {
  SqlStatement query(connection.get(), "PRAGMA user_version");
  GRAPHD_ASSIGN_OR_RETURN(const bool row, query.Step());
  return row ? static_cast<int>(query.IntegerAt(0)) : 0;
}

absl::Status Migrate(SqlConnection& connection, int target) {
  GRAPHD_ASSIGN_OR_RETURN(int version, ReadSchemaVersion(connection));
  if (version > target) {
    return absl::FailedPreconditionError(absl::StrCat(
        "store: the database has schema ", version,
        "; this graphd knows schemas up to ", target, ": use a newer graphd"));
  }
  for (; version < target; ++version) {
    GRAPHD_ASSIGN_OR_RETURN(std::unique_ptr<SqlTransaction> transaction,
                            SqlTransaction::Begin(connection));
    GRAPHD_RETURN_IF_ERROR(connection.Execute(kSteps[version]));
    GRAPHD_RETURN_IF_ERROR(
        connection.Execute(absl::StrCat("PRAGMA user_version=", version + 1)));
    GRAPHD_RETURN_IF_ERROR(transaction->Commit());
  }
  return absl::OkStatus();
}

}  // namespace graphd
