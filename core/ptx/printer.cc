#include "core/ptx/printer.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace graphd::ptx {
namespace {

absl::string_view SpaceName(Space space) {
  switch (space) {
    case Space::kGeneric:
      return "";
    case Space::kReg:
      return ".reg";
    case Space::kGlobal:
      return ".global";
    case Space::kShared:
      return ".shared";
    case Space::kLocal:
      return ".local";
    case Space::kConst:
      return ".const";
    case Space::kParam:
      return ".param";
  }
  return "";
}

std::string OffsetText(int64_t offset) {
  return offset == 0 ? "" : absl::StrCat("+", offset);
}

std::string FloatText(uint64_t bits, bool is_double) {
  return is_double ? absl::StrFormat("0d%016X", bits)
                   : absl::StrFormat("0f%08X", bits & UINT32_MAX);
}

std::string ListText(const std::vector<Operand>& operands) {
  std::string text;
  for (const Operand& operand : operands) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", Print(operand));
  }
  return text;
}

std::string SymbolText(const InitialValue& value, bool generic) {
  const std::string offset = OffsetText(value.offset);
  return generic ? absl::StrCat("generic(", value.text, ")", offset)
                 : absl::StrCat(value.text, offset);
}

std::string InitialText(const InitialValue& value) {
  switch (value.kind) {
    case InitialValue::Kind::kInteger:
      return absl::StrCat(static_cast<int64_t>(value.bits));
    case InitialValue::Kind::kFloat:
      return FloatText(value.bits, value.is_double);
    case InitialValue::Kind::kSymbol:
      return SymbolText(value, false);
    case InitialValue::Kind::kGenericSymbol:
      return SymbolText(value, true);
    case InitialValue::Kind::kMask:
      return absl::StrFormat("0x%X(%s)", value.mask,
                             SymbolText(value, value.mask_of_generic));
  }
  return "";
}

// Appends ".param .align 8 .b8 name[4]", without what ends it.
void AppendDeclaration(const Variable& variable, std::string& out) {
  if (!variable.linkage.empty()) {
    absl::StrAppend(&out, ".", variable.linkage, " ");
  }
  absl::StrAppend(&out, SpaceName(variable.space), " ");
  if (!variable.attributes.empty()) {
    absl::StrAppend(&out, variable.attributes, " ");
  }
  if (variable.align != 0)
    absl::StrAppend(&out, ".align ", variable.align, " ");
  if (variable.vector_width != 1) {
    absl::StrAppend(&out, ".v", variable.vector_width, " ");
  }
  absl::StrAppend(&out, ".", Name(variable.type), " ");
  if (!variable.param_annotation.empty()) {
    absl::StrAppend(&out, variable.param_annotation, " ");
  }
  out += variable.name;
  for (const uint64_t dimension : variable.dimensions) {
    absl::StrAppend(&out, "[");
    if (dimension != 0) absl::StrAppend(&out, dimension);
    out += ']';
  }
}

// One level of braces a dimension, which ptxas wants; `next` walks the flat
// list and what is left out at the end stays zero.
void AppendInitialiser(const Variable& variable, size_t depth, size_t& next,
                       std::string& out) {
  const size_t depths =
      variable.dimensions.size() + (variable.vector_width > 1 ? 1 : 0);
  if (depth == depths) {
    out += InitialText(variable.initial[next++]);
    return;
  }
  const uint64_t count = depth < variable.dimensions.size()
                             ? variable.dimensions[depth]
                             : variable.vector_width;
  out += '{';
  for (uint64_t i = 0; i < count && next < variable.initial.size(); ++i) {
    if (i != 0) out += ", ";
    AppendInitialiser(variable, depth + 1, next, out);
  }
  out += '}';
}

void AppendVariable(const Variable& variable, std::string& out) {
  AppendDeclaration(variable, out);
  if (!variable.initial.empty()) {
    out += " = ";
    size_t next = 0;
    AppendInitialiser(variable, 0, next, out);
  }
  out += ";\n";
}

void AppendBlock(const Block& block, int depth, std::string& out);

struct StatementPrinter {
  std::string& out;
  int depth;

