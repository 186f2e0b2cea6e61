// Removes what nobody needs from code without branches but to its end: results
// that nobody reads, and second computations of a value.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_CORE_PTX_DEAD_CODE_H_
#define GRAPHD_CORE_PTX_DEAD_CODE_H_

#include <functional>
#include <string>
#include <vector>

#include "core/ptx/ast.h"

namespace graphd::ptx {

// Drops loads and computations whose results are not read later. Stores,
// branches and whatever is not known to compute only stay.
void RemoveDeadCode(std::vector<Instruction>& code);

// Where two instructions compute the same from the same, the second goes and
// its readers read the first's register; copies of registers go likewise.
// Loads from memory stay. `type_of` gives the declared type of a register:
// only registers of one type stand for each other.
void ShareEqualValues(
    std::vector<Instruction>& code,
    const std::function<Type(const std::string& reg)>& type_of);

}  // namespace graphd::ptx

#endif  // GRAPHD_CORE_PTX_DEAD_CODE_H_
