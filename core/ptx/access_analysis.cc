#include "core/ptx/access_analysis.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/ptx/symbolic_values.h"

namespace graphd::ptx {
namespace {

using Knowledge = SymbolicValue::Knowledge;

// A kernel as a list: instructions in order, and where labels stand in it.
struct FlatCode {
  std::vector<const Instruction*> instructions;
  absl::flat_hash_map<std::string, size_t> labels;    // index of what follows
  absl::flat_hash_map<std::string, Space> variables;  // of the function
  bool ambiguous_labels = false;

  void Add(const Block& block) {
    for (const Statement& statement : block.statements) {
      if (const auto* instruction = std::get_if<Instruction>(&statement)) {
        instructions.push_back(instruction);
      } else if (const auto* label = std::get_if<Label>(&statement)) {
        ambiguous_labels |=
            !labels.emplace(label->name, instructions.size()).second;
      } else if (const auto* variable = std::get_if<Variable>(&statement)) {
        variables[variable->name] = variable->space;
      } else if (const auto* inner = std::get_if<Block>(&statement)) {
        Add(*inner);
      }
    }
  }
};

bool IsBranch(const Instruction& instruction) {
  return instruction.opcode == "bra" || instruction.opcode == "brx";
}

bool IsReturn(const Instruction& instruction) {
  return instruction.opcode == "ret" || instruction.opcode == "exit";
}

class Analyzer {
 public:
  Analyzer(const Module& module, const Function& entry)
      : module_(module), entry_(entry) {
    code_.Add(entry.body);
    values_.emplace(entry, code_.instructions);
  }

  KernelFacts Analyze() {
    facts_.signature = SignatureOf(entry_);
    facts_.escapes = values_->escapes();
    ReadDirectives();
    FindLoopsAndTail();
    std::vector<Guard> guards;
    bool only_guards = true;  // no other branch so far
    for (size_t i = 0; i < code_.instructions.size(); ++i) {
      const Instruction& instruction = *code_.instructions[i];
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
    const size_t size = code_.instructions.size();
    in_loop_.assign(size, code_.ambiguous_labels);
    tail_ = size;
    while (tail_ > 0 && IsReturn(*code_.instructions[tail_ - 1])) --tail_;
    for (size_t i = 0; i < size; ++i) {
      const Instruction& instruction = *code_.instructions[i];
      if (instruction.opcode == "brx") unstructured_ = true;
      const std::optional<size_t> target = Target(instruction);
      if (!target) continue;
      if (*target <= i) {
        std::fill(in_loop_.begin() + *target, in_loop_.begin() + i + 1, true);
      } else if (*target < tail_) {
        forward_.emplace_back(i, *target);
      }
    }
  }

  std::optional<size_t> Target(const Instruction& instruction) const {
    if (instruction.opcode != "bra" || instruction.operands.empty()) {
      return std::nullopt;
    }
    const auto it = code_.labels.find(instruction.operands.back().text);
    if (it == code_.labels.end()) return std::nullopt;
    return it->second;
  }

  // The condition under which control passes the branch or return at `index`,
  // when not passing it means to end, and nothing jumps around it.
  std::optional<Guard> GuardOf(size_t index) const {
    const Instruction& instruction = *code_.instructions[index];
    if (unstructured_ || code_.ambiguous_labels || in_loop_[index] ||
        instruction.guard.empty()) {
      return std::nullopt;
    }
    if (IsBranch(instruction)) {
      const std::optional<size_t> target = Target(instruction);
      if (!target || *target < tail_) return std::nullopt;
    }
    for (const auto& [from, to] : forward_) {
      if (from < index && to > index) return std::nullopt;
    }
    const Instruction* compare = values_->OnlyDefinition(instruction.guard);
    if (compare == nullptr || compare->opcode != "setp" ||
        compare->operands.size() != 3 || !compare->guard.empty()) {
      return std::nullopt;
    }
    return Condition(*compare, !instruction.guard_negated);
  }

  // What holds when the comparison is `skipped_if` not: left < right.
  std::optional<Guard> Condition(const Instruction& compare,
                                 bool skipped_if) const {
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
    const auto a = values_->Number(compare.operands[1]);
    const auto b = values_->Number(compare.operands[2]);
    if (!a || !b || compare.modifiers.empty()) return std::nullopt;
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
      return skipped_if ? below(*a, *b, false) : below(*b, *a, true);
    if (relation == "gt")
      return skipped_if ? below(*a, *b, true) : below(*b, *a, false);
    if (relation == "lt")
      return skipped_if ? below(*b, *a, true) : below(*a, *b, false);
    if (relation == "le")
      return skipped_if ? below(*b, *a, false) : below(*a, *b, true);
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
    if (const auto it = code_.variables.find(symbol);
        it != code_.variables.end()) {
      return it->second;
    }
    const Variable* variable = module_.FindVariable(symbol);
    return variable == nullptr ? Space::kReg : variable->space;
  }

  void Visit(size_t index, const Instruction& instruction,
             const std::vector<Guard>& guards, bool only_guards) {
    NoteAddressesTaken(instruction);
    const std::string& opcode = instruction.opcode;
    const bool atomic = opcode == "atom" || opcode == "red";
    const bool store = opcode == "st";
    const bool load = opcode == "ld" || opcode == "ldu";
    const Operand* address = nullptr;
    for (const Operand& operand : instruction.operands) {
      if (operand.kind == Operand::Kind::kAddress) address = &operand;
    }
    if (address == nullptr) return;
    for (const char* space : {"shared", "local", "param"}) {
      for (const std::string& modifier : instruction.modifiers) {
        if (absl::StartsWith(modifier, space)) {
          facts_.has_shared |= space[0] == 's';
          if (load || store || atomic) return;
        }
      }
    }
    if (opcode == "prefetch" || opcode == "prefetchu") return;
    MemoryAccess access;
    access.line = instruction.line;
    access.in_loop = in_loop_[index];
    access.guards = guards;
    access.unconditional = only_guards && instruction.guard.empty();
    access.plain = (load || store) && !instruction.Has("volatile") &&
                   !instruction.Has("relaxed") && !instruction.Has("acquire") &&
                   !instruction.Has("release") && !instruction.Has("mmio") &&
                   opcode != "ldu";
    access.width_bytes = SizeBytes(instruction.type());
    if (instruction.Has("v2")) access.width_bytes *= 2;
    if (instruction.Has("v4")) access.width_bytes *= 4;
    if (instruction.Has("v8")) access.width_bytes *= 8;
    if (!Root(*address, instruction, access)) return;
    if (!store) Push(access, false);
    if (store || atomic || !load) Push(access, true);
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
  bool Root(const Operand& operand, const Instruction& instruction,
            MemoryAccess& access) {
    const SymbolicValue value = values_->Of(operand);
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
      facts_.unrooted.push_back({instruction.line, instruction.FullName()});
      return true;
    }
    if (value.knowledge == Knowledge::kExact) {
      access.offset = value.offset;
      access.assumes_no_wrap = value.assumes_no_wrap;
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
  FlatCode code_;
  std::optional<SymbolicValues> values_;
  std::vector<bool> in_loop_;
  size_t tail_ = 0;
  bool unstructured_ = false;
  std::vector<std::pair<size_t, size_t>> forward_;  // branches not to the tail
  KernelFacts facts_;
};

}  // namespace

KernelFacts AnalyzeAccesses(const Module& module, const Function& entry) {
  return Analyzer(module, entry).Analyze();
}

}  // namespace graphd::ptx
