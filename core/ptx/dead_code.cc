#include "core/ptx/dead_code.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "core/ptx/instruction_effects.h"
#include "core/ptx/printer.h"

namespace graphd::ptx {
namespace {

class ValueSharer {
 public:
  ValueSharer(std::vector<Instruction>& code,
              const std::function<Type(const std::string& reg)>& type_of)
      : code_(code), type_of_(type_of) {}

  void Share() {
    for (const Instruction& instruction : code_) {
      ForEachWritten(instruction,
                     [&](const Operand& reg) { ++writes_[reg.text]; });
    }
    std::vector<Instruction> kept;
    kept.reserve(code_.size());
    for (Instruction& instruction : code_) {
      Rename(instruction);
      if (!IsKnown(instruction)) kept.push_back(std::move(instruction));
    }
    code_ = std::move(kept);
  }

 private:
  bool IsWrittenOnce(const Operand& reg) const {
    const auto it = writes_.find(reg.text);
    return it != writes_.end() && it->second == 1;
  }

  void Rename(Operand& operand) const {
    if (operand.kind == Operand::Kind::kRegister) {
      const auto it = stands_for_.find(operand.text);
      if (it != stands_for_.end()) operand.text = it->second;
    }
    for (Operand& element : operand.elements) Rename(element);
  }

  // Registers that are written once are the only ones with another name, so
  // what an instruction writes has none yet.
  void Rename(Instruction& instruction) const {
    for (Operand& operand : instruction.operands) Rename(operand);
    const auto it = stands_for_.find(instruction.guard);
    if (it != stands_for_.end()) instruction.guard = it->second;
  }

  // Whether its result is in another register already, which then stands for
  // the instruction's own.
  bool IsKnown(const Instruction& instruction) {
    if (!OnlyComputes(instruction) || !instruction.guard.empty() ||
        instruction.operands[0].kind != Operand::Kind::kRegister) {
      return false;
    }
    bool stable = IsWrittenOnce(instruction.operands[0]);
    ForEachRead(instruction, [&](const Operand& reg) {
      stable = stable && IsWrittenOnce(reg);
    });
    if (!stable) return false;
    const std::string& to = instruction.operands[0].text;
    const Operand& source = instruction.operands[1];
    if (instruction.opcode == "mov" && writes_.contains(source.text) &&
        type_of_(source.text) == type_of_(to)) {
      stands_for_[to] = source.text;
      return true;
    }
    std::string key =
        absl::StrCat(Name(type_of_(to)), " ", instruction.FullName());
    for (size_t i = 1; i < instruction.operands.size(); ++i) {
      absl::StrAppend(&key, ", ", Print(instruction.operands[i]));
    }
    const auto [it, is_new] = values_.emplace(std::move(key), to);
    if (!is_new) stands_for_[to] = it->second;
    return !is_new;
  }

  std::vector<Instruction>& code_;
  const std::function<Type(const std::string& reg)>& type_of_;
  absl::flat_hash_map<std::string, int> writes_;  // by register
  absl::flat_hash_map<std::string, std::string> stands_for_;
  absl::flat_hash_map<std::string, std::string> values_;  // register, by what
                                                          // computes it
};

}  // namespace

void RemoveDeadCode(std::vector<Instruction>& code) {
  absl::flat_hash_set<std::string> wanted;
  std::vector<Instruction> kept;
  for (auto it = code.rbegin(); it != code.rend(); ++it) {
    bool needed = !OnlyComputes(*it) && !IsPlainLoad(*it);
    ForEachWritten(*it, [&](const Operand& reg) {
      needed = needed || wanted.contains(reg.text);
    });
    if (!needed) continue;
    if (it->guard.empty()) {
      ForEachWritten(*it, [&](const Operand& reg) { wanted.erase(reg.text); });
    } else {
      wanted.insert(it->guard);
    }
    ForEachRead(*it, [&](const Operand& reg) { wanted.insert(reg.text); });
    kept.push_back(std::move(*it));
  }
  std::reverse(kept.begin(), kept.end());
  code = std::move(kept);
}

void ShareEqualValues(
    std::vector<Instruction>& code,
    const std::function<Type(const std::string& reg)>& type_of) {
  ValueSharer(code, type_of).Share();
}

}  // namespace graphd::ptx
