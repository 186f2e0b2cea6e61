#include "core/optimize/fuse_candidate.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/optimize/derive_accesses.h"
#include "core/optimize/launch_bounds.h"

namespace graphd {
namespace {

using ptx::LaunchSymbol;
using ptx::Polynomial;

// Numbers below it mean the same to every comparison, signed or not.
constexpr int64_t kLargestBound = INT32_MAX;

std::string DimensionText(const LaunchDimension& dimension) {
  return dimension.parameter.valid() ? "parameter"
                                     : absl::StrCat(dimension.value);
}

std::string ShapeText(const KernelStep& kernel) {
  std::string text;
  for (const LaunchShape* shape : {&kernel.grid, &kernel.block}) {
    if (!text.empty()) text += "×";
    const auto is_one = [&](size_t axis) {
      const LaunchDimension& dimension = (*shape)[axis];
      return !dimension.parameter.valid() && dimension.value == 1;
    };
    const bool flat = is_one(1) && is_one(2);
    absl::StrAppend(&text, flat ? "" : "(", DimensionText((*shape)[0]));
    if (flat) continue;
    absl::StrAppend(&text, ",", DimensionText((*shape)[1]), ",",
                    DimensionText((*shape)[2]), ")");
  }
  return text;
}

bool SameShape(const LaunchShape& a, const LaunchShape& b) {
  for (size_t axis = 0; axis < 3; ++axis) {
    if (a[axis].value != b[axis].value ||
        a[axis].parameter != b[axis].parameter) {
      return false;
    }
  }
  return true;
}

// ctaid.x * ntid.x + tid.x
Polynomial Index() {
  const Polynomial block = *Polynomial::Multiply(
      Polynomial(LaunchSymbol{LaunchSymbol::Kind::kCtaid}),
      Polynomial(LaunchSymbol{LaunchSymbol::Kind::kNtid}));
  return *Polynomial::Add(block,
                          Polynomial(LaunchSymbol{LaunchSymbol::Kind::kTid}));
}

class CandidateReader {
 public:
  CandidateReader(const Draft& draft, const DraftNode& node,
                  const KernelStep& kernel, FuseCandidate& candidate)
      : draft_(draft),
        kernel_(kernel),
        facts_(*node.facts),
        bounds_(draft.graph(), kernel),
        candidate_(candidate) {}

  // Why the kernel is none; empty: it is one.
  std::string Read() {
    for (const LaunchShape* shape : {&kernel_.grid, &kernel_.block}) {
      for (size_t axis = 0; axis < 3; ++axis) {
        const LaunchDimension& dimension = (*shape)[axis];
        if (dimension.parameter.valid()) {
          return "its launch shape is a parameter";
        }
        if (axis > 0 && dimension.value != 1) {
          return "its launch has more than one axis";
        }
      }
    }
    if (kernel_.shared_bytes != 0) return "it uses shared memory";
    if (!facts_.elementwise) return facts_.not_elementwise_because;
    if (!candidate_.code->body.why_not.empty()) {
      return candidate_.code->body.why_not;
    }
    candidate_.bound.threads =
        uint64_t{kernel_.grid[0].value} * kernel_.block[0].value;
    if (candidate_.bound.threads > kLargestBound) {
      return "it has more threads than 32 bits count";
    }
    // Of one access: an element-wise kernel has the same for all.
    for (const ptx::Guard& guard : facts_.accesses[0].guards) {
      std::string why_not = ReadBound(guard);
      if (!why_not.empty()) return why_not;
    }
    for (const ptx::MemoryAccess& access : facts_.accesses) {
      std::string why_not = ReadElement(access);
      if (!why_not.empty()) return why_not;
    }
    return "";
  }

 private:
  bool AllHold(const std::vector<ptx::FitsIn>& assumptions) const {
    return std::all_of(
        assumptions.begin(), assumptions.end(),
        [&](const ptx::FitsIn& fits) { return bounds_.Holds(fits); });
  }

