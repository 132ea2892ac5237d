// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// w - a b as devices compute it: each real product is rounded once, together with its sum.
#include "algorithms/incomplete/elimination.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace terrace::test {
namespace {

using incomplete::minus_fused_product;
using Complex = Kokkos::complex<double>;

TEST(MinusProduct, OfRealNumbersIsRoundedOnce) {
  const double a = 1 + 0x1p-30;
  EXPECT_EQ(minus_fused_product(1 + 0x1p-29, a, a), -0x1p-60);
}

TEST(MinusProduct, OfComplexNumbersRoundsEachRealProductOnce) {
  const Complex a(1 + 0x1p-30, 0), b(1 + 0x1p-30, 0.25), w(1 + 0x1p-29, 0.25 * (1 + 0x1p-30));
  EXPECT_EQ(minus_fused_product(w, a, b), Complex(-0x1p-60, 0));
  EXPECT_EQ(minus_fused_product(Complex(3, 5), Complex(2, -1), Complex(4, 7)), Complex(3 - 15, 5 - 10));
}

TEST(MinusProduct, OfARealNumberLeavesTheOtherPartAlone) {
  EXPECT_EQ(minus_fused_product(Complex(3, 5), 2.0, Complex(4, 7)), Complex(-5, -9));
  const Complex infinite(INFINITY, 1.0);
  EXPECT_EQ(minus_fused_product(Complex(3, 5), 2.0, infinite).imag(), 3.0);
}

}  // namespace
}  // namespace terrace::test
