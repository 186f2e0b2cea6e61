#include "core/ptx/reaching_definitions.h"

#include <algorithm>
#include <deque>

#include "absl/functional/function_ref.h"
#include "core/ptx/opcodes.h"

namespace graphd::ptx {
namespace {

// Above so many words of sets, or steps over them, nothing is walked: for text
// that is made to be slow.
constexpr uint64_t kMostWords = uint64_t{1} << 22;
constexpr uint64_t kMostSteps = uint64_t{1} << 28;
// Above so many definitions at one place nobody asks which.
constexpr size_t kMostAtAPlace = 16;

bool WritesNothing(const Instruction& instruction) {
  static constexpr absl::string_view kNames[] = {
      "st",    "bra",  "brx",   "ret",      "exit",      "red",      "membar",
      "fence", "trap", "brkpt", "prefetch", "prefetchu", "nanosleep"};
  for (const absl::string_view name : kNames) {
    if (instruction.opcode == name) return true;
  }
  return (instruction.opcode == "bar" || instruction.opcode == "barrier") &&
         !instruction.Has("red");
}

// Registers that are written as such, not those that addresses are made of.
void ForEachTarget(const Operand& operand,
                   absl::FunctionRef<void(const Operand&)> visit) {
  if (operand.kind == Operand::Kind::kAddress) return;
  if (operand.kind == Operand::Kind::kRegister) visit(operand);
  for (const Operand& element : operand.elements) ForEachTarget(element, visit);
}

void ForEachRegister(const Operand& operand,
                     absl::FunctionRef<void(const Operand&)> visit) {
  if (operand.kind == Operand::Kind::kRegister) visit(operand);
  for (const Operand& element : operand.elements) {
    ForEachRegister(element, visit);
  }
}

}  // namespace

// Sets of definitions of registers that have several, as bits.
class ReachingDefinitions::Walk {
 public:
  explicit Walk(ReachingDefinitions& owner)
      : owner_(owner), bit_of_(owner.definitions_.size(), kNone) {
    for (const std::vector<uint32_t>& list : owner.of_register_) {
      if (list.size() < 2) continue;
      for (const uint32_t definition : list) {
        bit_of_[definition] = static_cast<uint32_t>(definition_of_.size());
        definition_of_.push_back(definition);
      }
    }
    words_ = (definition_of_.size() + 63) / 64;
  }

  void Run() {
    const size_t blocks = owner_.flow_.blocks().size();
    if (words_ == 0 || words_ * blocks > kMostWords) return;
    if (!Solve()) return;
    for (size_t i = 0; i < blocks; ++i) {
      if (reached_[i]) Record(i);
    }
  }

 private:
  static constexpr uint32_t kNone = 0xffffffffu;
  using Bits = std::vector<uint64_t>;

  // Definitions stand in the order of their instructions.
  std::pair<uint32_t, uint32_t> DefinitionsOf(uint32_t begin,
                                              uint32_t end) const {
    const auto& all = owner_.definitions_;
    const auto at = [&](uint32_t instruction) {
      return static_cast<uint32_t>(
          std::lower_bound(all.begin(), all.end(), instruction,
                           [](const Definition& d, uint32_t i) {
                             return d.instruction < i;
                           }) -
          all.begin());
    };
    return {at(begin), at(end)};
  }

  // The definitions of one register stand together.
  void Apply(uint32_t definition, uint64_t* bits) const {
    const uint32_t bit = bit_of_[definition];
    if (bit == kNone) return;
    if (!owner_.definitions_[definition].may_not_happen) {
      for (const uint32_t other :
           owner_.of_register_[owner_.definitions_[definition].reg]) {
        bits[bit_of_[other] / 64] &= ~(uint64_t{1} << (bit_of_[other] % 64));
      }
    }
    bits[bit / 64] |= uint64_t{1} << (bit % 64);
  }

