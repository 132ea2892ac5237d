// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/substitution.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace terrace::common {
namespace {

template <class Number>
void expect_solutions() {
  const int map[] = {0, 1, 3, 5}, lower[] = {0, 0, 1, 1, 2}, upper[] = {0, 1, 1, 2, 2};
  const int upper_map[] = {0, 2, 4, 5};
  const Number lower_values[] = {2, 1, 4, 3, 5}, upper_values[] = {2, 1, 4, 3, 5};
  const Number b[] = {2, 9, 21}, c[] = {4, 17, 15};
  std::vector<Number> x(3, Number(-7));
  substitute_forward(3, map, lower, lower_values, b, x.data());
  EXPECT_EQ(x, (std::vector<Number>{1, 2, 3}));
  x.assign(3, Number(-7));
  substitute_backward(3, upper_map, upper, upper_values, c, x.data());
  EXPECT_EQ(x, (std::vector<Number>{1, 2, 3}));
}

TEST(Substitution, SolvesForwardAndBackward) {
  expect_solutions<double>();
  expect_solutions<float>();
}

TEST(Substitution, MultipliesComplexNumbers) {
  expect_solutions<std::complex<double>>();
  EXPECT_EQ(product(std::complex<double>(1, 2), std::complex<double>(3, 4)), std::complex<double>(-5, 10));
}

}  // namespace
}  // namespace terrace::common
