#include "core/optimize/launch_bounds.h"

#include <algorithm>

namespace graphd {
namespace {

using ptx::LaunchSymbol;
using Range = LaunchBounds::Range;
using Wide = LaunchBounds::Wide;

std::optional<Range> Between(const Scalar& least, const Scalar& most) {
  const std::optional<int64_t> from = least.AsInteger();
  const std::optional<int64_t> to = most.AsInteger();
  // A sign bit may mean something else to the kernel.
  if (!from || !to || *from < 0 || *to < *from) return std::nullopt;
  return Range{*from, *to};
}

std::optional<Range> OfParameter(const Parameter& parameter) {
  if (!parameter.minimum || !parameter.maximum) return std::nullopt;
  return Between(*parameter.minimum, *parameter.maximum);
}

}  // namespace

std::optional<Range> LaunchBounds::Of(const ptx::Polynomial& polynomial) const {
  Range sum;
  for (const auto& [monomial, coefficient] : polynomial.terms()) {
    Range product{1, 1};
    for (const LaunchSymbol& symbol : monomial) {
      const std::optional<Range> factor = Of(symbol);
      // Factors are not negative and products stay small, so the ends
      // multiply.
      constexpr Wide kLargest = Wide{1} << 62;
      if (!factor.has_value() || factor->least < 0) return std::nullopt;
      product.least *= factor->least;
      product.most *= factor->most;
      if (product.most > kLargest) return std::nullopt;
    }
    const Wide a = product.least * coefficient;
    const Wide b = product.most * coefficient;
    sum.least += std::min(a, b);
    sum.most += std::max(a, b);
  }
  return sum;
}

bool LaunchBounds::Holds(const ptx::FitsIn& assumption) const {
  const std::optional<Range> range = Of(assumption.value);
  if (!range.has_value()) return false;
  const Wide values = Wide{1} << assumption.width_bits;
  const Wide least = assumption.is_signed ? -values / 2 : 0;
  return range->least >= least && range->most < least + values;
}

std::optional<Range> LaunchBounds::Of(const LaunchSymbol& symbol) const {
  switch (symbol.kind) {
    case LaunchSymbol::Kind::kTid:
      return Below(kernel_.block[symbol.index]);
    case LaunchSymbol::Kind::kCtaid:
      return Below(kernel_.grid[symbol.index]);
    case LaunchSymbol::Kind::kNtid:
      return Of(kernel_.block[symbol.index]);
    case LaunchSymbol::Kind::kNctaid:
      return Of(kernel_.grid[symbol.index]);
    case LaunchSymbol::Kind::kParameter:
      return OfArgument(symbol);
    case LaunchSymbol::Kind::kInduction:
      return std::nullopt;  // counts to where the loop's condition ends it
  }
  return std::nullopt;
}

std::optional<Range> LaunchBounds::Of(const LaunchDimension& dimension) const {
  if (!dimension.parameter.valid()) {
    return Range{dimension.value, dimension.value};
  }
  return OfParameter(graph_.parameter(dimension.parameter));
}

std::optional<Range> LaunchBounds::Below(
    const LaunchDimension& dimension) const {
  const std::optional<Range> extent = Of(dimension);
  if (!extent.has_value()) return std::nullopt;
  return Range{0, extent->most - 1};
}

std::optional<Range> LaunchBounds::OfArgument(
    const LaunchSymbol& symbol) const {
  if (symbol.offset_bytes != 0 || symbol.index >= kernel_.args.size()) {
    return std::nullopt;
  }
  const Argument& argument = kernel_.args[symbol.index];
  if (const auto* scalar = std::get_if<Scalar>(&argument)) {
    return Between(*scalar, *scalar);
  }
  if (const auto* named = std::get_if<ParameterArgument>(&argument)) {
    return OfParameter(graph_.parameter(named->parameter));
  }
  return std::nullopt;
}

}  // namespace graphd