  // False: too much work.
  bool Solve() {
    const std::vector<ControlFlow::Block>& blocks = owner_.flow_.blocks();
    // What a block keeps and adds, so that it need not be walked again.
    Bits keeps(words_ * blocks.size(), ~uint64_t{0});
    Bits adds(words_ * blocks.size(), 0);
    for (size_t b = 0; b < blocks.size(); ++b) {
      const auto [first, end] = DefinitionsOf(blocks[b].begin, blocks[b].end);
      for (uint32_t d = first; d < end; ++d) {
        if (bit_of_[d] == kNone) continue;
        steps_ += owner_.of_register_[owner_.definitions_[d].reg].size();
        if (steps_ > kMostSteps) return false;
        Apply(d, &adds[b * words_]);
        if (owner_.definitions_[d].may_not_happen) continue;
        for (const uint32_t other :
             owner_.of_register_[owner_.definitions_[d].reg]) {
          keeps[b * words_ + bit_of_[other] / 64] &=
              ~(uint64_t{1} << (bit_of_[other] % 64));
        }
      }
    }
    in_.assign(words_ * blocks.size(), 0);
    reached_.assign(blocks.size(), false);
    reached_[0] = true;
    std::vector<bool> is_open(blocks.size(), false);
    std::deque<uint32_t> open = {0};
    while (!open.empty()) {
      const uint32_t b = open.front();
      open.pop_front();
      is_open[b] = false;
      for (const uint32_t next : blocks[b].successors) {
        steps_ += words_;
        bool changed = !reached_[next];
        reached_[next] = true;
        for (size_t w = 0; w < words_; ++w) {
          const uint64_t out = (in_[b * words_ + w] & keeps[b * words_ + w]) |
                               adds[b * words_ + w];
          uint64_t& in = in_[next * words_ + w];
          changed |= (out & ~in) != 0;
          in |= out;
        }
        if (changed && !is_open[next]) {
          is_open[next] = true;
          open.push_back(next);
        }
      }
      if (steps_ > kMostSteps) return false;
    }
    return true;
  }

  void Record(size_t block) {
    const ControlFlow& flow = owner_.flow_;
    uint64_t* bits = &in_[block * words_];
    const uint32_t begin = flow.blocks()[block].begin;
    const uint32_t end = flow.blocks()[block].end;
    uint32_t next = DefinitionsOf(begin, end).first;
    for (uint32_t i = begin; i < end; ++i) {
      const Instruction& instruction = *flow.code()[i];
      if (!instruction.guard.empty()) {
        RecordUse(i, flow.Register(i, instruction.guard), bits);
      }
      for (const Operand& operand : instruction.operands) {
        ForEachRegister(operand, [&](const Operand& used) {
          RecordUse(i, flow.Register(i, used.text), bits);
        });
      }
      for (; next < owner_.definitions_.size() &&
             owner_.definitions_[next].instruction == i;
           ++next) {
        Apply(next, bits);
      }
    }
  }

  void RecordUse(uint32_t instruction, uint32_t reg, const uint64_t* bits) {
    const std::vector<uint32_t>& all = owner_.of_register_[reg];
    steps_ += all.size();
    if (all.size() < 2 || steps_ > kMostSteps) return;
    std::vector<uint32_t> reaching;
    for (const uint32_t definition : all) {
      const uint32_t bit = bit_of_[definition];
      if (((bits[bit / 64] >> (bit % 64)) & 1) != 0) {
        reaching.push_back(definition);
        if (reaching.size() > kMostAtAPlace) return;
      }
    }
    owner_.at_[{instruction, reg}] = std::move(reaching);
  }

  ReachingDefinitions& owner_;
  std::vector<uint32_t> bit_of_;         // by definition
  std::vector<uint32_t> definition_of_;  // by bit
  size_t words_ = 0;
  uint64_t steps_ = 0;
  Bits in_;  // by block
  std::vector<bool> reached_;
};

ReachingDefinitions::ReachingDefinitions(const ControlFlow& flow)
    : flow_(flow) {
  FindDefinitions();
  Walk(*this).Run();
}

void ReachingDefinitions::FindDefinitions() {
  of_register_.resize(flow_.register_count());
  for (uint32_t i = 0; i < flow_.code().size(); ++i) {
    const Instruction& instruction = *flow_.code()[i];
    if (WritesNothing(instruction) || instruction.operands.empty()) continue;
    bool known = FindOpcode(instruction.opcode) != nullptr;
    const auto define = [&](const Operand& target) {
      const uint32_t reg = flow_.Register(i, target.text);
      of_register_[reg].push_back(static_cast<uint32_t>(definitions_.size()));
      definitions_.push_back(
          {i, reg, &target, !known || !instruction.guard.empty()});
    };
    if (!known) {
      for (const Operand& operand : instruction.operands) {
        ForEachTarget(operand, define);
      }
    } else if (instruction.opcode != "call" ||
               instruction.operands[0].kind == Operand::Kind::kTuple) {
      ForEachTarget(instruction.operands[0], define);
    }
  }
}

std::optional<absl::Span<const uint32_t>> ReachingDefinitions::At(
    uint32_t instruction, uint32_t reg) const {
  const std::vector<uint32_t>& all = of_register_[reg];
  if (all.size() < 2) return all;
  const auto it = at_.find({instruction, reg});
  if (it == at_.end()) return std::nullopt;
  return it->second;
}

}  // namespace graphd::ptx
