// A thin skin over SQLite: a connection, statements that bind and step, and its
// errors as absl::Status.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_SERVER_STORE_SQLITE_H_
#define GRAPHD_SERVER_STORE_SQLITE_H_

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace graphd {

// Damage DATA_LOSS, a full disk RESOURCE_EXHAUSTED, a read-only one
// FAILED_PRECONDITION, another's lock UNAVAILABLE, the rest INTERNAL.
absl::Status SqliteStatus(sqlite3* connection, int result,
                          absl::string_view what);

// One use of a statement: bind by position from 1, then Step until it says
// false. Binding errors show at the first Step.
class SqlStatement {
 public:
  SqlStatement(sqlite3* connection, absl::string_view sql);
  ~SqlStatement() { sqlite3_finalize(statement_); }
  SqlStatement(const SqlStatement&) = delete;
  SqlStatement& operator=(const SqlStatement&) = delete;

  SqlStatement& Text(absl::string_view value);
  SqlStatement& Blob(absl::string_view value);
  SqlStatement& Integer(int64_t value);
  SqlStatement& Null();

  // True: a row is there. False: done.
  absl::StatusOr<bool> Step();
  // Steps to the end.
  absl::Status Run();

  // Columns of the row, from 0.
  std::string BytesAt(int column) const;
  int64_t IntegerAt(int column) const;
  bool NullAt(int column) const;

 private:
  sqlite3* connection_;
  sqlite3_stmt* statement_ = nullptr;
  int result_ = SQLITE_OK;
  int next_ = 1;
};

class SqlConnection {
 public:
  // WAL, full sync, foreign keys checked.
  static absl::StatusOr<std::unique_ptr<SqlConnection>> Open(
      const std::string& path);
  ~SqlConnection() { sqlite3_close(connection_); }
  SqlConnection(const SqlConnection&) = delete;
  SqlConnection& operator=(const SqlConnection&) = delete;

  absl::Status Execute(const std::string& sql);
  sqlite3* get() const { return connection_; }

 private:
  explicit SqlConnection(sqlite3* connection) : connection_(connection) {}
  sqlite3* connection_;
};

// Rolled back unless committed.
class SqlTransaction {
 public:
  static absl::StatusOr<std::unique_ptr<SqlTransaction>> Begin(
      SqlConnection& connection);
  ~SqlTransaction();
  absl::Status Commit();

 private:
  explicit SqlTransaction(SqlConnection& connection)
      : connection_(connection) {}
  SqlConnection& connection_;
  bool open_ = true;
};

}  // namespace graphd

#endif  // GRAPHD_SERVER_STORE_SQLITE_H_
