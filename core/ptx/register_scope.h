// The registers visible at one place: those of a block, then of the blocks
// around it.
//
// ".reg .b32 t<3>" declares t0, t1 and t2 without storing three names.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_PTX_REGISTER_SCOPE_H_
#define GRAPHD_CORE_PTX_REGISTER_SCOPE_H_

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "core/ptx/ast.h"

namespace graphd::ptx {

class RegisterScope {
 public:
  // `outer` may be null; it and all declarations must outlive the scope.
  explicit RegisterScope(const RegisterScope* outer) : outer_(outer) {}

  // False when this scope has the name already.
  bool Declare(absl::string_view name, Type type, bool is_range,
               uint32_t count);
  bool Declare(const RegisterDeclaration& declaration);

  // Finds "%r3" or "%r3.x".
  std::optional<Type> Find(absl::string_view name) const;

 private:
  struct Entry {
    Type type = Type::kB32;
    uint32_t count = 0;
  };

  std::optional<Type> FindHere(absl::string_view name) const;

  const RegisterScope* outer_;
  absl::flat_hash_map<absl::string_view, Type> single_;
  absl::flat_hash_map<absl::string_view, Entry> ranges_;
};

}  // namespace graphd::ptx

#endif  // GRAPHD_CORE_PTX_REGISTER_SCOPE_H_
