// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/problems/convection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <terrace/error.hpp>

#include "common/problems/grid_problem.hpp"

namespace terrace::common {
namespace {

TEST(Convection, IsPoissonsEquationWithoutWind) {
  for (const Grid grid : {Grid{5, 4, 3}, Grid{6, 5, 1}, Grid{1, 1, 1}}) {
    const RowsProblem problem = make_convection(grid, 0);
    EXPECT_EQ(problem.A.n, grid.cells());
    EXPECT_EQ(static_cast<std::int64_t>(problem.A.nnz()), count_entries(grid));
    EXPECT_EQ(problem.b, std::vector<double>(static_cast<std::size_t>(grid.cells()), 1.0));
    for_each_entry(problem.A, false, [&](int row, int column, double value) {
      EXPECT_EQ(value, row == column ? (grid.nz > 1 ? 6 : 4) : -1);
    });
  }
}

TEST(Convection, RowsStayDominantInAnyWind) {
  const Grid grid{6, 5, 4};
  for (const double wind : {0.1, 3.0, 1000.0}) {
    const RowsProblem problem = make_convection(grid, wind);
    std::vector<double> sums(static_cast<std::size_t>(grid.cells()), 0.0);
    for_each_entry(problem.A, false, [&](int row, int column, double value) {
      EXPECT_EQ(value > 0, row == column);
      sums[static_cast<std::size_t>(row)] += value;
    });
    for (const double sum : sums) EXPECT_GE(sum, -1e-12 * wind);
  }
}

TEST(Convection, WindComesFromUpstream) {
  const Grid grid{3, 3, 3};
  const HostMatrix<double> A = make_convection(grid, 2).A;
  const auto between = [&](const GridCell& at, const GridCell& from) {
    double found = 0;
    for_each_entry(A, false, [&](int row, int column, double value) {
      if (row == grid.index(at) && column == grid.index(from)) found = value;
    });
    return found;
  };
  EXPECT_EQ(between({2, 1, 1}, {2, 0, 1}), -3);  // at the right side it blows along y, with 2
  EXPECT_EQ(between({2, 1, 1}, {2, 2, 1}), -1);
  EXPECT_EQ(between({0, 1, 1}, {0, 2, 1}), -3);  // and at the left side against it
  EXPECT_EQ(between({1, 2, 1}, {2, 2, 1}), -3);
  EXPECT_EQ(between({1, 1, 1}, {1, 1, 0}), -2);  // upwards everywhere, with 1
  EXPECT_EQ(between({1, 1, 1}, {1, 1, 2}), -1);
  EXPECT_EQ(between({1, 1, 1}, {0, 1, 1}), -1);
}

TEST(Convection, RefusesAWindThatIsNone) {
  for (const double wind : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(make_convection({3, 3, 3}, wind), Error);
}

}  // namespace
}  // namespace terrace::common
