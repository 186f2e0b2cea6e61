#include "server/store/graph_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "core/base/status_macros.h"
#include "server/store/migrations.h"

namespace graphd {
namespace {

constexpr size_t kLongestName = 200;
constexpr int kLockAttempts = 10;
constexpr absl::Duration kLockPause = absl::Milliseconds(20);
constexpr absl::string_view kNamedToken = "n:";
constexpr absl::string_view kDigestToken = "d:";

absl::string_view Raw(const Digest& digest) {
  return absl::string_view(reinterpret_cast<const char*>(digest.bytes.data()),
                           digest.bytes.size());
}

absl::StatusOr<Digest> FromRaw(absl::string_view raw) {
  Digest digest;
  if (raw.size() != digest.bytes.size()) {
    return absl::DataLossError(
        absl::StrCat("store: a digest of ", raw.size(), " bytes; expected 32"));
  }
  std::memcpy(digest.bytes.data(), raw.data(), raw.size());
  return digest;
}

absl::Status CannotUse(const std::string& path, absl::string_view why) {
  return absl::FailedPreconditionError(
      absl::StrCat("state folder \"", path, "\": ", why));
}

absl::StatusOr<Descriptor> LockFolder(const std::string& state_dir) {
  const std::string path = state_dir + "/lock";
  Descriptor lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock.valid()) return CannotUse(state_dir, std::strerror(errno));
  // A child of a daemon that was killed may hold the lock until its exec.
  bool locked = false;
  for (int attempt = 0; !locked && attempt < kLockAttempts; ++attempt) {
    if (attempt > 0) absl::SleepFor(kLockPause);
    locked = ::flock(lock.number(), LOCK_EX | LOCK_NB) == 0;
  }
  if (!locked) {
    char owner[32] = {};
    const ssize_t got = ::pread(lock.number(), owner, sizeof(owner) - 1, 0);
    return CannotUse(
        state_dir,
        absl::StrCat("another graphd uses it",
                     got > 0 ? absl::StrCat(" (process ", owner, ")") : ""));
  }
  const std::string pid = absl::StrCat(::getpid());
  if (::ftruncate(lock.number(), 0) != 0 ||
      ::pwrite(lock.number(), pid.data(), pid.size(), 0) < 0) {
    return CannotUse(state_dir, std::strerror(errno));
  }
  return lock;
}

}  // namespace

absl::Status CheckGraphName(absl::string_view name) {
  const auto allowed = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' ||
           c == '_' || c == '.' || c == '/';
  };
  if (name.empty() || name.size() > kLongestName ||
      !std::all_of(name.begin(), name.end(), allowed)) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", absl::CEscape(name.substr(0, 80)),
                     "\" is not a graph's name: expected 1 to ", kLongestName,
                     " letters, digits, '-', '_', '.', '/'"));
  }
  return absl::OkStatus();
}

absl::StatusOr<GraphReference> GraphReference::Parse(absl::string_view text) {
  GraphReference reference;
  if (absl::StartsWith(text, "sha256:")) {
    GRAPHD_ASSIGN_OR_RETURN(reference.digest, Digest::Parse(text));
    return reference;
  }
  const size_t at = text.find('@');
  reference.name = std::string(text.substr(0, at));
  if (!CheckGraphName(reference.name).ok() ||
      (at != absl::string_view::npos &&
       (!absl::SimpleAtoi(text.substr(at + 1), &reference.revision) ||
        reference.revision == 0))) {
    return absl::InvalidArgumentError(absl::StrCat(
        "\"", absl::CEscape(text.substr(0, 80)),
        "\" is not a reference to a graph: expected name, name@revision or "
        "sha256:…"));
  }
  return reference;
}

GraphStore::GraphStore(Descriptor lock, BlobFolder blobs,
                       std::unique_ptr<SqlConnection> connection)
    : lock_(std::move(lock)),
      blobs_(std::move(blobs)),
      connection_(std::move(connection)) {}

