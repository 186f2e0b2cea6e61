// The PTX that real compilers wrote, and the vendor's tools, for tests.
//
// Thread safety: thread-safe.
#ifndef GRAPHD_TESTS_UNIT_PTX_CORPUS_H_
#define GRAPHD_TESTS_UNIT_PTX_CORPUS_H_

#include <string>
#include <vector>

#include "core/ptx/ast.h"

namespace graphd::ptx {

// Paths of tests/data/ptx/*.ptx, sorted.
std::vector<std::string> CorpusFiles();
std::string ReadFile(const std::string& path);

// `module` with every line number zero.
Module WithoutLines(Module module);

// "nvcc" or "ptxas" from CUDA_HOME, /usr/local/cuda or PATH; empty when absent.
std::string FindCudaTool(const std::string& name);

// What ptxas says of `text` for the target that it names; empty: accepted.
std::string PtxasComplaint(const std::string& text);

// Runs `command` and returns its exit status, its output in `output`.
int RunCommand(const std::string& command, std::string& output);

}  // namespace graphd::ptx

#endif  // GRAPHD_TESTS_UNIT_PTX_CORPUS_H_
