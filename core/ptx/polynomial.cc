#include "core/ptx/polynomial.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace graphd::ptx {
namespace {

constexpr size_t kMaxDegree = 4;
constexpr size_t kMaxTerms = 64;  // hostile text must not make them grow

std::string SymbolName(const LaunchSymbol& symbol) {
  constexpr const char* kAxes[] = {"x", "y", "z"};
  const char* axis = kAxes[std::min<uint32_t>(symbol.index, 2)];
  switch (symbol.kind) {
    case LaunchSymbol::Kind::kTid:
      return absl::StrCat("tid.", axis);
    case LaunchSymbol::Kind::kCtaid:
      return absl::StrCat("ctaid.", axis);
    case LaunchSymbol::Kind::kNtid:
      return absl::StrCat("ntid.", axis);
    case LaunchSymbol::Kind::kNctaid:
      return absl::StrCat("nctaid.", axis);
    case LaunchSymbol::Kind::kParameter:
      return symbol.offset_bytes == 0 ? absl::StrCat("param", symbol.index)
                                      : absl::StrCat("param", symbol.index, "[",
                                                     symbol.offset_bytes, "]");
    case LaunchSymbol::Kind::kInduction:
      return absl::StrCat("loop", symbol.index);
  }
  return "";
}

}  // namespace

Polynomial::Polynomial(int64_t constant) {
  if (constant != 0) terms_[{}] = constant;
}

Polynomial::Polynomial(LaunchSymbol symbol) { terms_[{symbol}] = 1; }

std::optional<Polynomial> Polynomial::Add(const Polynomial& a,
                                          const Polynomial& b) {
  Polynomial sum = a;
  for (const auto& [monomial, coefficient] : b.terms_) {
    int64_t& term = sum.terms_[monomial];
    if (__builtin_add_overflow(term, coefficient, &term)) return std::nullopt;
    if (term == 0) sum.terms_.erase(monomial);
  }
  if (sum.terms_.size() > kMaxTerms) return std::nullopt;
  return sum;
}

std::optional<Polynomial> Polynomial::Subtract(const Polynomial& a,
                                               const Polynomial& b) {
  const std::optional<Polynomial> negated = Multiply(b, Polynomial(-1));
  return negated ? Add(a, *negated) : std::nullopt;
}

std::optional<Polynomial> Polynomial::Multiply(const Polynomial& a,
                                               const Polynomial& b) {
  std::optional<Polynomial> product = Polynomial();
  for (const auto& [left, x] : a.terms_) {
    for (const auto& [right, y] : b.terms_) {
      Monomial factors = left;
      factors.insert(factors.end(), right.begin(), right.end());
      if (factors.size() > kMaxDegree) return std::nullopt;
      std::sort(factors.begin(), factors.end());
      Polynomial term;
      int64_t coefficient = 0;
      if (__builtin_mul_overflow(x, y, &coefficient)) return std::nullopt;
      term.terms_[std::move(factors)] = coefficient;
      product = Add(*product, term);
      if (!product) return std::nullopt;
    }
  }
  return product;
}

std::optional<int64_t> Polynomial::AsConstant() const {
  if (terms_.empty()) return 0;
  if (terms_.size() == 1 && terms_.begin()->first.empty()) {
    return terms_.begin()->second;
  }
  return std::nullopt;
}

std::string Polynomial::ToString() const {
  if (terms_.empty()) return "0";
  std::string text;
  // Products first, the constant last.
  for (auto it = terms_.rbegin(); it != terms_.rend(); ++it) {
    const auto& [monomial, coefficient] = *it;
    const bool negative = coefficient < 0;
    const uint64_t size = negative ? 0 - static_cast<uint64_t>(coefficient)
                                   : static_cast<uint64_t>(coefficient);
    if (!text.empty()) {
      text += negative ? " - " : " + ";
    } else if (negative) {
      text += "-";
    }
    std::string factors;
    for (const LaunchSymbol& symbol : monomial) {
      absl::StrAppend(&factors, factors.empty() ? "" : "*", SymbolName(symbol));
    }
    if (factors.empty()) {
      absl::StrAppend(&text, size);
    } else if (size == 1) {
      text += factors;
    } else {
      absl::StrAppend(&text, size, "*", factors);
    }
  }
  return text;
}

}  // namespace graphd::ptx
