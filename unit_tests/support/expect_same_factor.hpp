// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two incomplete factors of one matrix, computed in two ways: the same numbers, and the same said of them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "support/device_triangle.hpp"

namespace terrace::test {

/// NaN stands where NaN is expected, whatever its bits are.
template <class Found, class Expected>
void expect_same_factor(const Found& found, const Expected& expected) {
  const auto values = to_host(found.values()), expected_values = to_host(expected.values());
  const auto is_nan = [](const auto& value) { return !(Kokkos::abs(value) <= HUGE_VAL); };
  ASSERT_EQ(values.size(), expected_values.size());
  for (std::size_t k = 0; k < values.size(); ++k)
    ASSERT_TRUE(values[k] == expected_values[k] || (is_nan(values[k]) && is_nan(expected_values[k]))) << "entry " << k;
  EXPECT_EQ(found.info().first_nonfinite_row, expected.info().first_nonfinite_row);
  EXPECT_EQ(found.info().first_zero_pivot, expected.info().first_zero_pivot);
  EXPECT_EQ(found.info().first_nonpositive_pivot, expected.info().first_nonpositive_pivot);
  EXPECT_EQ(found.info().first_tiny_pivot, expected.info().first_tiny_pivot);
  EXPECT_EQ(found.info().replaced_pivots, expected.info().replaced_pivots);
}

}  // namespace terrace::test
