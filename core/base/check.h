// GRAPHD_CHECK stops the process when our own code broke its promise.
//
// Only for what our code guarantees: anything that a client, a file, a worker
// or a driver can cause is an absl::Status instead.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_BASE_CHECK_H_
#define GRAPHD_CORE_BASE_CHECK_H_

#include <cstdio>
#include <cstdlib>

#define GRAPHD_CHECK(condition)                                             \
  do {                                                                      \
    if (!(condition)) {                                                     \
      std::fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, \
                   #condition);                                             \
      std::abort();                                                         \
    }                                                                       \
  } while (false)

#endif  // GRAPHD_CORE_BASE_CHECK_H_
