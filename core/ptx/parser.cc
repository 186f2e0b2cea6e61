#include "core/ptx/parser.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/ptx/parser_directives.h"
#include "core/ptx/parser_instructions.h"
#include "core/ptx/resolve_registers.h"
#include "core/ptx/token_reader.h"

namespace graphd::ptx {
namespace {

constexpr size_t kMaxTextBytes = 256u << 20;
constexpr int kMaxBlockDepth = 64;

bool ReadHeader(TokenReader& reader, Module& module) {
  if (!reader.Accept("version")) return reader.Fail("\".version\"");
  if (reader.token().kind != Token::Kind::kFloat) {
    return reader.Fail("a version such as 9.0");
  }
  module.version = std::string(reader.token().text);
  reader.Advance();
  if (!reader.Accept("target")) return reader.Fail("\".target\"");
  do {
    std::string target;
    if (!reader.ExpectWord("a target such as sm_75", target)) return false;
    absl::StrAppend(&module.target, module.target.empty() ? "" : ", ", target);
  } while (reader.Accept(','));
  if (reader.Accept("address_size")) {
    uint64_t bits = 0;
    if (!reader.ExpectCount("an address size", 64, bits)) return false;
    module.address_size = static_cast<int>(bits);
  }
  return true;
}

template <typename Declaration>
void MoveInto(std::vector<Declaration>& declarations, Block& block) {
  for (Declaration& declaration : declarations) {
    block.statements.emplace_back(std::move(declaration));
  }
}

bool ReadDirective(TokenReader& reader, Block& block) {
  const absl::string_view name = reader.token().text.substr(1);
  if (IsRaw(name)) {
    RawDirective directive;
    if (!ReadRaw(reader, directive)) return false;
    block.statements.emplace_back(std::move(directive));
    return true;
  }
  if (name == "reg") {
    std::vector<RegisterDeclaration> registers;
    if (!ReadRegisters(reader, registers)) return false;
    MoveInto(registers, block);
    return true;
  }
  std::string linkage;
  if (IsLinkage(name)) {
    linkage = std::string(name);
    reader.Advance();
  } else if (!ParseSpace(name)) {
    return reader.Fail("a statement");
  }
  std::vector<Variable> variables;
  if (!ReadVariables(reader, linkage, variables)) return false;
  MoveInto(variables, block);
  return true;
}

// From after "{" to after "}".
bool ReadBlock(TokenReader& reader, int depth, Block& block) {
  if (depth > kMaxBlockDepth)
    return reader.Fail("blocks nested at most 64 deep");
  while (true) {
    const Token& token = reader.token();
    if (reader.Accept('}')) return true;
    if (token.Is('{')) {
      Block inner;
      inner.line = token.line;
      reader.Advance();
      if (!ReadBlock(reader, depth + 1, inner)) return false;
      block.statements.emplace_back(std::move(inner));
    } else if (token.kind == Token::Kind::kDotted) {
      if (!ReadDirective(reader, block)) return false;
    } else if (token.kind == Token::Kind::kWord && reader.next().Is(':')) {
      block.statements.emplace_back(Label{std::string(token.text), token.line});
      reader.Advance();
      reader.Advance();
    } else if (token.Is('@') || token.kind == Token::Kind::kWord) {
      Instruction instruction;
      if (!ReadInstruction(reader, instruction)) return false;
      block.statements.emplace_back(std::move(instruction));
    } else if (!reader.Accept(';')) {  // an empty statement
      return reader.Fail("a statement or \"}\"");
    }
  }
}

// ".maxntid 256, 1, 1", ".pragma \"…\";", ".noreturn", one a string.
bool ReadFunctionDirectives(TokenReader& reader, Function& function) {
  while (reader.token().kind == Token::Kind::kDotted) {
    const bool pragma = reader.token().IsDotted("pragma");
    std::string text;
    bool ended = false;
    while (!ended) {
      if (!reader.TakeRaw(text, "\"{\" or \";\"")) return false;
      const Token& token = reader.token();
      ended =
          token.Is('{') || token.kind == Token::Kind::kDotted || token.Is(';');
    }
    if (pragma) {
      text += ';';
      if (!reader.Expect(';')) return false;
    }
    std::replace(text.begin(), text.end(), '\n', ' ');
    function.directives.push_back(std::move(text));
  }
  return true;
}

// From ".entry" or ".func" on.
bool ReadFunction(TokenReader& reader, Function& function) {
  function.line = reader.token().line;
  function.is_entry = reader.token().IsDotted("entry");
  reader.Advance();
  if (reader.token().IsDotted("attribute")) {
    std::string attribute;
    do {
      if (!reader.TakeRaw(attribute, "\")\"")) return false;
    } while (!reader.token().Is(')'));
    if (!reader.TakeRaw(attribute, "\")\"")) return false;
    function.attributes = std::move(attribute);
  }
  if (!function.is_entry && !ReadParams(reader, function.results)) {
    return false;
  }
  if (!reader.ExpectWord("a function name", function.name)) return false;
  if (!ReadParams(reader, function.params)) return false;
  if (!ReadFunctionDirectives(reader, function)) return false;
  if (reader.Accept(';')) return true;
  function.has_body = true;
  function.body.line = reader.token().line;
  if (!reader.Accept('{')) return reader.Fail("\"{\" or \";\"");
  return ReadBlock(reader, 0, function.body);
}

bool ReadItem(TokenReader& reader, Module& module) {
  if (reader.token().kind != Token::Kind::kDotted) {
    return reader.Fail("a variable or function");
  }
  if (IsRaw(reader.token().text.substr(1))) {
    RawDirective directive;
    if (!ReadRaw(reader, directive)) return false;
    module.items.emplace_back(std::move(directive));
    return true;
  }
  std::string linkage;
  if (reader.token().kind == Token::Kind::kDotted &&
      IsLinkage(reader.token().text.substr(1))) {
    linkage = std::string(reader.token().text.substr(1));
    reader.Advance();
  }
  if (reader.token().IsDotted("entry") || reader.token().IsDotted("func")) {
    Function function;
    function.linkage = linkage;
    if (!ReadFunction(reader, function)) return false;
    ResolveRegisters(function);
    module.items.emplace_back(std::move(function));
    return true;
  }
  std::vector<Variable> variables;
  if (!ReadVariables(reader, linkage, variables)) return false;
  for (Variable& variable : variables) {
    module.items.emplace_back(std::move(variable));
  }
  return true;
}

}  // namespace

absl::StatusOr<Module> Parse(absl::string_view text) {
  // Compilers count the final zero of their text as part of it.
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  if (text.size() > kMaxTextBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected PTX of at most ", kMaxTextBytes,
                     " bytes, found ", text.size()));
  }
  TokenReader reader(text);
  Module module;
  if (!ReadHeader(reader, module)) return reader.status();
  while (reader.token().kind != Token::Kind::kEnd) {
    if (!ReadItem(reader, module)) return reader.status();
  }
  return module;
}

}  // namespace graphd::ptx
