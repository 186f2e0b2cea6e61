#include "tests/support/shuffle_names.h"

#include <random>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"

namespace graphd {
namespace {

// New names of one function's registers, labels, parameters and variables.
// Scopes are flattened: a name that is declared in two scopes gets the same new
// name in both, which keeps their relation.
class Renamer {
 public:
  Renamer(std::map<std::string, std::string> functions, std::mt19937_64& random)
      : functions_(std::move(functions)), random_(random) {}

  void Declare(const ptx::Function& function) {
    for (const ptx::Variable& param : function.params) Symbol(param.name);
    for (const ptx::Variable& result : function.results) Symbol(result.name);
    Declare(function.body);
  }

  void Apply(ptx::Function& function) {
    Rename(symbols_, function.params);
    Rename(symbols_, function.results);
    Apply(function.body);
  }

 private:
  std::string Fresh(absl::string_view prefix) {
    return absl::StrCat(prefix, "q", absl::Hex(random_() & 0xffffff), "_",
                        ++count_, "x");
  }
  void Symbol(const std::string& name) {
    if (symbols_.count(name) == 0) symbols_[name] = Fresh("$");
  }

  void Declare(const ptx::Block& block) {
    for (const ptx::Statement& statement : block.statements) {
      if (const auto* label = std::get_if<ptx::Label>(&statement)) {
        Symbol(label->name);
      } else if (const auto* variable =
                     std::get_if<ptx::Variable>(&statement)) {
        Symbol(variable->name);
      } else if (const auto* registers =
                     std::get_if<ptx::RegisterDeclaration>(&statement)) {
        auto& names = registers->count ? families_ : registers_;
        if (names.count(registers->name) == 0) {
          names[registers->name] = Fresh("%");
        }
      } else if (const auto* inner = std::get_if<ptx::Block>(&statement)) {
        Declare(*inner);
      }
    }
  }

  static void Rename(const std::map<std::string, std::string>& names,
                     std::vector<ptx::Variable>& variables) {
    for (ptx::Variable& variable : variables) {
      variable.name = names.at(variable.name);
    }
  }

  std::string Register(const std::string& name) const {
    // %v1.x: a component of a vector register.
    const size_t dot = name.find('.');
    const std::string base = name.substr(0, dot);
    const std::string rest = dot == std::string::npos ? "" : name.substr(dot);
    if (const auto it = registers_.find(base); it != registers_.end()) {
      return it->second + rest;
    }
    const size_t digits = base.find_last_not_of("0123456789") + 1;
    const auto family = families_.find(base.substr(0, digits));
    if (digits < base.size() && family != families_.end()) {
      return family->second + base.substr(digits) + rest;
    }
    return name;  // special: %tid.x
  }

  void Apply(ptx::Operand& operand) const {
    if (operand.kind == ptx::Operand::Kind::kRegister) {
      operand.text = Register(operand.text);
    } else if (operand.kind == ptx::Operand::Kind::kSymbol) {
      if (const auto it = symbols_.find(operand.text); it != symbols_.end()) {
        operand.text = it->second;
      } else if (const auto f = functions_.find(operand.text);
                 f != functions_.end()) {
        operand.text = f->second;
      }
    }
    for (ptx::Operand& element : operand.elements) Apply(element);
  }

  void Apply(ptx::Block& block) {
    for (ptx::Statement& statement : block.statements) {
      if (auto* instruction = std::get_if<ptx::Instruction>(&statement)) {
        if (!instruction->guard.empty()) {
          instruction->guard = Register(instruction->guard);
        }
        for (ptx::Operand& operand : instruction->operands) Apply(operand);
      } else if (auto* label = std::get_if<ptx::Label>(&statement)) {
        label->name = symbols_.at(label->name);
      } else if (auto* variable = std::get_if<ptx::Variable>(&statement)) {
        variable->name = symbols_.at(variable->name);
      } else if (auto* registers =
                     std::get_if<ptx::RegisterDeclaration>(&statement)) {
        registers->name =
            (registers->count ? families_ : registers_).at(registers->name);
      } else if (auto* inner = std::get_if<ptx::Block>(&statement)) {
        Apply(*inner);
      }
    }
  }

  std::map<std::string, std::string> functions_;
  std::map<std::string, std::string> symbols_;
  std::map<std::string, std::string> registers_;  // declared one by one
  std::map<std::string, std::string> families_;   // declared as %r<5>
  std::mt19937_64& random_;
  int count_ = 0;
};

}  // namespace

ShuffledModule ShuffleNames(const ptx::Module& module, uint64_t seed) {
  std::mt19937_64 random(seed);
  ShuffledModule shuffled{module, {}};
  for (const ptx::Function* entry : module.Entries()) {
    shuffled.entries[entry->name] = absl::StrCat(
        "k", absl::Hex(random() & 0xffffff), "_", shuffled.entries.size());
  }
  for (ptx::TopLevel& item : shuffled.module.items) {
    auto* function = std::get_if<ptx::Function>(&item);
    if (function == nullptr || !function->has_body) continue;
    Renamer renamer(shuffled.entries, random);
    renamer.Declare(*function);
    renamer.Apply(*function);
    if (const auto it = shuffled.entries.find(function->name);
        it != shuffled.entries.end()) {
      function->name = it->second;
    }
  }
  return shuffled;
}

}  // namespace graphd