  // index < number, or index < parameter.
  std::string ReadBound(const ptx::Guard& guard) {
    if (guard.left != Index()) {
      return absl::StrCat("its bound is on ", guard.left.ToString(),
                          ", not on the index");
    }
    if (!AllHold(guard.assumes)) {
      return "what its bound compares may wrap, or is not known";
    }
    const std::optional<LaunchBounds::Range> right = bounds_.Of(guard.right);
    if (!right.has_value() || right->least < 1 || right->most > kLargestBound) {
      return absl::StrCat("its bound ", guard.right.ToString(),
                          " is not known to be in 1 .. 2^31-1");
    }
    const uint64_t most = static_cast<uint64_t>(right->most);
    if (right->least != right->most) {
      const std::optional<ParameterId> parameter = AsParameter(guard.right);
      if (!parameter.has_value()) {
        return absl::StrCat("its bound ", guard.right.ToString(),
                            " is more than one parameter of the run");
      }
      candidate_.bound.parameter = *parameter;
    }
    candidate_.bound.threads = std::min(candidate_.bound.threads, most);
    return "";
  }

  // The run's parameter that `polynomial` is, and nothing else.
  std::optional<ParameterId> AsParameter(const Polynomial& polynomial) const {
    if (polynomial.terms().size() != 1) return std::nullopt;
    const auto& [monomial, coefficient] = *polynomial.terms().begin();
    if (monomial.size() != 1 || coefficient != 1 ||
        monomial[0].kind != LaunchSymbol::Kind::kParameter) {
      return std::nullopt;
    }
    const auto* named =
        std::get_if<ParameterArgument>(&kernel_.args[monomial[0].index]);
    if (named == nullptr) return std::nullopt;
    return named->parameter;
  }

  std::string ReadElement(const ptx::MemoryAccess& access) {
    const std::string line = absl::StrCat("line ", access.line, ": ");
    std::optional<BufferRoot> root;
    if (access.parameter.has_value()) {
      root = RootOf(kernel_.args[*access.parameter],
                    access.parameter_offset_bytes);
    }
    if (!root.has_value()) return line + "the address is of no buffer";
    if (!AllHold(access.assumes)) {
      return line + "the address may wrap, or is not known";
    }
    // Element-wise: what is left is a number.
    const std::optional<Polynomial> own =
        Polynomial::Multiply(Index(), Polynomial(access.width_bytes));
    const std::optional<Polynomial> rest =
        Polynomial::Subtract(*access.offset, *own);
    const LaunchBounds::Wide offset =
        LaunchBounds::Wide{*rest->AsConstant()} + root->offset_bytes;
    const LaunchBounds::Wide end =
        offset +
        LaunchBounds::Wide{access.width_bytes} * candidate_.bound.threads;
    const PlanBuffer& buffer = draft_.buffers[root->buffer.index()].plan;
    if (offset < 0 || end > buffer.size_bytes) {
      return absl::StrCat(line, "it touches more than the ", buffer.size_bytes,
                          " bytes of buffer \"", buffer.name, "\"");
    }
    candidate_.elements.push_back({root->buffer, static_cast<uint64_t>(offset),
                                   access.width_bytes, access.is_store});
    return "";
  }

  const Draft& draft_;
  const KernelStep& kernel_;
  const ptx::KernelFacts& facts_;
  const LaunchBounds bounds_;
  FuseCandidate& candidate_;
};

}  // namespace

FuseCandidate FuseCandidates::Read(const DraftNode& node) {
  const auto& kernel = std::get<KernelStep>(node.body);
  FuseCandidate candidate;
  if (node.hints.fusible == false) {
    candidate.why_not = "its hints forbid fusion";
    return candidate;
  }
  candidate.code = CodeOf(node, kernel);
  candidate.why_not =
      candidate.code == nullptr
          ? "its code is not known as PTX"
          : CandidateReader(draft_, node, kernel, candidate).Read();
  return candidate;
}

std::shared_ptr<const FuseCode> FuseCandidates::CodeOf(
    const DraftNode& node, const KernelStep& kernel) {
  const DraftImage& image = draft_.images[kernel.image.index()];
  if (node.facts == nullptr || image.module == nullptr) return nullptr;
  const auto [it, is_new] = codes_.try_emplace(node.facts.get());
  if (is_new) {
    auto code = std::make_shared<FuseCode>();
    code->module = image.module;
    code->entry = image.module->FindEntry(kernel.function);
    code->body = ptx::ReadGuardedBody(*code->entry, *node.facts);
    it->second = std::move(code);
  }
  return it->second;
}

std::string WhyShapesDiffer(const KernelStep& a, const KernelStep& b) {
  if (SameShape(a.grid, b.grid) && SameShape(a.block, b.block)) return "";
  return absl::StrCat("shapes differ: ", ShapeText(a), " against ",
                      ShapeText(b));
}

}  // namespace graphd
