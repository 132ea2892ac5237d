// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solve/solve.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace terrace::tools {
namespace {

TEST(SolveReport, TheLargestResidualIsNanOnceOneOfThemIs) {
  SolveReport report;
  EXPECT_TRUE(std::isnan(report.largest_residual()));
  report.true_residuals = {1e-9, 3e-9, 2e-9};
  EXPECT_EQ(report.largest_residual(), 3e-9);
  for (std::size_t place = 0; place < 3; ++place) {
    report.true_residuals = {1e-9, 3e-9, 2e-9};
    report.true_residuals[place] = std::nan("");
    EXPECT_TRUE(std::isnan(report.largest_residual())) << place;
  }
}

}  // namespace
}  // namespace terrace::tools