absl::StatusOr<std::unique_ptr<GraphStore>> GraphStore::Open(
    const std::string& state_dir) {
  std::error_code error;
  std::filesystem::create_directories(state_dir, error);
  if (error) return CannotUse(state_dir, error.message());
  GRAPHD_ASSIGN_OR_RETURN(Descriptor lock, LockFolder(state_dir));
  GRAPHD_ASSIGN_OR_RETURN(BlobFolder blobs,
                          BlobFolder::Open(state_dir + "/blobs"));
  GRAPHD_ASSIGN_OR_RETURN(auto connection,
                          SqlConnection::Open(state_dir + "/graphs.db"));
  GRAPHD_RETURN_IF_ERROR(Migrate(*connection));
  std::unique_ptr<GraphStore> store(
      new GraphStore(std::move(lock), std::move(blobs), std::move(connection)));
  GRAPHD_RETURN_IF_ERROR(store->RemoveOrphanBlobs());
  return store;
}

// A crash between a blob's rename and the commit leaves a blob that nothing
// names.
absl::Status GraphStore::RemoveOrphanBlobs() {
  std::set<Digest> named;
  SqlStatement query(
      connection_->get(),
      "SELECT definition_digest FROM graphs WHERE definition IS NULL");
  while (true) {
    GRAPHD_ASSIGN_OR_RETURN(const bool row, query.Step());
    if (!row) break;
    GRAPHD_ASSIGN_OR_RETURN(const Digest digest, FromRaw(query.BytesAt(0)));
    named.insert(digest);
  }
  for (const Digest& digest : blobs_.List()) {
    if (named.count(digest) == 0) blobs_.Remove(digest);
  }
  return absl::OkStatus();
}

absl::StatusOr<GraphStore::PutResult> GraphStore::Put(
    const Digest& digest, absl::string_view definition,
    absl::string_view summary, absl::string_view name, absl::Time now) {
  if (!name.empty()) GRAPHD_RETURN_IF_ERROR(CheckGraphName(name));
  const Digest definition_digest = Sha256(definition);
  std::lock_guard lock(mutex_);
  if (definition.size() > kInlineLimitBytes) {
    GRAPHD_RETURN_IF_ERROR(blobs_.Put(definition_digest, definition));
  }
  std::optional<Digest> replaced_blob;
  GRAPHD_ASSIGN_OR_RETURN(auto transaction,
                          SqlTransaction::Begin(*connection_));
  GRAPHD_ASSIGN_OR_RETURN(const PutResult result,
                          PutRows(digest, definition, definition_digest,
                                  summary, name, now, replaced_blob));
  GRAPHD_RETURN_IF_ERROR(transaction->Commit());
  if (replaced_blob.has_value()) blobs_.Remove(*replaced_blob);
  return result;
}

absl::StatusOr<GraphStore::PutResult> GraphStore::PutRows(
    const Digest& digest, absl::string_view definition,
    const Digest& definition_digest, absl::string_view summary,
    absl::string_view name, absl::Time now,
    std::optional<Digest>& replaced_blob) {
  PutResult result;
  {
    SqlStatement query(connection_->get(),
                       "SELECT definition_digest, definition IS NULL FROM "
                       "graphs WHERE digest = ?");
    GRAPHD_ASSIGN_OR_RETURN(result.existed, query.Blob(Raw(digest)).Step());
    if (result.existed && query.IntegerAt(1) != 0) {
      GRAPHD_ASSIGN_OR_RETURN(const Digest old, FromRaw(query.BytesAt(0)));
      if (old != definition_digest) replaced_blob = old;
    }
  }
  SqlStatement put(
      connection_->get(),
      "INSERT INTO graphs (digest, definition, definition_digest, summary, "
      "created_ns) VALUES (?, ?, ?, ?, ?) ON CONFLICT (digest) DO UPDATE SET "
      "definition = excluded.definition, definition_digest = "
      "excluded.definition_digest, summary = excluded.summary");
  put.Blob(Raw(digest));
  if (definition.size() > kInlineLimitBytes) {
    put.Null();
  } else {
    put.Blob(definition);
  }
  GRAPHD_RETURN_IF_ERROR(put.Blob(Raw(definition_digest))
                             .Blob(summary)
                             .Integer(absl::ToUnixNanos(now))
                             .Run());
  if (!name.empty()) {
    GRAPHD_ASSIGN_OR_RETURN(result.revision, PointName(name, digest, now));
  }
  return result;
}

