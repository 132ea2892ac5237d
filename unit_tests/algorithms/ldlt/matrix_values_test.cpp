// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms/ldlt/matrix_values.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace terrace::ldlt {
namespace {

double logarithm_in_units(double value) { return std::log2(value) * (1 << bits_of_logarithm); }

TEST(LogarithmOfAnEntry, IsWithinAThousandthWhateverTheSize) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> significand(1, 2);
  std::uniform_int_distribution<int> exponent(-1074, 1023);
  for (int k = 0; k < 100000; ++k) {
    const double value = std::ldexp(significand(random), exponent(random));
    ASSERT_NEAR(logarithm_of(value), logarithm_in_units(value), 0x1p-10 * (1 << bits_of_logarithm)) << value;
    ASSERT_EQ(logarithm_of(-value), logarithm_of(value));
  }
}

TEST(LogarithmOfAnEntry, OfAPowerOfTwoIsExact) {
  for (int exponent = -1074; exponent <= 1023; ++exponent)
    ASSERT_EQ(logarithm_of(std::ldexp(1.0, exponent)), exponent * (1 << bits_of_logarithm)) << exponent;
  EXPECT_EQ(logarithm_of(std::numeric_limits<float>::denorm_min()), -149 * (1 << bits_of_logarithm));
}

TEST(LogarithmOfAnEntry, DoesNotFallWhereNumbersRise) {
  int before = logarithm_of(1.0);
  for (double value = 1; value < 4; value += 0x1p-14) {
    const int found = logarithm_of(value);
    ASSERT_GE(found, before) << value;
    before = found;
  }
}

TEST(LogarithmOfAnEntry, IsNoneOfWhatIsNoNumber) {
  using Limits = std::numeric_limits<double>;
  for (const double value : {0.0, Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()})
    EXPECT_EQ(logarithm_of(value), no_logarithm) << value;
  EXPECT_EQ(logarithm_of(Kokkos::complex<double>(0, Limits::quiet_NaN())), no_logarithm);
  EXPECT_EQ(logarithm_of(Kokkos::complex<double>(0, 0)), no_logarithm);
}

}  // namespace
}  // namespace terrace::ldlt
