// The kernels that a graph's modules hold: parsed once, found by the names that
// nodes use, analysed when first found.
//
// A node's function is a PTX entry name, a name expression that NVRTC lowered,
// or the plain C++ name where only one entry has it.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_OPTIMIZE_KERNEL_TABLE_H_
#define GRAPHD_CORE_OPTIMIZE_KERNEL_TABLE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "core/graph/graph.h"
#include "core/graph/violation.h"
#include "core/optimize/compile.h"
#include "core/ptx/access_analysis.h"
#include "core/ptx/ast.h"

namespace graphd {

struct TableKernel {
  std::string entry;                              // name in the image
  const ptx::Function* code = nullptr;            // null: in a cubin
  std::shared_ptr<const ptx::KernelFacts> facts;  // null: in a cubin
};

class KernelTable {
 public:
  // Parses and checks each PTX image; findings name the module.
  // Requires: images.size() == graph.modules.size().
  KernelTable(const Graph& graph, const std::vector<ModuleImage>& images,
              Violations& violations);

  // Null, with a finding at `path` that lists what there is, when the module
  // has no such kernel; null without one when the module did not parse.
  const TableKernel* Find(ModuleId module, const std::string& function,
                          const std::string& path, Violations& violations);

  // Null: a cubin, or it did not parse.
  std::shared_ptr<const ptx::Module> parsed(ModuleId module) const {
    return modules_[module.index()].parsed;
  }
  // Names of module variables in global memory that code outside of entries
  // mentions: what a call may read or write.
  const std::vector<std::string>& variables_of_calls(ModuleId module);

 private:
  struct TableModule {
    std::shared_ptr<const ptx::Module> parsed;
    // By plain C++ name; null: several entries have it.
    absl::flat_hash_map<std::string, const ptx::Function*> plain_names;
    // By the name that a node uses; addresses stay.
    absl::node_hash_map<std::string, TableKernel> found;
    // By entry: two names of one entry share them.
    absl::flat_hash_map<const ptx::Function*,
                        std::shared_ptr<const ptx::KernelFacts>>
        facts;
    bool knows_calls = false;
    std::vector<std::string> variables_of_calls;
  };

  const ptx::Function* FindCode(const ModuleImage& image,
                                const TableModule& module,
                                const std::string& function,
                                std::string& why_not) const;

  const Graph& graph_;
  const std::vector<ModuleImage>& images_;
  std::vector<TableModule> modules_;
};

// "relu" for "_Z4reluPKfPfi" and for an instance of a template; the name itself
// when it is not mangled.
std::string PlainName(const std::string& entry);

}  // namespace graphd

#endif  // GRAPHD_CORE_OPTIMIZE_KERNEL_TABLE_H_
