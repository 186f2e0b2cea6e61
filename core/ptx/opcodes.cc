#include "core/ptx/opcodes.h"

#include <algorithm>
#include <iterator>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace graphd::ptx {
namespace {

constexpr OpcodeRow kOpcodes[] = {
#define GRAPHD_OPCODE(name, shape, stage, software) \
  {name, shape, stage, software},
#include "core/ptx/opcodes.def"
#undef GRAPHD_OPCODE
};

constexpr absl::string_view kSpecialRegisters[] = {"tid",
                                                   "ntid",
                                                   "ctaid",
                                                   "nctaid",
                                                   "laneid",
                                                   "warpid",
                                                   "nwarpid",
                                                   "smid",
                                                   "nsmid",
                                                   "gridid",
                                                   "clusterid",
                                                   "nclusterid",
                                                   "cluster_ctaid",
                                                   "cluster_nctaid",
                                                   "cluster_ctarank",
                                                   "cluster_nctarank",
                                                   "is_explicit_cluster",
                                                   "lanemask_eq",
                                                   "lanemask_le",
                                                   "lanemask_lt",
                                                   "lanemask_ge",
                                                   "lanemask_gt",
                                                   "clock",
                                                   "clock_hi",
                                                   "clock64",
                                                   "globaltimer",
                                                   "globaltimer_lo",
                                                   "globaltimer_hi",
                                                   "total_smem_size",
                                                   "aggr_smem_size",
                                                   "dynamic_smem_size",
                                                   "current_graph_exec"};

// "%tid.x" -> "tid".
absl::string_view BareName(absl::string_view name) {
  absl::ConsumePrefix(&name, "%");
  return name.substr(0, name.find('.'));
}

// `word` is one of the words of `list`, which spaces separate.
bool Lists(absl::string_view list, absl::string_view word) {
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find(' ', at), list.size());
    if (list.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

// Special registers of stage 1; the rest belong to later ones.
bool OperandRuns(const Operand& operand) {
  if (operand.kind == Operand::Kind::kRegister &&
      IsSpecialRegister(operand.text)) {
    return Lists("tid ntid ctaid nctaid", BareName(operand.text));
  }
  return std::all_of(operand.elements.begin(), operand.elements.end(),
                     OperandRuns);
}

// A barrier of the whole block, with a number from 0 to 15.
bool BarrierRuns(const Instruction& instruction) {
  if (!instruction.Has("sync") || instruction.operands.size() != 1) {
    return false;
  }
  const Operand& id = instruction.operands[0];
  return id.kind == Operand::Kind::kInteger && id.integer >= 0 &&
         id.integer <= 15;
}

}  // namespace

absl::Span<const OpcodeRow> AllOpcodes() { return kOpcodes; }

const OpcodeRow* FindOpcode(absl::string_view name) {
  static const auto& rows = *[] {
    auto* map = new absl::flat_hash_map<absl::string_view, const OpcodeRow*>;
    for (const OpcodeRow& row : kOpcodes) map->emplace(row.name, &row);
    return map;
  }();
  const auto found = rows.find(name);
  return found == rows.end() ? nullptr : found->second;
}

bool IsSpecialRegister(absl::string_view name) {
  if (!absl::StartsWith(name, "%")) return false;
  absl::string_view bare = BareName(name);
  if (std::find(std::begin(kSpecialRegisters), std::end(kSpecialRegisters),
                bare) != std::end(kSpecialRegisters)) {
    return true;
  }
  if (absl::StartsWith(bare, "reserved_smem_offset_")) return true;
  // %envreg0 to %envreg31, %pm0 to %pm7 and %pm0_64 to %pm7_64.
  if (!absl::ConsumePrefix(&bare, "envreg")) {
    if (!absl::ConsumePrefix(&bare, "pm")) return false;
    absl::ConsumeSuffix(&bare, "_64");
  }
  return !bare.empty() && bare.size() <= 2 &&
         std::all_of(bare.begin(), bare.end(), [](char c) {
           return absl::ascii_isdigit(static_cast<unsigned char>(c));
         });
}

bool SoftwareRuns(const Instruction& instruction) {
  const OpcodeRow* row = FindOpcode(instruction.opcode);
  if (row == nullptr || row->software == nullptr) return false;
  for (const std::string& modifier : instruction.modifiers) {
    if (!Lists(row->software, modifier)) return false;
  }
  if ((row->name == "bar" || row->name == "barrier") &&
      !BarrierRuns(instruction)) {
    return false;
  }
  // Forms with more operands or a second result belong to later stages.
  if (row->name == "lop3" &&
      (instruction.operands.empty() ||
       instruction.operands[0].kind != Operand::Kind::kRegister)) {
    return false;
  }
  return std::all_of(instruction.operands.begin(), instruction.operands.end(),
                     OperandRuns);
}

}  // namespace graphd::ptx
