// The store's schema and how an older one becomes the current one.
//
// PRAGMA user_version says which one a database has; 0 is an empty database.
// Each step runs in a transaction of its own, so a crash leaves one version or
// the next.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_SERVER_STORE_MIGRATIONS_H_
#define GRAPHD_SERVER_STORE_MIGRATIONS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/sqlite.h"

namespace graphd {

inline constexpr int kSchemaVersion = 2;

absl::StatusOr<int> ReadSchemaVersion(SqlConnection& connection);

// Brings the schema to `target`.
// Errors: FAILED_PRECONDITION (the database is of a newer graphd).
absl::Status Migrate(SqlConnection& connection, int target = kSchemaVersion);

}  // namespace graphd

#endif  // GRAPHD_SERVER_STORE_MIGRATIONS_H_
