// Large bytes as zstd files named by the digest of what they hold.
//
// A file is written under a temporary name, synced, renamed, and its folder
// synced: under its final name it is whole. What is read is checked against the
// name.
//
// Thread safety: thread-safe for different digests.
#ifndef GRAPHD_SERVER_STORE_BLOB_FOLDER_H_
#define GRAPHD_SERVER_STORE_BLOB_FOLDER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/base/digest.h"

namespace graphd {

class BlobFolder {
 public:
  // Makes the folder when it is not there and removes what a crash left under
  // temporary names.
  static absl::StatusOr<BlobFolder> Open(const std::string& path);

  // Durable once it returns. Writes nothing when a sound file is there already.
  // Errors: RESOURCE_EXHAUSTED (disk full), FAILED_PRECONDITION (no
  // permission), INTERNAL.
  absl::Status Put(const Digest& digest, absl::string_view bytes);
  // Errors: DATA_LOSS naming the digest (missing, torn or changed bytes).
  absl::StatusOr<std::string> Get(const Digest& digest) const;
  // Gone or never there is well.
  void Remove(const Digest& digest) const;
  // Digests of all files.
  std::vector<Digest> List() const;

  // Where the bytes of `digest` lie.
  std::string PathOf(const Digest& digest) const;

 private:
  explicit BlobFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace graphd

#endif  // GRAPHD_SERVER_STORE_BLOB_FOLDER_H_
