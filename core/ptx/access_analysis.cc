#include "core/ptx/access_analysis.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/ptx/control_flow.h"
#include "core/ptx/symbolic_values.h"

namespace graphd::ptx {
namespace {

using Knowledge = SymbolicValue::Knowledge;

bool IsBranch(const Instruction& instruction) {
  return instruction.opcode == "bra" || instruction.opcode == "brx";
}

bool IsReturn(const Instruction& instruction) {
  return instruction.opcode == "ret" || instruction.opcode == "exit";
}

class Analyzer {
 public:
  Analyzer(const Module& module, const Function& entry)
      : module_(module),
        entry_(entry),
        flow_(entry),
        code_(flow_.code()),
        values_(entry, flow_) {}

  KernelFacts Analyze() {
    facts_.signature = SignatureOf(entry_);
    facts_.escapes = values_.escapes();
    ReadDirectives();
    FindLoopsAndTail();
    std::vector<Guard> guards;
    bool only_guards = true;  // no other branch so far
    for (uint32_t i = 0; i < code_.size(); ++i) {
      const Instruction& instruction = *code_[i];
      Note(instruction);
      if (IsBranch(instruction) ||
          (IsReturn(instruction) && !instruction.guard.empty())) {
        const std::optional<Guard> guard = GuardOf(i);
        if (guard) {
          guards.push_back(*guard);
        } else {
          only_guards = false;
        }
        continue;
      }
      Visit(i, instruction, guards, only_guards);
    }
    Judge();
    return std::move(facts_);
  }

 private:
  void ReadDirectives() {
    for (const std::string& directive : entry_.directives) {
      absl::string_view text = directive;
      if (!absl::ConsumePrefix(&text, ".maxntid") &&
          !absl::ConsumePrefix(&text, ".reqntid")) {
        continue;
      }
      std::array<uint32_t, 3> limits{1, 1, 1};
      size_t axis = 0;
      for (absl::string_view number :
           absl::StrSplit(text, absl::ByAnyChar(" ,\t"), absl::SkipEmpty())) {
        if (axis < 3 && !absl::SimpleAtoi(number, &limits[axis])) return;
        ++axis;
      }
      facts_.max_threads = limits;
    }
  }

  // Loops: from a label to the last branch back to it. Tail: the instructions
  // from which only returns follow.
  void FindLoopsAndTail() {
    const uint32_t size = static_cast<uint32_t>(code_.size());
    in_loop_.assign(size, false);
    tail_ = size;
    while (tail_ > 0 && IsReturn(*code_[tail_ - 1])) --tail_;
    for (uint32_t i = 0; i < size; ++i) {
      if (!IsBranch(*code_[i])) continue;
      const std::optional<uint32_t> target = Target(i);
      if (!target) {
        unstructured_ = true;
      } else if (*target <= i) {
        std::fill(in_loop_.begin() + *target, in_loop_.begin() + i + 1, true);
      } else if (*target < tail_) {
        forward_.emplace_back(i, *target);
      }
    }
    // Who knows what is a loop.
    if (unstructured_) in_loop_.assign(size, true);
  }

  std::optional<uint32_t> Target(uint32_t index) const {
    const absl::Span<const uint32_t> targets = flow_.Targets(index);
    if (code_[index]->opcode != "bra" || targets.size() != 1) {
      return std::nullopt;
    }
    return targets[0];
  }

  // The condition under which control passes the branch or return at `index`,
  // when not passing it means to end, and nothing jumps around it.
  std::optional<Guard> GuardOf(uint32_t index) const {
    const Instruction& instruction = *code_[index];
    if (in_loop_[index] || instruction.guard.empty()) return std::nullopt;
    if (IsBranch(instruction)) {
      const std::optional<uint32_t> target = Target(index);
      if (!target || *target < tail_) return std::nullopt;
    }
    for (const auto& [from, to] : forward_) {
      if (from < index && to > index) return std::nullopt;
    }
    const std::optional<uint32_t> compare =
        values_.OnlyDefinition(instruction.guard, index);
    if (!compare || code_[*compare]->opcode != "setp" ||
        code_[*compare]->operands.size() != 3) {
      return std::nullopt;
    }
    return Condition(*compare, !instruction.guard_negated);
  }

