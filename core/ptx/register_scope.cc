#include "core/ptx/register_scope.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"

namespace graphd::ptx {

bool RegisterScope::Declare(absl::string_view name, Type type, bool is_range,
                            uint32_t count) {
  if (is_range) return ranges_.try_emplace(name, Entry{type, count}).second;
  if (FindHere(name)) return false;
  return single_.emplace(name, type).second;
}

bool RegisterScope::Declare(const RegisterDeclaration& declaration) {
  return Declare(declaration.name, declaration.type,
                 declaration.count.has_value(), declaration.count.value_or(0));
}

std::optional<Type> RegisterScope::Find(absl::string_view name) const {
  name = name.substr(0, name.find('.'));
  for (const RegisterScope* scope = this; scope != nullptr;
       scope = scope->outer_) {
    if (const std::optional<Type> type = scope->FindHere(name)) return type;
  }
  return std::nullopt;
}

std::optional<Type> RegisterScope::FindHere(absl::string_view name) const {
  const auto single = single_.find(name);
  if (single != single_.end()) return single->second;
  if (ranges_.empty()) return std::nullopt;
  // A range's own name may end in digits: t1<5> declares t10 to t14.
  constexpr size_t kMaxDigits = 10;
  for (size_t digits = 1; digits <= kMaxDigits && digits < name.size();
       ++digits) {
    const absl::string_view number = name.substr(name.size() - digits);
    if (!absl::ascii_isdigit(static_cast<unsigned char>(number[0]))) break;
    if (number[0] == '0' && digits > 1) continue;
    const auto range = ranges_.find(name.substr(0, name.size() - digits));
    uint32_t index = 0;
    if (range != ranges_.end() && absl::SimpleAtoi(number, &index) &&
        index < range->second.count) {
      return range->second.type;
    }
  }
  return std::nullopt;
}

}  // namespace graphd::ptx
