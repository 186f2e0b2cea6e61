// PTX as a tree: what nvcc and NVRTC write, kept whole so that printing it
// again loses nothing.
//
// An instruction is an opcode with its modifiers and a list of operands;
// nothing about its meaning is decided here, so an unknown instruction parses,
// prints and is refused only when somebody asks to run it. Directives that
// carry no meaning for graphd (.file, .loc, .section with its lines, pragmas)
// are kept as text. Grammar: PTX ISA 9.0, chapters 4 to 11.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_PTX_AST_H_
#define GRAPHD_CORE_PTX_AST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"

namespace graphd::ptx {

enum class Type : uint8_t {
  kNone,
  kS8,
  kS16,
  kS32,
  kS64,
  kU8,
  kU16,
  kU32,
  kU64,
  kF16,
  kF16x2,
  kBF16,
  kBF16x2,
  kF32,
  kF64,
  kB8,
  kB16,
  kB32,
  kB64,
  kB128,
  kPred,
  kTexref,
  kSamplerref,
  kSurfref,
};

uint32_t SizeBytes(Type type);      // 0 for kNone, kPred and opaque types
absl::string_view Name(Type type);  // "u32"
std::optional<Type> ParseType(
    absl::string_view name);  // "u32", without the dot

enum class Space : uint8_t {
  kGeneric,
  kReg,
  kGlobal,
  kShared,
  kLocal,
  kConst,
  kParam
};

// One operand, recursive for vectors and addresses.
struct Operand {
  enum class Kind : uint8_t {
    kRegister,  // %r1, %tid.x, %p1 (text with the %); `negated` for !%p1
    kSymbol,    // a variable, label or function name
    kInteger,   // 42, 0x2A, 42U, negative folded in
    kFloat,     // 0f3F800000, 0d…, decimals (as 0d): exact bits
    kAddress,   // [base + offset]: elements[0] is the base (register, symbol or
                // integer), `integer` the offset; further elements are what
                // follows a comma: [%rd1, {%f1, %f2}]
    kVector,    // {a, b, c, d}
    kPair,      // a|b: destination with predicate
    kDiscard,   // _
    kTuple,     // (a, b): call arguments and results
  };
  Kind kind = Kind::kRegister;
  std::string text;          // register, symbol, kFloat: canonical spelling;
                             // kInteger: empty, the value says all
  int64_t integer = 0;       // kInteger: value bits; kAddress and kSymbol: byte
                             // offset (arr+4)
  uint64_t bits = 0;         // kFloat: IEEE bits
  bool is_double = false;    // kFloat: 0d… or a decimal literal
  bool is_unsigned = false;  // kInteger: U suffix or beyond INT64_MAX
  bool negated = false;      // kRegister: !%p
  std::vector<Operand> elements;

  bool operator==(const Operand&) const = default;
};

struct Instruction {
  std::string guard;  // predicate register of @%p, empty when unguarded
  bool guard_negated = false;  // @!%p
  std::string opcode;          // "ld", "mad", "bar"
  std::vector<std::string>
      modifiers;  // "global", "nc", "v4", "f32": in order, without dots
  std::vector<Operand> operands;
  int line = 0;  // in the parsed text, from 1; 0 when made by us

  bool Has(absl::string_view modifier) const;
  // "ld.global.f32"
  std::string FullName() const;
  // The last modifier that is a type, or kNone.
  Type type() const;

  bool operator==(const Instruction&) const = default;
};

struct Label {
  std::string name;
  int line = 0;

  bool operator==(const Label&) const = default;
};

// .reg .b32 %r<5>; or .reg .pred p, q;
struct RegisterDeclaration {
  Type type = Type::kB32;
  int vector_width = 1;  // .v2, .v4
  std::string name;
  std::optional<uint32_t> count;  // the <5>
  int line = 0;

