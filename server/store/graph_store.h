// GraphStore keeps what must survive a crash: definitions by digest, names with
// revisions, answers to requests with an id.
//
// What a call has returned is on the disk. Definitions above 64 KiB lie in the
// blob folder, the rest in SQLite. One process uses a state folder at a time,
// by lock. Every definition is checked against its digest when it is read.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_SERVER_STORE_GRAPH_STORE_H_
#define GRAPHD_SERVER_STORE_GRAPH_STORE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/base/descriptor.h"
#include "core/base/digest.h"
#include "server/store/blob_folder.h"
#include "server/store/sqlite.h"

namespace graphd {

// `name`, `name@revision` or `sha256:…`, taken apart.
struct GraphReference {
  std::optional<Digest> digest;
  std::string name;
  uint64_t revision = 0;  // 0: the latest

  // Errors: INVALID_ARGUMENT saying what a reference looks like.
  static absl::StatusOr<GraphReference> Parse(absl::string_view text);
};

// Errors: INVALID_ARGUMENT: letters, digits, '-', '_', '.', '/', at most 200.
absl::Status CheckGraphName(absl::string_view name);

class GraphStore {
 public:
  static constexpr size_t kInlineLimitBytes = 64 << 10;

  struct Revision {
    std::string name;
    uint64_t revision = 0;
    bool latest = false;
  };
  struct Record {
    Digest digest;
    std::string summary;  // a serialized graphd.v1.GraphSummary
    absl::Time created;
    std::vector<Revision> revisions;  // by name, then revision
  };
  struct PutResult {
    uint64_t revision = 0;  // 0 without a name
    bool existed = false;
  };
  struct DeleteResult {
    uint64_t revisions = 0;
    std::vector<Digest> digests;
  };
  struct Page {
    std::vector<Record> records;
    std::string next_token;
  };

  // Makes `state_dir` when it is not there.
  // Errors: FAILED_PRECONDITION (another process has it, no permission, schema
  // of a newer graphd), DATA_LOSS.
  static absl::StatusOr<std::unique_ptr<GraphStore>> Open(
      const std::string& state_dir);

  // Stores a definition and, with a name, points it there; a name that points
  // there already gets no new revision. The newest definition of a digest wins:
  // it may differ in what the digest leaves out (hints, description).
  absl::StatusOr<PutResult> Put(const Digest& digest,
                                absl::string_view definition,
                                absl::string_view summary,
                                absl::string_view name, absl::Time now);
  // Errors: NOT_FOUND.
  absl::StatusOr<Digest> Resolve(const GraphReference& reference);
  absl::StatusOr<Record> Get(const Digest& digest);
  // The stored definition. Errors: NOT_FOUND, DATA_LOSS naming the digest.
  absl::StatusOr<std::string> GetDefinition(const Digest& digest);
  // Named graphs by name, then those without one by digest.
  // Errors: INVALID_ARGUMENT (token).
  absl::StatusOr<Page> List(size_t page_size, absl::string_view token);
  // Errors: NOT_FOUND.
  absl::StatusOr<DeleteResult> Delete(const GraphReference& reference);

  // The answer that was given to request `id` since `oldest`.
  // Errors: INVALID_ARGUMENT (it had another content).
  absl::StatusOr<std::optional<std::string>> FindAnswer(absl::string_view id,
                                                        const Digest& content,
                                                        absl::Time oldest);
  absl::Status KeepAnswer(absl::string_view id, const Digest& content,
                          absl::string_view response, absl::Time now);

 private:
  GraphStore(Descriptor lock, BlobFolder blobs,
             std::unique_ptr<SqlConnection> connection);
  absl::Status RemoveOrphanBlobs();
  absl::StatusOr<PutResult> PutRows(const Digest& digest,
                                    absl::string_view definition,
                                    const Digest& definition_digest,
                                    absl::string_view summary,
                                    absl::string_view name, absl::Time now,
                                    std::optional<Digest>& replaced_blob);
  absl::StatusOr<uint64_t> PointName(absl::string_view name,
                                     const Digest& digest, absl::Time now);
  absl::Status ReadRevisions(Record& record);
  absl::StatusOr<Record> GetLocked(const Digest& digest);
  absl::StatusOr<Digest> ResolveLocked(const GraphReference& reference);

  Descriptor lock_;
  BlobFolder blobs_;
  std::mutex mutex_;
  std::unique_ptr<SqlConnection> connection_;
};

}  // namespace graphd

#endif  // GRAPHD_SERVER_STORE_GRAPH_STORE_H_
