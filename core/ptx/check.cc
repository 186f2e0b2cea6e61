#include "core/ptx/check.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/ptx/check_findings.h"
#include "core/ptx/check_operands.h"
#include "core/ptx/opcodes.h"
#include "core/ptx/register_scope.h"

namespace graphd::ptx {
namespace {

using NameSet = absl::flat_hash_set<absl::string_view>;

std::string Quoted(absl::string_view name) {
  return absl::StrCat("\"", name, "\"");
}

// One block's names; labels may be used before they stand.
struct Scope {
  explicit Scope(const Scope* outer_scope)
      : outer(outer_scope),
        registers(outer_scope == nullptr ? nullptr : &outer_scope->registers) {}

  const Scope* outer;
  RegisterScope registers;
  NameSet labels;
  NameSet variables;

  bool HasLabel(absl::string_view name) const {
    return labels.contains(name) || (outer != nullptr && outer->HasLabel(name));
  }
  bool HasVariable(absl::string_view name) const {
    return variables.contains(name) ||
           (outer != nullptr && outer->HasVariable(name));
  }
};

class FunctionChecker {
 public:
  FunctionChecker(const NameSet& module_names, const Function& function,
                  CheckFindings& findings)
      : module_names_(module_names), function_(function), findings_(findings) {}

  void Run() {
    Scope scope(nullptr);
    for (const auto* list : {&function_.results, &function_.params}) {
      for (const Variable& param : *list) {
        if (param.name == "_") continue;
        const bool fresh =
            param.space == Space::kReg
                ? scope.registers.Declare(param.name, param.type, false, 0)
                : scope.variables.insert(param.name).second;
        if (!fresh) Twice("parameter", param.name, param.line);
      }
    }
    if (function_.has_body) CheckBlock(function_.body, std::move(scope));
  }

 private:
  void Add(int line, absl::string_view message) {
    findings_.Add(function_.name, line, message);
  }
  void Twice(absl::string_view what, absl::string_view name, int line) {
    Add(line, absl::StrCat("expected a new name for a ", what, ", found ",
                           Quoted(name), ", which is declared already"));
  }

  void Declare(const Statement& statement, Scope& scope) {
    if (const auto* registers = std::get_if<RegisterDeclaration>(&statement)) {
      if (scope.variables.contains(registers->name) ||
          !scope.registers.Declare(*registers)) {
        Twice("register", registers->name, registers->line);
      }
    } else if (const auto* variable = std::get_if<Variable>(&statement)) {
      if (!scope.variables.insert(variable->name).second) {
        Twice("variable", variable->name, variable->line);
      }
    }
  }

  void CheckBlock(const Block& block, Scope scope) {
    for (const Statement& statement : block.statements) {
      const auto* label = std::get_if<Label>(&statement);
      if (label != nullptr && !scope.labels.insert(label->name).second) {
        Twice("label", label->name, label->line);
      }
    }
    for (const Statement& statement : block.statements) {
      if (const auto* inner = std::get_if<Block>(&statement)) {
        CheckBlock(*inner, Scope(&scope));
      } else if (const auto* i = std::get_if<Instruction>(&statement)) {
        CheckInstruction(*i, scope);
      } else {
        Declare(statement, scope);
      }
    }
  }

  void CheckInstruction(const Instruction& instruction, const Scope& scope) {
    if (!instruction.guard.empty()) {
      const std::optional<Type> type = scope.registers.Find(instruction.guard);
      if (!type) {
        Undeclared("register", instruction.guard, instruction.line);
      } else if (*type != Type::kPred) {
        Add(instruction.line,
            absl::StrCat("expected a predicate as the guard, found ",
                         instruction.guard, " of type ", Name(*type)));
      }
    }
    for (const Operand& operand : instruction.operands) {
      CheckNames(operand, instruction, scope);
    }
    const bool branch = instruction.opcode == "bra";
    if (branch && instruction.operands.size() == 1 &&
        instruction.operands[0].kind == Operand::Kind::kSymbol &&
        !scope.HasLabel(instruction.operands[0].text)) {
      Add(instruction.line,
          absl::StrCat(instruction.FullName(), ": expected a label, found ",
                       Quoted(instruction.operands[0].text),
                       ", which labels nothing here"));
    }
    const std::string fault = OperandFault(instruction, scope.registers);
    if (!fault.empty()) Add(instruction.line, fault);
  }

