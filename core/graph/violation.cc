#include "core/graph/violation.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace graphd {

void Violations::Add(std::string path, std::string message) {
  if (found_.size() == kLimit) {
    ++dropped_;
    return;
  }
  found_.push_back({std::move(path), std::move(message)});
}

bool Violations::Has(absl::string_view path) const {
  for (const Violation& violation : found_) {
    if (violation.path == path) return true;
  }
  return false;
}

void Violations::Append(const Violations& other) {
  for (const Violation& violation : other.found_) {
    Add(violation.path, violation.message);
  }
  dropped_ += other.dropped_;
}

absl::Status Violations::ToStatus(absl::string_view subject) const {
  if (empty()) return absl::OkStatus();
  const size_t count = found_.size() + dropped_;
  std::string text = absl::StrCat(subject, " has ", count,
                                  count == 1 ? " finding" : " findings");
  for (const Violation& violation : found_) {
    absl::StrAppend(&text, "\n", violation.path, ": ", violation.message);
  }
  if (dropped_ > 0) absl::StrAppend(&text, "\nand ", dropped_, " more");
  return absl::InvalidArgumentError(text);
}

}  // namespace graphd
