// Early return for absl::Status and absl::StatusOr, which Debian's Abseil does
// not provide.
//
// Thread safety: immutable (macros only).
#ifndef GRAPHD_CORE_BASE_STATUS_MACROS_H_
#define GRAPHD_CORE_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Returns from the enclosing function when `expr` is not OK.
#define GRAPHD_RETURN_IF_ERROR(expr)                                \
  do {                                                              \
    if (absl::Status graphd_status = (expr); !graphd_status.ok()) { \
      return graphd_status;                                         \
    }                                                               \
  } while (false)

#define GRAPHD_CONCAT_INNER(a, b) a##b
#define GRAPHD_CONCAT(a, b) GRAPHD_CONCAT_INNER(a, b)

// Evaluates `expr` (a StatusOr), returns its error, or moves its value into
// `lhs`.
#define GRAPHD_ASSIGN_OR_RETURN(lhs, expr) \
  GRAPHD_ASSIGN_OR_RETURN_IMPL(GRAPHD_CONCAT(graphd_or_, __LINE__), lhs, expr)
#define GRAPHD_ASSIGN_OR_RETURN_IMPL(tmp, lhs, expr) \
  auto tmp = (expr);                                 \
  if (!tmp.ok()) return tmp.status();                \
  lhs = *std::move(tmp)

#endif  // GRAPHD_CORE_BASE_STATUS_MACROS_H_
