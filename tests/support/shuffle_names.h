// The same PTX under other names: kernels, parameters, registers, labels and
// local variables renamed at random.
//
// Nothing in graphd may look at a name, so plans and answers must not change.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_TESTS_SUPPORT_SHUFFLE_NAMES_H_
#define GRAPHD_TESTS_SUPPORT_SHUFFLE_NAMES_H_

#include <cstdint>
#include <map>
#include <string>

#include "core/ptx/ast.h"

namespace graphd {

struct ShuffledModule {
  ptx::Module module;
  std::map<std::string, std::string> entries;  // old name -> new name
};

// Module variables keep their names: clients refer to them.
ShuffledModule ShuffleNames(const ptx::Module& module, uint64_t seed);

}  // namespace graphd

#endif  // GRAPHD_TESTS_SUPPORT_SHUFFLE_NAMES_H_
