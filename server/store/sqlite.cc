#include "server/store/sqlite.h"

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"

namespace graphd {

absl::Status SqliteStatus(sqlite3* connection, int result,
                          absl::string_view what) {
  if (result == SQLITE_OK || result == SQLITE_DONE || result == SQLITE_ROW) {
    return absl::OkStatus();
  }
  const std::string message =
      absl::StrCat("store: ", what, ": ",
                   connection == nullptr ? sqlite3_errstr(result)
                                         : sqlite3_errmsg(connection));
  switch (result & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return absl::DataLossError(message);
    case SQLITE_FULL:
    case SQLITE_NOMEM:
    case SQLITE_TOOBIG:
      return absl::ResourceExhaustedError(message);
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return absl::FailedPreconditionError(message);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return absl::UnavailableError(message);
    case SQLITE_IOERR:
      return absl::DataLossError(message);
    default:
      return absl::InternalError(message);
  }
}

SqlStatement::SqlStatement(sqlite3* connection, absl::string_view sql)
    : connection_(connection) {
  result_ =
      sqlite3_prepare_v2(connection, sql.data(), static_cast<int>(sql.size()),
                         &statement_, nullptr);
}

SqlStatement& SqlStatement::Text(absl::string_view value) {
  if (result_ == SQLITE_OK) {
    result_ = sqlite3_bind_text64(statement_, next_++, value.data(),
                                  value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }
  return *this;
}

SqlStatement& SqlStatement::Blob(absl::string_view value) {
  if (result_ == SQLITE_OK) {
    result_ = value.empty()
                  ? sqlite3_bind_zeroblob(statement_, next_++, 0)
                  : sqlite3_bind_blob64(statement_, next_++, value.data(),
                                        value.size(), SQLITE_TRANSIENT);
  }
  return *this;
}

SqlStatement& SqlStatement::Integer(int64_t value) {
  if (result_ == SQLITE_OK) {
    result_ = sqlite3_bind_int64(statement_, next_++, value);
  }
  return *this;
}

SqlStatement& SqlStatement::Null() {
  if (result_ == SQLITE_OK) result_ = sqlite3_bind_null(statement_, next_++);
  return *this;
}

absl::StatusOr<bool> SqlStatement::Step() {
  if (result_ == SQLITE_OK || result_ == SQLITE_ROW) {
    result_ = sqlite3_step(statement_);
  }
  if (result_ == SQLITE_ROW) return true;
  if (result_ == SQLITE_DONE) return false;
  return SqliteStatus(
      connection_, result_,
      statement_ == nullptr ? "statement" : sqlite3_sql(statement_));
}

absl::Status SqlStatement::Run() {
  while (true) {
    GRAPHD_ASSIGN_OR_RETURN(const bool row, Step());
    if (!row) return absl::OkStatus();
  }
}

std::string SqlStatement::BytesAt(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  if (data == nullptr || size <= 0) return "";
  return std::string(static_cast<const char*>(data), static_cast<size_t>(size));
}

int64_t SqlStatement::IntegerAt(int column) const {
  return sqlite3_column_int64(statement_, column);
}

bool SqlStatement::NullAt(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

absl::StatusOr<std::unique_ptr<SqlConnection>> SqlConnection::Open(
    const std::string& path) {
  sqlite3* raw = nullptr;
  const int result = sqlite3_open_v2(
      path.c_str(), &raw,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX,
      nullptr);
  std::unique_ptr<SqlConnection> connection(new SqlConnection(raw));
  GRAPHD_RETURN_IF_ERROR(
      SqliteStatus(raw, result, absl::StrCat("open \"", path, "\"")));
  sqlite3_extended_result_codes(raw, 1);
  sqlite3_busy_timeout(raw, 2000);
  GRAPHD_RETURN_IF_ERROR(
      connection->Execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; "
                          "PRAGMA foreign_keys=ON;"));
  return connection;
}

absl::Status SqlConnection::Execute(const std::string& sql) {
  return SqliteStatus(
      connection_,
      sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr),
      sql.substr(0, 60));
}

absl::StatusOr<std::unique_ptr<SqlTransaction>> SqlTransaction::Begin(
    SqlConnection& connection) {
  GRAPHD_RETURN_IF_ERROR(connection.Execute("BEGIN IMMEDIATE"));
  return std::unique_ptr<SqlTransaction>(new SqlTransaction(connection));
}

absl::Status SqlTransaction::Commit() {
  GRAPHD_RETURN_IF_ERROR(connection_.Execute("COMMIT"));
  open_ = false;
  return absl::OkStatus();
}

SqlTransaction::~SqlTransaction() {
  if (open_) (void)connection_.Execute("ROLLBACK");
}

}  // namespace graphd
