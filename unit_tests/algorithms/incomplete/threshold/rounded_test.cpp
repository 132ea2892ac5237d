// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex arithmetic by real operations, against long doubles, and where it must not overflow.
#include "algorithms/incomplete/threshold/rounded.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <random>

namespace terrace::test {
namespace {

using Complex = Kokkos::complex<double>;
using Wide = std::complex<long double>;

Wide widen(const Complex& value) { return {value.real(), value.imag()}; }

void expect_near(const Complex& found, const Wide& expected) {
  EXPECT_LE(std::abs(widen(found) - expected), 1e-15L * std::abs(expected)) << found.real() << " + i " << found.imag();
}

template <class Body>
void for_each_pair(const Body& body) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> part(-1, 1);
  std::uniform_int_distribution<int> exponent(-60, 60);
  const auto number = [&] { return std::ldexp(part(generator), exponent(generator)); };
  for (int repetition = 0; repetition < 2000; ++repetition) {
    const double re = number(), im = number(), other_re = number(), other_im = number();
    body(Complex(re, im), Complex(other_re, other_im));
    body(Complex(re, 0), Complex(0, other_im));
    body(Complex(0, im), Complex(other_re, 0));
  }
}

TEST(Rounded, IsPlainArithmeticOfRealNumbers) {
  EXPECT_EQ(incomplete::rounded_product(3.0, -7.0), -21.0);
  EXPECT_EQ(incomplete::rounded_quotient(1.0f, 3.0f), 1.0f / 3.0f);
  EXPECT_EQ(incomplete::rounded_size(-2.5), 2.5);
  EXPECT_EQ(incomplete::rounded_root(2.0), std::sqrt(2.0));
}

/// 1 + 2^-30 squared is no double: the product rounds before the sum does.
TEST(Rounded, AProductRoundsBeforeItIsAdded) {
  const double a = 1 + std::ldexp(1.0, -30);
  volatile double sum = -(1 + std::ldexp(1.0, -29));
  EXPECT_EQ(sum + incomplete::rounded_product(a, a), 0.0);
}

TEST(Rounded, ComplexProductsQuotientsSizesAndRoots) {
  for_each_pair([](const Complex& a, const Complex& b) {
    const Complex product = incomplete::rounded_product(a, b);
    const Wide exact = widen(a) * widen(b);
    EXPECT_LE(std::abs(widen(product) - exact), 1e-15L * std::abs(exact));
    expect_near(incomplete::rounded_quotient(a, b), widen(a) / widen(b));
    EXPECT_NEAR(incomplete::rounded_size(a), std::hypot(a.real(), a.imag()), 4e-16 * std::hypot(a.real(), a.imag()));
    const Complex root = incomplete::rounded_root(a);
    expect_near(root, std::sqrt(widen(a)));
    EXPECT_GE(root.real(), 0.0);
  });
}

TEST(Rounded, NothingIsSquared) {
  const double large = 1e300, small = 1e-300;
  EXPECT_NEAR(incomplete::rounded_size(Complex(large, large)) / large, std::sqrt(2.0), 1e-15);
  EXPECT_NEAR(incomplete::rounded_size(Complex(small, -small)) / small, std::sqrt(2.0), 1e-15);
  expect_near(incomplete::rounded_quotient(Complex(large, 0), Complex(large, large)), Wide(0.5L, -0.5L));
  expect_near(incomplete::rounded_quotient(Complex(small, 0), Complex(small, small)), Wide(0.5L, -0.5L));
}

TEST(Rounded, ZerosAndWhatIsNotFinite) {
  const double infinity = HUGE_VAL, nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(incomplete::rounded_size(Complex(0, 0)), 0.0);
  EXPECT_EQ(incomplete::rounded_root(Complex(0, 0)), Complex(0, 0));
  for (const Complex& value : {Complex(infinity, 1), Complex(1, -infinity), Complex(-infinity, infinity)})
    EXPECT_EQ(incomplete::rounded_size(value), infinity);
  for (const Complex& value : {Complex(nan, 1), Complex(1, nan), Complex(nan, nan), Complex(0, nan)}) {
    EXPECT_TRUE(std::isnan(incomplete::rounded_size(value)));
    const Complex root = incomplete::rounded_root(value);
    EXPECT_FALSE(std::isfinite(root.real()) && std::isfinite(root.imag()));
  }
  const Complex quotient = incomplete::rounded_quotient(Complex(1, 1), Complex(0, 0));
  EXPECT_FALSE(std::isfinite(quotient.real()) && std::isfinite(quotient.imag()));
}

}  // namespace
}  // namespace terrace::test