absl::StatusOr<uint64_t> GraphStore::PointName(absl::string_view name,
                                               const Digest& digest,
                                               absl::Time now) {
  {
    SqlStatement latest(connection_->get(),
                        "SELECT revision, digest FROM revisions WHERE name = ? "
                        "ORDER BY revision DESC LIMIT 1");
    GRAPHD_ASSIGN_OR_RETURN(const bool row, latest.Text(name).Step());
    if (row && latest.BytesAt(1) == Raw(digest)) {
      return static_cast<uint64_t>(latest.IntegerAt(0));
    }
  }
  SqlStatement count(connection_->get(),
                     "INSERT INTO names (name, last_revision) VALUES (?, 1) ON "
                     "CONFLICT (name) DO UPDATE SET last_revision = "
                     "last_revision + 1 RETURNING last_revision");
  GRAPHD_ASSIGN_OR_RETURN(const bool row, count.Text(name).Step());
  if (!row) return absl::InternalError("store: a name got no revision");
  const int64_t revision = count.IntegerAt(0);
  GRAPHD_RETURN_IF_ERROR(count.Run());
  SqlStatement insert(connection_->get(),
                      "INSERT INTO revisions (name, revision, digest, "
                      "created_ns) VALUES (?, ?, ?, ?)");
  GRAPHD_RETURN_IF_ERROR(insert.Text(name)
                             .Integer(revision)
                             .Blob(Raw(digest))
                             .Integer(absl::ToUnixNanos(now))
                             .Run());
  return static_cast<uint64_t>(revision);
}

absl::StatusOr<Digest> GraphStore::Resolve(const GraphReference& reference) {
  std::lock_guard lock(mutex_);
  return ResolveLocked(reference);
}

absl::StatusOr<Digest> GraphStore::ResolveLocked(
    const GraphReference& reference) {
  if (reference.digest.has_value()) {
    SqlStatement query(connection_->get(),
                       "SELECT 1 FROM graphs WHERE digest = ?");
    GRAPHD_ASSIGN_OR_RETURN(const bool row,
                            query.Blob(Raw(*reference.digest)).Step());
    if (row) return *reference.digest;
    return absl::NotFoundError(
        absl::StrCat("no graph ", reference.digest->ToString()));
  }
  SqlStatement query(connection_->get(),
                     "SELECT digest FROM revisions WHERE name = ?1 AND (?2 = 0 "
                     "OR revision = ?2) ORDER BY revision DESC LIMIT 1");
  GRAPHD_ASSIGN_OR_RETURN(const bool row,
                          query.Text(reference.name)
                              .Integer(static_cast<int64_t>(reference.revision))
                              .Step());
  if (row) return FromRaw(query.BytesAt(0));
  return absl::NotFoundError(
      reference.revision == 0
          ? absl::StrCat("no graph named \"", reference.name, "\"")
          : absl::StrCat("graph \"", reference.name, "\" has no revision ",
                         reference.revision));
}

absl::StatusOr<GraphStore::Record> GraphStore::Get(const Digest& digest) {
  std::lock_guard lock(mutex_);
  return GetLocked(digest);
}

absl::StatusOr<GraphStore::Record> GraphStore::GetLocked(const Digest& digest) {
  SqlStatement query(connection_->get(),
                     "SELECT summary, created_ns FROM graphs WHERE digest = ?");
  GRAPHD_ASSIGN_OR_RETURN(const bool row, query.Blob(Raw(digest)).Step());
  if (!row) {
    return absl::NotFoundError(absl::StrCat("no graph ", digest.ToString()));
  }
  Record record{
      digest, query.BytesAt(0), absl::FromUnixNanos(query.IntegerAt(1)), {}};
  GRAPHD_RETURN_IF_ERROR(ReadRevisions(record));
  return record;
}

absl::Status GraphStore::ReadRevisions(Record& record) {
  SqlStatement query(
      connection_->get(),
      "SELECT name, revision, revision = (SELECT MAX(o.revision) FROM "
      "revisions o WHERE o.name = r.name) FROM revisions r WHERE digest = ? "
      "ORDER BY name, revision");
  query.Blob(Raw(record.digest));
  while (true) {
    GRAPHD_ASSIGN_OR_RETURN(const bool row, query.Step());
    if (!row) return absl::OkStatus();
    record.revisions.push_back({query.BytesAt(0),
                                static_cast<uint64_t>(query.IntegerAt(1)),
                                query.IntegerAt(2) != 0});
  }
}

