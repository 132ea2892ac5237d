// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/problems/solve_diagonals.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <terrace/error.hpp>

#include "common/problems/spe10.hpp"
#include "common/random.hpp"

namespace terrace::common {
namespace {

GridProblem rough_problem(const Grid& grid) {
  Random random(3);
  Conductivity k{{}, {}, {}, {20, 10, 2}};
  for (std::int64_t c = 0; c < grid.cells(); ++c) k.x.push_back(std::pow(10.0, 5 * random.uniform()));
  k.y = k.z = k.x;
  return make_pressure_problem(grid, k);
}

TEST(SolveDiagonals, FindsWhatTheRowsAskFor) {
  for (const Grid grid : {Grid{9, 8, 7}, Grid{20, 15, 1}, Grid{1, 2, 1}}) {
    const GridProblem problem = rough_problem(grid);
    const auto x = solve_diagonals(problem, 1e-12);
    std::vector<double> residual = problem.b;
    for_each_entry(to_rows(problem), false, [&](int row, int column, double value) {
      residual[static_cast<std::size_t>(row)] -= value * x[static_cast<std::size_t>(column)];
    });
    double error = 0, size = 0;
    for (std::size_t c = 0; c < x.size(); ++c) {
      error = std::hypot(error, residual[c]);
      size = std::hypot(size, problem.b[c]);
    }
    EXPECT_LE(error, 1e-10 * size);
  }
}

TEST(SolveDiagonals, TakesZeroForAnAnswer) {
  GridProblem problem = rough_problem({3, 3, 3});
  problem.b.assign(problem.b.size(), 0.0);
  EXPECT_EQ(solve_diagonals(problem, 1e-12), problem.b);
}

TEST(SolveDiagonals, SaysThatThereIsNoSolution) {
  GridProblem problem = rough_problem({3, 3, 3});
  problem.center[5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(solve_diagonals(problem, 1e-12), Error);
}

}  // namespace
}  // namespace terrace::common
