#include "core/ptx/polynomial.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace graphd::ptx {
namespace {

const LaunchSymbol kTid{LaunchSymbol::Kind::kTid, 0};
const LaunchSymbol kNtid{LaunchSymbol::Kind::kNtid, 0};

TEST(PolynomialTest, EqualSumsAreEqualWhateverTheOrder) {
  const Polynomial a(kTid), b(kNtid);
  EXPECT_EQ(Polynomial::Add(a, b), Polynomial::Add(b, a));
  EXPECT_EQ(Polynomial::Multiply(a, b), Polynomial::Multiply(b, a));
}

TEST(PolynomialTest, TermsThatCancelLeaveNothing) {
  const Polynomial a(kTid);
  EXPECT_EQ(Polynomial::Subtract(a, a)->AsConstant(), 0);
  EXPECT_EQ(Polynomial::Subtract(a, a), Polynomial());
}

TEST(PolynomialTest, OverflowIsRefused) {
  EXPECT_FALSE(
      Polynomial::Add(Polynomial(INT64_MAX), Polynomial(1)).has_value());
  EXPECT_FALSE(
      Polynomial::Multiply(Polynomial(INT64_MAX), Polynomial(2)).has_value());
}

TEST(PolynomialTest, ADegreeBeyondFourIsRefused) {
  Polynomial power(kTid);
  for (int i = 0; i < 3; ++i)
    power = *Polynomial::Multiply(power, Polynomial(kTid));
  EXPECT_FALSE(Polynomial::Multiply(power, Polynomial(kTid)).has_value());
}

TEST(PolynomialTest, TextShowsProductsFirstAndTheConstantLast) {
  const auto index = Polynomial::Add(
      *Polynomial::Multiply(Polynomial(kTid), Polynomial(-4)), Polynomial(12));
  EXPECT_EQ(index->ToString(), "-4*tid.x + 12");
  EXPECT_EQ(Polynomial().ToString(), "0");
}

}  // namespace
}  // namespace graphd::ptx
