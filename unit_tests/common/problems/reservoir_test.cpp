// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/problems/reservoir.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "common/random.hpp"

namespace terrace::common {
namespace {

constexpr Grid small_grid{4, 5, 3};

/// Six decades, seeded.
Conductivity rough_permeability(const Grid& grid) {
  Random random(7);
  Conductivity k{{}, {}, {}, {20, 10, 2}};
  for (std::int64_t c = 0; c < grid.cells(); ++c) {
    k.x.push_back(std::pow(10.0, 6 * random.uniform() - 2));
    k.z.push_back(std::pow(10.0, 6 * random.uniform() - 4));
  }
  k.y = k.x;
  return k;
}

/// Anything that is possible, without cells of equal pressure; some hold one movable fluid only.
FlowState any_state(const Grid& grid, std::uint64_t seed) {
  Random random(seed);
  FlowState state;
  for (std::int64_t c = 0; c < grid.cells(); ++c) {
    state.pressure.push_back(6000 * random.uniform());
    state.saturation.push_back(0.15 + 0.7 * random.uniform());
  }
  return state;
}

/// The unknowns as one number each: p and S_w of each cell.
double& unknown(FlowState& state, int number) {
  return (number % 2 == 0 ? state.pressure : state.saturation)[static_cast<std::size_t>(number / 2)];
}

double entry(const HostMatrix<double>& A, int row, int column) {
  for (std::size_t k = A.row_map[row]; k < A.row_map[row + 1]; ++k)
    if (A.entries[k] == column) return A.values[k];
  return 0;
}

double largest_in_row(const HostMatrix<double>& A, int row, int unknown) {
  double largest = 0;
  for (std::size_t k = A.row_map[row]; k < A.row_map[row + 1]; ++k)
    if (A.entries[k] % 2 == unknown) largest = std::max(largest, std::abs(A.values[k]));
  return largest;
}

TEST(Reservoir, DerivativesAreThoseOfTheResidual) {
  const TwoPhaseFlow flow = begin_reservoir_step(small_grid, rough_permeability(small_grid)).flow;
  const FlowState beginning = any_state(small_grid, 1), end = any_state(small_grid, 2);
  const RowsProblem problem = linearize(flow, beginning, end);
  int unequal_zero = 0;
  for (int column = 0; column < problem.A.n; ++column) {
    const double step = column % 2 == 0 ? 0.1 : 1e-4;  // quadratic: central differences are exact
    FlowState above = end, below = end;
    unknown(above, column) += step;
    unknown(below, column) -= step;
    const double width = unknown(above, column) - unknown(below, column);
    const auto high = linearize(flow, beginning, above).b, low = linearize(flow, beginning, below).b;
    for (int row = 0; row < problem.A.n; ++row) {
      const double difference = (low[row] - high[row]) / width;  // b is -F
      const double derivative = entry(problem.A, row, column);
      EXPECT_NEAR(derivative, difference, 1e-8 * largest_in_row(problem.A, row, column % 2)) << row << ", " << column;
      unequal_zero += derivative != 0;
    }
  }
  EXPECT_GT(unequal_zero, problem.A.n * 8);
}

TEST(Reservoir, LosesNoFluidBetweenItsCells) {
  TwoPhaseFlow flow = begin_reservoir_step(small_grid, rough_permeability(small_grid)).flow;
  flow.wells.clear();
  const FlowState state = any_state(small_grid, 3);
  const auto b = linearize(flow, state, state).b;
  double sum[2] = {0, 0}, size = 0;
  for (std::size_t k = 0; k < b.size(); ++k) {
    sum[k % 2] += b[k];
    size = std::max(size, std::abs(b[k]));
  }
  EXPECT_GT(size, 0);
  EXPECT_NEAR(sum[Oil], 0, 1e-12 * size);
  EXPECT_NEAR(sum[Water], 0, 1e-12 * size);
}

TEST(Reservoir, AccumulatesWhatThePoresTakeUp) {
  const TwoPhaseFlow flow{{1, 1, 1}, {0}, {0}, {0}, {}, 400, 2};
  const FlowState beginning{{1000}, {0.3}}, end{{2000}, {0.5}};
  const auto b = linearize(flow, beginning, end).b;
  const double rate = 400 * 0.2 / 2, swelling = 1 + 1e-6 * 1000;
  EXPECT_NEAR(b[Water], -rate * (swelling * 0.5 - 0.3), 1e-12);
  EXPECT_NEAR(b[Oil], -rate * (swelling * 0.5 - 0.7), 1e-12);
}

TEST(Reservoir, FluidsFlowWithTheMobilityOfTheCellThatTheyLeave) {
  const TwoPhaseFlow flow{{2, 1, 1}, {3, 0}, {0, 0}, {0, 0}, {}, 400, 1};
  const FlowState state{{2000, 1000}, {0.7, 0.2}};  // no water moves in the second
  const RowsProblem problem = linearize(flow, state, state);
  EXPECT_NEAR(problem.b[Water], -3000 * (25.0 / 36) / 0.3, 1e-9);
  EXPECT_NEAR(problem.b[Oil], -3000 * (1.0 / 36) / 3, 1e-9);
  EXPECT_NEAR(problem.b[2 + Water], -problem.b[Water], 1e-9);
  EXPECT_EQ(entry(problem.A, Water, 3), 0);      // downstream
  EXPECT_LT(entry(problem.A, 2 + Water, 1), 0);  // upstream
}

TEST(Reservoir, WellsBringWaterAndTakeWhatIsMovable) {
  const double water = 0.25 / 0.3, oil = 0.25 / 3;  // half of each fluid's range
  TwoPhaseFlow flow{{1, 1, 1}, {0}, {0}, {0}, {{0, 2, 3000}}, 400, 1};
  const FlowState below{{1000}, {0.5}}, above{{4000}, {0.5}};
  const auto injected = linearize(flow, below, below).b, taken = linearize(flow, above, above).b;
  EXPECT_NEAR(injected[Water], 2 * (water + oil) * 2000, 1e-9);
  EXPECT_EQ(injected[Oil], 0);
  EXPECT_NEAR(taken[Water], -2 * water * 1000, 1e-9);
  EXPECT_NEAR(taken[Oil], -2 * oil * 1000, 1e-9);
}

TEST(Reservoir, MobilitiesEndAtTheResidualSaturations) {
  EXPECT_EQ(find_mobility(Water, 0.2).value, 0);
  EXPECT_NEAR(find_mobility(Water, 0.8).value, 1 / 0.3, 1e-12);
  EXPECT_NEAR(find_mobility(Oil, 0.2).value, 1 / 3.0, 1e-12);
  EXPECT_NEAR(find_mobility(Oil, 0.8).value, 0, 1e-12);
  EXPECT_EQ(find_mobility(Oil, 0.95).slope, 0);
  EXPECT_EQ(find_mobility(Water, 0.95).slope, 0);
}

TEST(Reservoir, UsesFieldUnits) { EXPECT_NEAR(darcy_constant / 5.614583, 1.127e-3, 5e-7); }

TEST(Reservoir, BeginsBetweenTheWellsAndTheResidualSaturations) {
  const FlowState state = begin_reservoir_step(small_grid, rough_permeability(small_grid)).state;
  const auto [least, largest] = std::minmax_element(state.pressure.begin(), state.pressure.end());
  EXPECT_GE(*least, 0);
  EXPECT_LE(*largest, 6000);
  EXPECT_GT(*largest - *least, 1000);
  for (const double saturation : state.saturation) {
    EXPECT_GT(saturation, 0.2);
    EXPECT_LT(saturation, 0.8);
  }
}

TEST(Reservoir, StoresWholeBlocksAndIdentitiesOnTheDiagonal) {
  const RowsProblem problem = make_reservoir(small_grid, rough_permeability(small_grid));
  const HostMatrix<double>& A = problem.A;
  EXPECT_EQ(problem.unknowns_per_cell, 2);
  EXPECT_EQ(A.n, 2 * small_grid.cells());
  EXPECT_EQ(static_cast<std::int64_t>(A.nnz()), 4 * count_entries(small_grid));
  ASSERT_EQ(A.row_map.size(), static_cast<std::size_t>(A.n) + 1);
  for (int row = 0; row < A.n; ++row) {
    const auto begin = A.entries.begin() + static_cast<std::ptrdiff_t>(A.row_map[row]);
    const auto end = A.entries.begin() + static_cast<std::ptrdiff_t>(A.row_map[row + 1]);
    EXPECT_TRUE(std::is_sorted(begin, end, std::less_equal<>()));
    EXPECT_EQ(entry(A, row, row), 1);
    EXPECT_EQ(entry(A, row, row ^ 1), 0);
  }
}

TEST(Reservoir, HasSoManyUnknownsAndEntriesOnTheCellsOfSpe10) {
  EXPECT_EQ(2 * spe10_grid.cells(), 2'244'000);
  EXPECT_EQ(4 * count_entries(spe10_grid), 31'120'000);
}

TEST(Reservoir, ScalingChangesNoSolution) {
  const ReservoirStep step = begin_reservoir_step(small_grid, rough_permeability(small_grid));
  const RowsProblem plain = linearize(step.flow, step.state, step.state);
  RowsProblem scaled = plain;
  scale_by_diagonal_blocks(scaled);
  for (int row = 0; row < plain.A.n; row += 2) {
    for (const int lower : {0, 1}) {
      // the cell's block times the scaled rows gives the plain ones
      const double left = entry(plain.A, row + lower, row), right = entry(plain.A, row + lower, row + 1);
      const auto product = [&](double upper_number, double lower_number) {
        return left * upper_number + right * lower_number;
      };
      const double size = std::max(largest_in_row(plain.A, row + lower, 0), largest_in_row(plain.A, row + lower, 1));
      for (std::size_t k = plain.A.row_map[row]; k < plain.A.row_map[row + 1]; ++k) {
        const int column = plain.A.entries[k];
        EXPECT_NEAR(product(entry(scaled.A, row, column), entry(scaled.A, row + 1, column)),
                    entry(plain.A, row + lower, column), 1e-9 * size);
      }
      EXPECT_NEAR(product(scaled.b[row], scaled.b[row + 1]), plain.b[row + lower],
                  1e-9 * std::max(1.0, std::abs(plain.b[row + lower])));
    }
  }
}

TEST(Reservoir, IsTheSameEachTime) {
  const RowsProblem one = make_reservoir(small_grid, rough_permeability(small_grid));
  const RowsProblem other = make_reservoir(small_grid, rough_permeability(small_grid));
  EXPECT_EQ(one.A.values, other.A.values);
  EXPECT_EQ(one.b, other.b);
}

}  // namespace
}  // namespace terrace::common