absl::StatusOr<std::string> GraphStore::GetDefinition(const Digest& digest) {
  std::lock_guard lock(mutex_);
  SqlStatement query(
      connection_->get(),
      "SELECT definition, definition_digest FROM graphs WHERE digest = ?");
  GRAPHD_ASSIGN_OR_RETURN(const bool row, query.Blob(Raw(digest)).Step());
  if (!row) {
    return absl::NotFoundError(absl::StrCat("no graph ", digest.ToString()));
  }
  const auto named = [&](const absl::Status& status) {
    return absl::Status(status.code(), absl::StrCat("graph ", digest.ToString(),
                                                    ": ", status.message()));
  };
  const auto definition_digest = FromRaw(query.BytesAt(1));
  if (!definition_digest.ok()) return named(definition_digest.status());
  if (query.NullAt(0)) {
    auto bytes = blobs_.Get(*definition_digest);
    if (!bytes.ok()) return named(bytes.status());
    return bytes;
  }
  std::string bytes = query.BytesAt(0);
  if (Sha256(bytes) != *definition_digest) {
    return named(absl::DataLossError(
        "its stored definition is damaged: it has another digest"));
  }
  return bytes;
}

absl::StatusOr<GraphStore::Page> GraphStore::List(size_t page_size,
                                                  absl::string_view token) {
  Page page;
  std::string after = "";
  bool named = true;
  if (absl::ConsumePrefix(&token, kNamedToken)) {
    after = std::string(token);
  } else if (absl::ConsumePrefix(&token, kDigestToken)) {
    named = false;
    after = absl::HexStringToBytes(token);
  } else if (!token.empty()) {
    return absl::InvalidArgumentError("page_token is not one of ours");
  }
  std::lock_guard lock(mutex_);
  if (named) {
    SqlStatement query(
        connection_->get(),
        "SELECT name, MAX(revision), digest FROM revisions WHERE name > ? "
        "GROUP BY name ORDER BY name LIMIT ?");
    query.Text(after).Integer(static_cast<int64_t>(page_size) + 1);
    while (true) {
      GRAPHD_ASSIGN_OR_RETURN(const bool row, query.Step());
      if (!row) break;
      if (page.records.size() == page_size) {
        page.next_token = absl::StrCat(
            kNamedToken, page.records.back().revisions.front().name);
        return page;
      }
      GRAPHD_ASSIGN_OR_RETURN(const Digest digest, FromRaw(query.BytesAt(2)));
      GRAPHD_ASSIGN_OR_RETURN(Record record, GetLocked(digest));
      record.revisions = {
          {query.BytesAt(0), static_cast<uint64_t>(query.IntegerAt(1)), true}};
      page.records.push_back(std::move(record));
    }
    after.clear();
  }
  SqlStatement query(
      connection_->get(),
      "SELECT digest FROM graphs g WHERE digest > ? AND NOT EXISTS (SELECT 1 "
      "FROM revisions r WHERE r.digest = g.digest AND r.revision = (SELECT "
      "MAX(o.revision) FROM revisions o WHERE o.name = r.name)) ORDER BY "
      "digest LIMIT ?");
  query.Blob(after).Integer(
      static_cast<int64_t>(page_size - page.records.size()) + 1);
  while (true) {
    GRAPHD_ASSIGN_OR_RETURN(const bool row, query.Step());
    if (!row) return page;
    if (page.records.size() == page_size) {
      const Record& last = page.records.back();
      const bool unnamed = last.revisions.empty() || !last.revisions[0].latest;
      page.next_token =
          absl::StrCat(kDigestToken,
                       unnamed ? absl::BytesToHexString(Raw(last.digest)) : "");
      return page;
    }
    GRAPHD_ASSIGN_OR_RETURN(const Digest digest, FromRaw(query.BytesAt(0)));
    GRAPHD_ASSIGN_OR_RETURN(Record record, GetLocked(digest));
    page.records.push_back(std::move(record));
  }
}

