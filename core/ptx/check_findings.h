// The findings of one check, up to a limit, and what they are about.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_PTX_CHECK_FINDINGS_H_
#define GRAPHD_CORE_PTX_CHECK_FINDINGS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace graphd::ptx {

class CheckFindings {
 public:
  // `function` is empty for what stands outside all functions.
  void Add(absl::string_view function, int line, absl::string_view message) {
    ++count_;
    if (count_ > kLimit) return;
    absl::StrAppend(&text_, text_.empty() ? "" : "\n");
    if (!function.empty()) {
      absl::StrAppend(&text_, "function \"", function, "\", ");
    }
    absl::StrAppend(&text_, "line ", line, ": ", message);
  }

  absl::Status status() const {
    if (count_ == 0) return absl::OkStatus();
    const int more = count_ - kLimit;
    return absl::InvalidArgumentError(
        more > 0 ? absl::StrCat(text_, "\nand ", more, " more") : text_);
  }

 private:
  static constexpr int kLimit = 32;
  std::string text_;
  int count_ = 0;
};

}  // namespace graphd::ptx

#endif  // GRAPHD_CORE_PTX_CHECK_FINDINGS_H_
