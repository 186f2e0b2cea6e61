#include "core/ptx/resolve_registers.h"

#include "core/ptx/register_scope.h"

namespace graphd::ptx {
namespace {

void Resolve(Operand& operand, const RegisterScope& registers) {
  if (operand.kind == Operand::Kind::kSymbol && registers.Find(operand.text)) {
    operand.kind = Operand::Kind::kRegister;
  }
  for (Operand& element : operand.elements) Resolve(element, registers);
}

void Resolve(Block& block, const RegisterScope* outer) {
  RegisterScope registers(outer);
  for (Statement& statement : block.statements) {
    if (const auto* declared = std::get_if<RegisterDeclaration>(&statement)) {
      if (declared->name[0] != '%') registers.Declare(*declared);
    } else if (auto* inner = std::get_if<Block>(&statement)) {
      Resolve(*inner, &registers);
    } else if (auto* instruction = std::get_if<Instruction>(&statement)) {
      // The name after "bra" is a label, whatever else has it.
      if (instruction->opcode == "bra") continue;
      for (Operand& operand : instruction->operands) {
        Resolve(operand, registers);
      }
    }
  }
}

}  // namespace

void ResolveRegisters(Function& function) {
  RegisterScope registers(nullptr);
  for (const auto* list : {&function.results, &function.params}) {
    for (const Variable& param : *list) {
      if (param.space != Space::kReg || param.name[0] == '%') continue;
      registers.Declare(param.name, param.type, false, 0);
    }
  }
  Resolve(function.body, &registers);
}

}  // namespace graphd::ptx