  std::string Indent() const { return std::string(depth, '\t'); }
  void operator()(const Instruction& instruction) const {
    absl::StrAppend(&out, Indent(), Print(instruction), "\n");
  }
  void operator()(const Label& label) const {
    absl::StrAppend(&out, label.name, ":\n");
  }
  void operator()(const RegisterDeclaration& declaration) const {
    absl::StrAppend(&out, Indent(), ".reg ");
    if (declaration.vector_width != 1) {
      absl::StrAppend(&out, ".v", declaration.vector_width, " ");
    }
    absl::StrAppend(&out, ".", Name(declaration.type), " ", declaration.name);
    if (declaration.count) absl::StrAppend(&out, "<", *declaration.count, ">");
    out += ";\n";
  }
  void operator()(const Variable& variable) const {
    out += Indent();
    AppendVariable(variable, out);
  }
  void operator()(const RawDirective& directive) const {
    absl::StrAppend(&out, Indent(), directive.text, "\n");
  }
  void operator()(const Block& block) const {
    absl::StrAppend(&out, Indent(), "{\n");
    AppendBlock(block, depth + 1, out);
    absl::StrAppend(&out, Indent(), "}\n");
  }
};

void AppendBlock(const Block& block, int depth, std::string& out) {
  for (const Statement& statement : block.statements) {
    std::visit(StatementPrinter{out, depth}, statement);
  }
}

void AppendParams(const std::vector<Variable>& params, std::string& out) {
  out += '(';
  for (const Variable& param : params) {
    if (&param != &params.front()) out += ",";
    out += "\n\t";
    AppendDeclaration(param, out);
  }
  out += ')';
}

void AppendFunction(const Function& function, std::string& out) {
  if (!function.linkage.empty()) {
    absl::StrAppend(&out, ".", function.linkage, " ");
  }
  out += function.is_entry ? ".entry " : ".func ";
  if (!function.attributes.empty()) {
    absl::StrAppend(&out, function.attributes, " ");
  }
  if (!function.results.empty()) {
    AppendParams(function.results, out);
    out += ' ';
  }
  out += function.name;
  AppendParams(function.params, out);
  for (const std::string& directive : function.directives) {
    absl::StrAppend(&out, "\n", directive);
  }
  if (!function.has_body) {
    out += "\n;\n";
    return;
  }
  out += "\n{\n";
  AppendBlock(function.body, 1, out);
  out += "}\n";
}

}  // namespace

std::string Print(const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::kRegister:
    case Operand::Kind::kSymbol:
      return absl::StrCat(operand.negated ? "!" : "", operand.text,
                          OffsetText(operand.integer));
    case Operand::Kind::kInteger:
      return operand.is_unsigned
                 ? absl::StrCat(static_cast<uint64_t>(operand.integer), "U")
                 : absl::StrCat(operand.integer);
    case Operand::Kind::kFloat:
      return FloatText(operand.bits, operand.is_double);
    case Operand::Kind::kAddress: {
      std::string text = "[";
      for (size_t i = 0; i < operand.elements.size(); ++i) {
        absl::StrAppend(&text, i == 0 ? "" : ", ", Print(operand.elements[i]));
        if (i == 0) text += OffsetText(operand.integer);
      }
      return text + "]";
    }
    case Operand::Kind::kVector:
      return absl::StrCat("{", ListText(operand.elements), "}");
    case Operand::Kind::kPair:
      return absl::StrCat(Print(operand.elements[0]), "|",
                          Print(operand.elements[1]));
    case Operand::Kind::kDiscard:
      return "_";
    case Operand::Kind::kTuple:
      return absl::StrCat("(", ListText(operand.elements), ")");
  }
  return "";
}

std::string Print(const Instruction& instruction) {
  std::string text;
  if (!instruction.guard.empty()) {
    absl::StrAppend(&text, instruction.guard_negated ? "@!" : "@",
                    instruction.guard, " ");
  }
  absl::StrAppend(&text, instruction.FullName());
  if (!instruction.operands.empty()) {
    absl::StrAppend(&text, " ", ListText(instruction.operands));
  }
  text += ';';
  return text;
}

std::string Print(const Module& module) {
  std::string out =
      absl::StrCat(".version ", module.version, "\n.target ", module.target,
                   "\n.address_size ", module.address_size, "\n\n");
  for (const TopLevel& item : module.items) {
    if (const auto* variable = std::get_if<Variable>(&item)) {
      AppendVariable(*variable, out);
    } else if (const auto* function = std::get_if<Function>(&item)) {
      AppendFunction(*function, out);
    } else {
      absl::StrAppend(&out, std::get<RawDirective>(item).text, "\n");
    }
  }
  return out;
}

}  // namespace graphd::ptx
