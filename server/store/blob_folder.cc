#include "server/store/blob_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/base/descriptor.h"
#include "core/base/status_macros.h"

namespace graphd {
namespace {

namespace fs = std::filesystem;

constexpr absl::string_view kSuffix = ".zst";
constexpr absl::string_view kTemporaryPrefix = "tmp-";
constexpr int kCompressionLevel = 3;
// What a damaged file may make us allocate.
constexpr uint64_t kLargestBlobBytes = uint64_t{1} << 30;

absl::Status FileStatus(absl::string_view what, const std::string& path) {
  const int error = errno;
  const std::string message =
      absl::StrCat(what, " \"", path, "\": ", std::strerror(error));
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
      return absl::ResourceExhaustedError(message);
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::FailedPreconditionError(message);
    default:
      return absl::InternalError(message);
  }
}

absl::Status SyncFolder(const std::string& path) {
  const Descriptor folder(
      ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid() || ::fsync(folder.number()) != 0) {
    return FileStatus("sync", path);
  }
  return absl::OkStatus();
}

absl::Status WriteSynced(const std::string& path, absl::string_view bytes) {
  const Descriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.valid()) return FileStatus("create", path);
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.number(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return FileStatus("write", path);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  if (::fsync(file.number()) != 0) return FileStatus("sync", path);
  return absl::OkStatus();
}

std::string Hex(const Digest& digest) {
  return digest.ToString().substr(strlen("sha256:"));
}

}  // namespace

absl::StatusOr<BlobFolder> BlobFolder::Open(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) {
    errno = error.value();
    return FileStatus("create folder", path);
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    if (absl::StartsWith(entry.path().filename().string(), kTemporaryPrefix)) {
      std::error_code ignored;
      fs::remove(entry.path(), ignored);
    }
  }
  if (error) {
    errno = error.value();
    return FileStatus("read folder", path);
  }
  return BlobFolder(path);
}

std::string BlobFolder::PathOf(const Digest& digest) const {
  return absl::StrCat(path_, "/", Hex(digest), kSuffix);
}

absl::Status BlobFolder::Put(const Digest& digest, absl::string_view bytes) {
  const std::string path = PathOf(digest);
  if (::access(path.c_str(), F_OK) == 0 && Get(digest).ok()) {
    return absl::OkStatus();
  }
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  const size_t packed_bytes =
      ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(),
                    kCompressionLevel);
  if (ZSTD_isError(packed_bytes)) {
    return absl::InternalError(absl::StrCat(
        "compress ", digest.ToString(), ": ", ZSTD_getErrorName(packed_bytes)));
  }
  packed.resize(packed_bytes);
  static std::atomic<uint64_t> next{0};
  const std::string temporary = absl::StrCat(
      path_, "/", kTemporaryPrefix, ::getpid(), "-", next.fetch_add(1));
  absl::Status written = WriteSynced(temporary, packed);
  if (written.ok() && ::rename(temporary.c_str(), path.c_str()) != 0) {
    written = FileStatus("rename", temporary);
  }
  if (!written.ok()) {
    ::unlink(temporary.c_str());
    return written;
  }
  return SyncFolder(path_);
}

absl::StatusOr<std::string> BlobFolder::Get(const Digest& digest) const {
  const auto damaged = [&](absl::string_view why) {
    return absl::DataLossError(absl::StrCat("stored bytes ", digest.ToString(),
                                            " are damaged: ", why, " (",
                                            PathOf(digest), ")"));
  };
  std::ifstream file(PathOf(digest), std::ios::binary);
  if (!file) return damaged("the file cannot be opened");
  std::stringstream content;
  content << file.rdbuf();
  const std::string packed = content.str();
  const unsigned long long size =
      ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN ||
      size > kLargestBlobBytes) {
    return damaged("it is not a zstd frame of ours");
  }
  std::string bytes(static_cast<size_t>(size), '\0');
  const size_t got =
      ZSTD_decompress(bytes.data(), bytes.size(), packed.data(), packed.size());
  if (ZSTD_isError(got)) return damaged(ZSTD_getErrorName(got));
  if (got != bytes.size() || Sha256(bytes) != digest) {
    return damaged("its content has another digest");
  }
  return bytes;
}

void BlobFolder::Remove(const Digest& digest) const {
  ::unlink(PathOf(digest).c_str());
}

std::vector<Digest> BlobFolder::List() const {
  std::vector<Digest> digests;
  std::error_code ignored;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(path_, ignored)) {
    const std::string name = entry.path().filename().string();
    absl::string_view stem = name;
    if (!absl::ConsumeSuffix(&stem, kSuffix)) continue;
    auto digest = Digest::Parse(absl::StrCat("sha256:", stem));
    if (digest.ok()) digests.push_back(*digest);
  }
  return digests;
}

}  // namespace graphd
