// Polynomials with 64-bit integer coefficients over the symbols of a launch.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_PTX_POLYNOMIAL_H_
#define GRAPHD_CORE_PTX_POLYNOMIAL_H_

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace graphd::ptx {

// A quantity that is constant for one thread of one launch, or an induction
// variable counting 0, 1, 2…
struct LaunchSymbol {
  enum class Kind : uint8_t {
    kTid,
    kCtaid,
    kNtid,
    kNctaid,
    kParameter,
    kInduction
  };
  Kind kind = Kind::kTid;
  uint32_t index = 0;         // 0..2 for x, y, z; parameter index; loop number
  uint32_t offset_bytes = 0;  // kParameter: inside a struct parameter
  auto operator<=>(const LaunchSymbol&) const = default;
};

class Polynomial {
 public:
  using Monomial = std::vector<LaunchSymbol>;  // sorted, repeated for powers;
                                               // empty: the constant term

  Polynomial() = default;
  explicit Polynomial(int64_t constant);
  explicit Polynomial(LaunchSymbol symbol);

  // nullopt when a coefficient would overflow or the degree would pass 4.
  static std::optional<Polynomial> Add(const Polynomial& a,
                                       const Polynomial& b);
  static std::optional<Polynomial> Subtract(const Polynomial& a,
                                            const Polynomial& b);
  static std::optional<Polynomial> Multiply(const Polynomial& a,
                                            const Polynomial& b);

  std::optional<int64_t> AsConstant() const;
  const std::map<Monomial, int64_t>& terms() const { return terms_; }
  std::string ToString() const;  // "4*ctaid.x*ntid.x + 4*tid.x"

  bool operator==(const Polynomial&) const = default;

 private:
  std::map<Monomial, int64_t> terms_;  // no zero coefficients
};

// Registers wrap, polynomials do not: what was computed from a register of
// `width_bits` is `value` only while that fits.
struct FitsIn {
  Polynomial value;
  int width_bits = 32;
  bool is_signed = true;

  bool operator==(const FitsIn&) const = default;
};

}  // namespace graphd::ptx

#endif  // GRAPHD_CORE_PTX_POLYNOMIAL_H_
