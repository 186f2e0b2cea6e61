#include "core/optimize/kernel_table.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "core/base/check.h"
#include "core/graph/validation.h"
#include "core/ptx/check.h"
#include "core/ptx/parser.h"

namespace graphd {
namespace {

constexpr size_t kMostNamesListed = 16;

std::string ListOf(const std::vector<const ptx::Function*>& entries) {
  if (entries.empty()) return "it has none";
  std::string text = "it has ";
  for (size_t i = 0; i < entries.size() && i < kMostNamesListed; ++i) {
    const std::string& name = entries[i]->name;
    const std::string plain = PlainName(name);
    absl::StrAppend(&text, i == 0 ? "" : ", ", Quoted(name),
                    plain == name ? "" : absl::StrCat(" (", plain, ")"));
  }
  if (entries.size() > kMostNamesListed) {
    absl::StrAppend(&text, " and ", entries.size() - kMostNamesListed, " more");
  }
  return text;
}

std::string CodePath(const Graph& graph, size_t module) {
  return Field(
      At("modules", module),
      graph.modules[module].kind == ModuleKind::kPtx ? "ptx" : "cuda_source");
}

void CollectSymbols(const ptx::Operand& operand, std::set<std::string>& names) {
  if (operand.kind == ptx::Operand::Kind::kSymbol) names.insert(operand.text);
  for (const ptx::Operand& element : operand.elements) {
    CollectSymbols(element, names);
  }
}

void CollectSymbols(const ptx::Block& block, std::set<std::string>& names) {
  for (const ptx::Statement& statement : block.statements) {
    if (const auto* inner = std::get_if<ptx::Block>(&statement)) {
      CollectSymbols(*inner, names);
    } else if (const auto* code = std::get_if<ptx::Instruction>(&statement)) {
      for (const ptx::Operand& operand : code->operands) {
        CollectSymbols(operand, names);
      }
    }
  }
}

}  // namespace

std::string PlainName(const std::string& entry) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(
      abi::__cxa_demangle(entry.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0) return entry;
  // "void scale<float>(float*)": up to the arguments, after the result.
  const absl::string_view text(demangled.get());
  const absl::string_view name = text.substr(0, text.find_first_of("(<"));
  const size_t space = name.rfind(' ');
  return std::string(space == absl::string_view::npos ? name
                                                      : name.substr(space + 1));
}

KernelTable::KernelTable(const Graph& graph,
                         const std::vector<ModuleImage>& images,
                         Violations& violations)
    : graph_(graph), images_(images), modules_(images.size()) {
  GRAPHD_CHECK(images.size() == graph.modules.size());
  for (size_t i = 0; i < images.size(); ++i) {
    if (images[i].kind != ImageKind::kPtx) continue;
    const auto report = [&](const absl::Status& status) {
      violations.Add(CodePath(graph, i),
                     absl::StrCat("module ", Quoted(graph.modules[i].name),
                                  ": ", status.message()));
    };
    absl::StatusOr<ptx::Module> parsed = ptx::Parse(images[i].code);
    if (!parsed.ok()) {
      report(parsed.status());
      continue;
    }
    if (const absl::Status checked = ptx::Check(*parsed); !checked.ok()) {
      report(checked);
      continue;
    }
    TableModule& module = modules_[i];
    module.parsed = std::make_shared<const ptx::Module>(*std::move(parsed));
    for (const ptx::Function* entry : module.parsed->Entries()) {
      const auto [it, is_new] =
          module.plain_names.emplace(PlainName(entry->name), entry);
      if (!is_new) it->second = nullptr;
    }
  }
}

const ptx::Function* KernelTable::FindCode(const ModuleImage& image,
                                           const TableModule& module,
                                           const std::string& function,
                                           std::string& why_not) const {
  const auto entry = [&](const std::string& name) -> const ptx::Function* {
    const ptx::Function* found = module.parsed->FindEntry(name);
    return found != nullptr && found->has_body ? found : nullptr;
  };
  if (const ptx::Function* exact = entry(function)) return exact;
  for (const auto& [expression, lowered] : image.lowered_names) {
    if (expression != function) continue;
    if (const ptx::Function* found = entry(lowered)) return found;
  }
  const auto plain = module.plain_names.find(function);
  if (plain != module.plain_names.end()) {
    if (plain->second != nullptr) return plain->second;
    why_not = "several kernels have that name";
  }
  return nullptr;
}

const TableKernel* KernelTable::Find(ModuleId id, const std::string& function,
                                     const std::string& path,
                                     Violations& violations) {
  TableModule& module = modules_[id.index()];
  const ModuleImage& image = images_[id.index()];
  if (image.kind == ImageKind::kPtx && module.parsed == nullptr) return nullptr;
  const auto known = module.found.find(function);
  if (known != module.found.end()) return &known->second;
  TableKernel kernel;
  if (image.kind != ImageKind::kPtx) {
    kernel.entry = function;
  } else {
    std::string why_not;
    kernel.code = FindCode(image, module, function, why_not);
    if (kernel.code == nullptr) {
      violations.Add(path,
                     absl::StrCat("module ", Quoted(graph_.module(id).name),
                                  " has no kernel ", Quoted(function),
                                  why_not.empty() ? "" : ": ", why_not, "; ",
                                  ListOf(module.parsed->Entries())));
      return nullptr;
    }
    kernel.entry = kernel.code->name;
    std::shared_ptr<const ptx::KernelFacts>& facts = module.facts[kernel.code];
    if (facts == nullptr) {
      facts = std::make_shared<const ptx::KernelFacts>(
          ptx::AnalyzeAccesses(*module.parsed, *kernel.code));
    }
    kernel.facts = facts;
  }
  return &module.found.emplace(function, std::move(kernel)).first->second;
}

const std::vector<std::string>& KernelTable::variables_of_calls(ModuleId id) {
  TableModule& module = modules_[id.index()];
  if (module.knows_calls || module.parsed == nullptr) {
    return module.variables_of_calls;
  }
  module.knows_calls = true;
  std::set<std::string> names;
  for (const ptx::TopLevel& item : module.parsed->items) {
    const auto* function = std::get_if<ptx::Function>(&item);
    if (function != nullptr && !function->is_entry) {
      CollectSymbols(function->body, names);
    }
  }
  for (const std::string& name : names) {
    const ptx::Variable* variable = module.parsed->FindVariable(name);
    if (variable != nullptr && variable->space == ptx::Space::kGlobal) {
      module.variables_of_calls.push_back(name);
    }
  }
  return module.variables_of_calls;
}

}  // namespace graphd
