// A folder of one's own, removed at the end.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_TESTS_UNIT_SERVER_TEMPORARY_FOLDER_H_
#define GRAPHD_TESTS_UNIT_SERVER_TEMPORARY_FOLDER_H_

#include <stdlib.h>

#include <filesystem>
#include <string>

namespace graphd {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    path_ = (std::filesystem::temp_directory_path() / "graphd-unit.XXXXXX")
                .string();
    if (mkdtemp(path_.data()) == nullptr) abort();
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace graphd

#endif  // GRAPHD_TESTS_UNIT_SERVER_TEMPORARY_FOLDER_H_