  // What holds when the comparison is `skipped_if` not: left < right.
  std::optional<Guard> Condition(uint32_t index, bool skipped_if) const {
    const Instruction& compare = *code_[index];
    Guard guard;
    switch (compare.type()) {
      case Type::kS32:
      case Type::kU32:
        guard.width_bits = 32;
        break;
      case Type::kS64:
      case Type::kU64:
        guard.width_bits = 64;
        break;
      default:
        return std::nullopt;
    }
    guard.is_signed =
        compare.type() == Type::kS32 || compare.type() == Type::kS64;
    const SymbolicValue a = values_.Number(compare.operands[1], index);
    const SymbolicValue b = values_.Number(compare.operands[2], index);
    if (a.knowledge != Knowledge::kExact || b.knowledge != Knowledge::kExact ||
        compare.operands[0].kind != Operand::Kind::kRegister ||
        compare.modifiers.empty()) {
      return std::nullopt;
    }
    for (const SymbolicValue* side : {&a, &b}) {
      guard.assumes.insert(guard.assumes.end(), side->assumes.begin(),
                           side->assumes.end());
      if (side->offset.AsConstant()) continue;
      guard.assumes.push_back(
          {side->offset, guard.width_bits, guard.is_signed});
    }
    std::string relation = compare.modifiers[0];
    if (relation == "hs") relation = "ge";
    if (relation == "hi") relation = "gt";
    if (relation == "lo") relation = "lt";
    if (relation == "ls") relation = "le";
    // Control passes when `a relation b` is !skipped_if.
    const auto below = [&](const Polynomial& left, const Polynomial& right,
                           bool or_equal) -> std::optional<Guard> {
      const auto limit =
          or_equal ? Polynomial::Add(right, Polynomial(1)) : right;
      if (!limit) return std::nullopt;
      guard.left = left;
      guard.right = *limit;
      return guard;
    };
    if (relation == "ge")
      return skipped_if ? below(a.offset, b.offset, false)
                        : below(b.offset, a.offset, true);
    if (relation == "gt")
      return skipped_if ? below(a.offset, b.offset, true)
                        : below(b.offset, a.offset, false);
    if (relation == "lt")
      return skipped_if ? below(b.offset, a.offset, true)
                        : below(a.offset, b.offset, false);
    if (relation == "le")
      return skipped_if ? below(b.offset, a.offset, false)
                        : below(a.offset, b.offset, true);
    return std::nullopt;
  }

  // What a kernel does besides loads and stores.
  void Note(const Instruction& instruction) {
    const std::string& opcode = instruction.opcode;
    facts_.has_barrier |= opcode == "bar" || opcode == "barrier" ||
                          opcode == "mbarrier" || opcode == "griddepcontrol";
    facts_.has_warp_operations |= opcode == "shfl" || opcode == "vote" ||
                                  opcode == "match" || opcode == "activemask" ||
                                  opcode == "redux" || opcode == "elect" ||
                                  opcode == "mma" || opcode == "wmma" ||
                                  opcode == "ldmatrix" || opcode == "stmatrix";
    facts_.has_atomics_or_fences |= opcode == "atom" || opcode == "red" ||
                                    opcode == "membar" || opcode == "fence";
    facts_.has_side_effects |=
        opcode == "trap" || opcode == "brkpt" || opcode == "nanosleep";
    if (opcode == "call") {
      facts_.has_calls = true;
      facts_.has_side_effects = true;  // whatever the callee does
    }
    for (const Operand& operand : instruction.operands) NoteOperand(operand);
  }