absl::StatusOr<GraphStore::DeleteResult> GraphStore::Delete(
    const GraphReference& reference) {
  std::lock_guard lock(mutex_);
  GRAPHD_RETURN_IF_ERROR(ResolveLocked(reference).status());
  GRAPHD_ASSIGN_OR_RETURN(auto transaction,
                          SqlTransaction::Begin(*connection_));
  DeleteResult result;
  std::set<Digest> freed;
  if (reference.digest.has_value()) freed.insert(*reference.digest);
  {
    SqlStatement remove(
        connection_->get(),
        reference.digest.has_value()
            ? "DELETE FROM revisions WHERE digest = ?1 RETURNING digest"
            : "DELETE FROM revisions WHERE name = ?1 AND (?2 = 0 OR revision = "
              "?2) RETURNING digest");
    if (reference.digest.has_value()) {
      remove.Blob(Raw(*reference.digest));
    } else {
      remove.Text(reference.name)
          .Integer(static_cast<int64_t>(reference.revision));
    }
    while (true) {
      GRAPHD_ASSIGN_OR_RETURN(const bool row, remove.Step());
      if (!row) break;
      ++result.revisions;
      GRAPHD_ASSIGN_OR_RETURN(const Digest digest, FromRaw(remove.BytesAt(0)));
      freed.insert(digest);
    }
  }
  GRAPHD_RETURN_IF_ERROR(connection_->Execute(
      "DELETE FROM names WHERE NOT EXISTS (SELECT 1 FROM revisions r WHERE "
      "r.name = names.name)"));
  std::vector<Digest> blobs;
  for (const Digest& digest : freed) {
    SqlStatement remove(
        connection_->get(),
        "DELETE FROM graphs WHERE digest = ?1 AND NOT EXISTS (SELECT 1 FROM "
        "revisions r WHERE r.digest = ?1) RETURNING definition, "
        "definition_digest");
    // RETURNING definition IS NULL says 0 for a NULL in SQLite 3.40.
    GRAPHD_ASSIGN_OR_RETURN(const bool gone, remove.Blob(Raw(digest)).Step());
    if (!gone) continue;
    result.digests.push_back(digest);
    if (remove.NullAt(0)) {
      GRAPHD_ASSIGN_OR_RETURN(const Digest blob, FromRaw(remove.BytesAt(1)));
      blobs.push_back(blob);
    }
    GRAPHD_RETURN_IF_ERROR(remove.Run());
  }
  GRAPHD_RETURN_IF_ERROR(transaction->Commit());
  for (const Digest& blob : blobs) blobs_.Remove(blob);
  return result;
}

absl::StatusOr<std::optional<std::string>> GraphStore::FindAnswer(
    absl::string_view id, const Digest& content, absl::Time oldest) {
  std::lock_guard lock(mutex_);
  SqlStatement query(connection_->get(),
                     "SELECT content_digest, response FROM requests WHERE id = "
                     "? AND created_ns >= ?");
  GRAPHD_ASSIGN_OR_RETURN(
      const bool row, query.Text(id).Integer(absl::ToUnixNanos(oldest)).Step());
  if (!row) return std::nullopt;
  if (query.BytesAt(0) != Raw(content)) {
    return absl::InvalidArgumentError(
        absl::StrCat("request_id \"", absl::CEscape(id.substr(0, 80)),
                     "\" was used for another request"));
  }
  return query.BytesAt(1);
}

absl::Status GraphStore::KeepAnswer(absl::string_view id, const Digest& content,
                                    absl::string_view response,
                                    absl::Time now) {
  std::lock_guard lock(mutex_);
  GRAPHD_ASSIGN_OR_RETURN(auto transaction,
                          SqlTransaction::Begin(*connection_));
  SqlStatement put(connection_->get(),
                   "INSERT INTO requests (id, content_digest, response, "
                   "created_ns) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE "
                   "SET content_digest = excluded.content_digest, response = "
                   "excluded.response, created_ns = excluded.created_ns");
  GRAPHD_RETURN_IF_ERROR(put.Text(id)
                             .Blob(Raw(content))
                             .Blob(response)
                             .Integer(absl::ToUnixNanos(now))
                             .Run());
  SqlStatement prune(connection_->get(),
                     "DELETE FROM requests WHERE created_ns < ?");
  GRAPHD_RETURN_IF_ERROR(
      prune.Integer(absl::ToUnixNanos(now - absl::Hours(1))).Run());
  return transaction->Commit();
}

}  // namespace graphd