  bool operator==(const RegisterDeclaration&) const = default;
};

// One element of an initialiser: a number, or the address of a symbol plus an
// offset.
struct InitialValue {
  enum class Kind : uint8_t {
    kInteger,
    kFloat,
    kSymbol,
    kGenericSymbol /* generic(x) */,
    kMask /* mask(x) */
  };
  Kind kind = Kind::kInteger;
  std::string text;  // symbol name, or literal spelling
  uint64_t bits =
      0;  // literal value bits (integers two's complement; floats as written)
  bool is_double = false;
  int64_t offset = 0;  // symbol + offset
  uint64_t mask = 0;   // kMask: 0xFF00 etc.: the bits of the address that
                       // become this element, shifted down
  bool mask_of_generic = false;  // kMask: 0xFF(generic(x))

  bool operator==(const InitialValue&) const = default;
};

// A variable of any space: module scope, or .local/.shared/.param inside a
// function.
struct Variable {
  std::string linkage;  // "", "visible", "extern", "weak", "common"
  Space space = Space::kGlobal;
  uint32_t align = 0;      // 0: natural
  std::string attributes;  // ".attribute(.managed)" text, usually empty
  int vector_width = 1;
  Type type = Type::kB8;
  std::string name;
  bool is_array = false;
  std::vector<uint64_t> dimensions;   // [] extern unsized array: one 0
  std::vector<InitialValue> initial;  // flattened in memory order; empty: zero
  std::string param_annotation;       // .ptr .global .align 8, kept as text for
                                      // .param declarations
  int line = 0;

  uint64_t size_bytes() const;  // 0 for an unsized array
  uint32_t alignment() const;   // align, or the natural one

  bool operator==(const Variable&) const = default;
};

// A line kept as it was: .loc, .pragma, .branchtargets, .callprototype,
// .noreturn…
struct RawDirective {
  std::string text;  // with its semicolon, where it has one
  int line = 0;

  bool operator==(const RawDirective&) const = default;
};

struct Block;
using Statement = std::variant<Instruction, Label, RegisterDeclaration,
                               Variable, RawDirective, Block>;

// { … }: a scope of its own for registers, labels and variables.
struct Block {
  std::vector<Statement> statements;
  int line = 0;

  bool operator==(const Block& other) const;
};

struct Function {
  bool is_entry = false;
  std::string linkage;  // "visible", "extern", "weak", ""
  std::string name;
  std::string attributes;         // ".attribute(…)" text, usually empty
  std::vector<Variable> results;  // .func (.param .b32 r) name(…)
  std::vector<Variable> params;
  std::vector<std::string>
      directives;  // ".maxntid 256, 1, 1", ".minnctapersm 2", ".noreturn": text
  bool has_body = false;  // false: a declaration
  Block body;
  int line = 0;

  bool operator==(const Function&) const = default;
};

using TopLevel = std::variant<Variable, Function, RawDirective>;

struct Module {
  std::string version;  // "9.0"
  std::string target;   // "sm_75" or "sm_75, debug"
  int address_size = 64;
  std::vector<TopLevel> items;  // in order

  const Function* FindEntry(absl::string_view name) const;
  const Function* FindFunction(absl::string_view name) const;
  const Variable* FindVariable(absl::string_view name) const;
  std::vector<const Function*> Entries() const;  // those with a body

  bool operator==(const Module&) const = default;
};

// A kernel's parameters as a launch sees them.
struct Signature {
  struct Param {
    std::string name;
    Type type = Type::kB8;  // kB8 arrays: a struct passed by value
    uint32_t size_bytes = 0;
    uint32_t align_bytes = 0;
    uint32_t offset_bytes = 0;  // in the parameter block, natural layout
    bool is_array = false;
  };
  std::vector<Param> params;
  uint32_t block_bytes = 0;  // size of the parameter block
};

Signature SignatureOf(const Function& entry);

}  // namespace graphd::ptx

#endif  // GRAPHD_CORE_PTX_AST_H_