  void NoteOperand(const Operand& operand) {
    if (operand.kind == Operand::Kind::kRegister) {
      facts_.has_side_effects |= absl::StartsWith(operand.text, "%clock") ||
                                 absl::StartsWith(operand.text, "%globaltimer");
      facts_.has_warp_operations |= absl::StartsWith(operand.text, "%lanemask");
    } else if (operand.kind == Operand::Kind::kSymbol) {
      facts_.has_shared |= SpaceOf(operand.text) == Space::kShared;
    }
    for (const Operand& element : operand.elements) NoteOperand(element);
  }

  // kReg: not a variable.
  Space SpaceOf(const std::string& symbol) const {
    const Space own = flow_.VariableSpace(symbol);
    if (own != Space::kReg) return own;
    const Variable* variable = module_.FindVariable(symbol);
    return variable == nullptr ? Space::kReg : variable->space;
  }

  void Visit(uint32_t index, const Instruction& instruction,
             const std::vector<Guard>& guards, bool only_guards) {
    NoteAddressesTaken(instruction);
    if (instruction.opcode == "prefetch" || instruction.opcode == "prefetchu") {
      return;
    }
    const bool atomic =
        instruction.opcode == "atom" || instruction.opcode == "red";
    const bool store = instruction.opcode == "st";
    const bool load = instruction.opcode == "ld" || instruction.opcode == "ldu";
    // Copies, matrix loads and what is not known touch who knows how much.
    const bool simple = load || store || atomic;
    for (const char* space : {"shared", "local", "param"}) {
      for (const std::string& modifier : instruction.modifiers) {
        if (absl::StartsWith(modifier, space)) {
          facts_.has_shared |= space[0] == 's';
          if (simple) return;
        }
      }
    }
    MemoryAccess access;
    access.line = instruction.line;
    access.in_loop = in_loop_[index];
    access.guards = guards;
    access.unconditional = only_guards && instruction.guard.empty();
    access.plain = (load || store) && !instruction.Has("volatile") &&
                   !instruction.Has("relaxed") && !instruction.Has("acquire") &&
                   !instruction.Has("release") && !instruction.Has("mmio") &&
                   instruction.opcode != "ldu";
    access.width_bytes = SizeBytes(instruction.type());
    if (instruction.Has("v2")) access.width_bytes *= 2;
    if (instruction.Has("v4")) access.width_bytes *= 4;
    if (instruction.Has("v8")) access.width_bytes *= 8;
    for (const Operand& operand : instruction.operands) {
      if (operand.kind != Operand::Kind::kAddress) continue;
      MemoryAccess one = access;
      if (!Root(operand, index, one)) continue;
      if (!simple) one.offset.reset();
      if (!store) Push(one, false);
      if (!load) Push(one, true);
    }
  }

  // Storing a variable's address, or computing with it beyond recognition,
  // lets anything write it.
  void NoteAddressesTaken(const Instruction& instruction) {
    if (instruction.opcode == "bra" || instruction.opcode == "call") return;
    for (const Operand& operand : instruction.operands) {
      if (operand.kind != Operand::Kind::kSymbol) continue;
      if (SpaceOf(operand.text) == Space::kGlobal) {
        Insert(facts_.variables_written, operand.text);
      }
    }
  }

  // False: not global memory. Else the access has its root, or there is a
  // finding that it has none.
  bool Root(const Operand& operand, uint32_t index, MemoryAccess& access) {
    const SymbolicValue value = values_.Of(operand, index);
    if (!value.symbol.empty()) {
      const Space space = SpaceOf(value.symbol);
      if (space == Space::kShared || space == Space::kLocal ||
          space == Space::kParam) {
        return false;
      }
      access.symbol = value.symbol;
    } else if (value.parameter) {
      access.parameter = value.parameter;
      access.parameter_offset_bytes = value.parameter_offset_bytes;
    } else {
      facts_.unrooted.push_back({code_[index]->line, code_[index]->FullName()});
      return true;
    }
    if (value.knowledge == Knowledge::kExact) {
      access.offset = value.offset;
      access.assumes = value.assumes;
    }
    return true;
  }