  void Undeclared(absl::string_view what, absl::string_view name, int line) {
    Add(line,
        absl::StrCat("expected a declared ", what, ", found ", Quoted(name)));
  }

  void CheckNames(const Operand& operand, const Instruction& instruction,
                  const Scope& scope) {
    if (operand.kind == Operand::Kind::kRegister) {
      if (!scope.registers.Find(operand.text) &&
          !IsSpecialRegister(operand.text) &&
          !scope.HasVariable(operand.text) &&
          !module_names_.contains(operand.text)) {
        Undeclared("register", operand.text, instruction.line);
      }
    } else if (operand.kind == Operand::Kind::kSymbol) {
      if (instruction.opcode != "bra" && operand.text != "WARP_SZ" &&
          !scope.HasLabel(operand.text) && !scope.HasVariable(operand.text) &&
          !module_names_.contains(operand.text)) {
        Undeclared("name", operand.text, instruction.line);
      }
    }
    for (const Operand& element : operand.elements) {
      CheckNames(element, instruction, scope);
    }
  }

  const NameSet& module_names_;
  const Function& function_;
  CheckFindings& findings_;
};

void CheckInitialiser(const Variable& variable, const NameSet& names,
                      CheckFindings& findings) {
  const bool opaque = SizeBytes(variable.type) == 0;
  if (opaque) return;
  for (const InitialValue& value : variable.initial) {
    if (!value.text.empty() && !names.contains(value.text)) {
      findings.Add(
          "", variable.line,
          absl::StrCat("expected a declared name in the initial value "
                       "of ",
                       Quoted(variable.name), ", found ", Quoted(value.text)));
    }
  }
  const uint64_t element = static_cast<uint64_t>(SizeBytes(variable.type));
  const uint64_t room = variable.size_bytes() / element;
  if (variable.initial.size() > room) {
    findings.Add("", variable.line,
                 absl::StrCat("expected at most ", room, " initial values for ",
                              Quoted(variable.name), ", found ",
                              variable.initial.size()));
  }
}

// Names of the module, and the names that it defines twice. An external
// declaration may be repeated.
NameSet ModuleNames(const Module& module, CheckFindings& findings) {
  NameSet names;
  NameSet defined;
  for (const TopLevel& item : module.items) {
    absl::string_view name;
    int line = 0;
    bool definition = false;
    if (const auto* variable = std::get_if<Variable>(&item)) {
      name = variable->name;
      line = variable->line;
      definition = variable->linkage != "extern";
    } else if (const auto* function = std::get_if<Function>(&item)) {
      name = function->name;
      line = function->line;
      definition = function->has_body;
    } else {
      continue;
    }
    names.insert(name);
    if (definition && !defined.insert(name).second) {
      findings.Add("", line,
                   absl::StrCat("expected a new name, found ", Quoted(name),
                                ", which is defined already"));
    }
  }
  return names;
}

std::optional<Unsupported> FirstUnsupportedIn(const Block& block) {
  for (const Statement& statement : block.statements) {
    if (const auto* inner = std::get_if<Block>(&statement)) {
      if (auto found = FirstUnsupportedIn(*inner)) return found;
    }
    const auto* instruction = std::get_if<Instruction>(&statement);
    if (instruction == nullptr || SoftwareRuns(*instruction)) continue;
    Unsupported unsupported{instruction->FullName(), instruction->line};
    // "mov.u32 %laneid": the operand is what is not supported.
    for (const Operand& operand : instruction->operands) {
      if (operand.kind == Operand::Kind::kRegister &&
          IsSpecialRegister(operand.text)) {
        absl::StrAppend(&unsupported.instruction, " ", operand.text);
      }
    }
    return unsupported;
  }
  return std::nullopt;
}

}  // namespace

absl::Status Check(const Module& module) {
  CheckFindings findings;
  if (module.address_size != 64) {
    findings.Add("", 1,
                 absl::StrCat("expected addresses of 64 bits, found ",
                              module.address_size));
  }
  const NameSet names = ModuleNames(module, findings);
  for (const TopLevel& item : module.items) {
    if (const auto* variable = std::get_if<Variable>(&item)) {
      CheckInitialiser(*variable, names, findings);
    } else if (const auto* function = std::get_if<Function>(&item)) {
      FunctionChecker(names, *function, findings).Run();
    }
  }
  return findings.status();
}

std::optional<Unsupported> FirstUnsupported(const Module&,
                                            const Function& function) {
  return FirstUnsupportedIn(function.body);
}

}  // namespace graphd::ptx