  void Push(MemoryAccess access, bool is_store) {
    access.is_store = is_store;
    if (!access.symbol.empty()) {
      Insert(is_store ? facts_.variables_written : facts_.variables_read,
             access.symbol);
    }
    facts_.accesses.push_back(std::move(access));
  }

  static void Insert(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }

  void Judge() {
    facts_.not_elementwise_because = WhyNot();
    facts_.elementwise = facts_.not_elementwise_because.empty();
  }

  std::string WhyNot() const {
    if (facts_.has_barrier) return "it has a barrier";
    if (facts_.has_shared) return "it uses shared memory";
    if (facts_.has_warp_operations) return "it has warp operations";
    if (facts_.has_atomics_or_fences) return "it has atomics or fences";
    if (facts_.has_calls) return "it calls a function";
    if (facts_.has_side_effects) return "it has side effects";
    if (!facts_.variables_written.empty()) {
      return absl::StrCat("it writes the module variable ",
                          facts_.variables_written[0]);
    }
    if (!facts_.unrooted.empty()) {
      return absl::StrCat("line ", facts_.unrooted[0].line, ": the address of ",
                          facts_.unrooted[0].instruction,
                          " comes from no argument");
    }
    for (size_t i = 0; i < facts_.escapes.size(); ++i) {
      if (facts_.escapes[i]) {
        return absl::StrCat("the pointer in parameter ", i, " escapes");
      }
    }
    if (facts_.accesses.empty()) return "it touches no memory";
    for (const MemoryAccess& access : facts_.accesses) {
      const std::string line = absl::StrCat("line ", access.line, ": ");
      if (!access.plain) return line + "the access is volatile or ordered";
      if (access.in_loop) return line + "the access is in a loop";
      if (!access.unconditional) {
        return line +
               "the access depends on a condition that is not a bound "
               "of the index";
      }
      if (!access.offset) return line + "the address is not understood";
      if (access.guards != facts_.accesses[0].guards) {
        return line + "the access has another bound than those before";
      }
      if (!OwnsItsElement(access)) {
        return absl::StrCat(line, "the offset ", access.offset->ToString(),
                            " is not the thread's own element of ",
                            access.width_bytes, " bytes");
      }
    }
    return "";
  }

  // offset == constant + width * (ctaid.x * ntid.x + tid.x)
  static bool OwnsItsElement(const MemoryAccess& access) {
    const LaunchSymbol tid{LaunchSymbol::Kind::kTid, 0};
    const LaunchSymbol ctaid{LaunchSymbol::Kind::kCtaid, 0};
    const LaunchSymbol ntid{LaunchSymbol::Kind::kNtid, 0};
    const auto block =
        Polynomial::Multiply(Polynomial(ctaid), Polynomial(ntid));
    const auto index = Polynomial::Add(*block, Polynomial(tid));
    const auto own =
        Polynomial::Multiply(*index, Polynomial(access.width_bytes));
    const auto rest = Polynomial::Subtract(*access.offset, *own);
    return rest && rest->AsConstant().has_value();
  }

  const Module& module_;
  const Function& entry_;
  const ControlFlow flow_;
  const std::vector<const Instruction*>& code_;
  const SymbolicValues values_;
  std::vector<bool> in_loop_;
  uint32_t tail_ = 0;
  bool unstructured_ = false;  // a branch goes to no single place
  std::vector<std::pair<uint32_t, uint32_t>>
      forward_;  // branches not to the tail
  KernelFacts facts_;
};

}  // namespace

KernelFacts AnalyzeAccesses(const Module& module, const Function& entry) {
  return Analyzer(module, entry).Analyze();
}

}  // namespace graphd::ptx
