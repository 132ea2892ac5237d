// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One thread of a host eliminates rows with the same columns together: with the bits of rows alone, which the levels
// take, and the same diagnostics.
#include "algorithms/incomplete/eliminate_groups.hpp"

#include <gtest/gtest.h>

#include <terrace/ilu.hpp>

#include "reference/elimination_shapes.hpp"
#include "reference/largest_error.hpp"
#include "reference/sparse_incomplete_lu.hpp"
#include "support/device_triangle.hpp"
#include "support/expect_same_factor.hpp"
#include "support/not_a_number.hpp"

namespace terrace::test {
namespace {

using Space = Kokkos::Serial;

template <class Scalar>
struct Factors {
  using T = Combination<Scalar, int, Space>;
  using Symbolic = IluSymbolic<int, int, Space>;
  using Factor = IluFactor<Scalar, int, int, Space>;

  static IluSymbolicOptions by(Algorithm algorithm, IluSymbolicOptions pattern) {
    pattern.algorithm = algorithm;
    return pattern;
  }

  Factors(const reference::GeneralMatrix<Scalar>& matrix, const IluSymbolicOptions& pattern,
          const IluFactorOptions& options = {})
      : arrays(reference::compress(matrix)),
        together(Space(), {Space(), arrays.row_map, arrays.entries, by(Algorithm::Sequential, pattern)}, arrays.values,
                 options),
        alone(Space(), {Space(), arrays.row_map, arrays.entries, by(Algorithm::LevelScheduled, pattern)}, arrays.values,
              options) {}

  void expect_the_same_bits() const { expect_same_factor(together, alone); }

  DeviceArrays<T> arrays;
  Factor together, alone;
};

constexpr auto lu = Factorization::Lu, cholesky = Factorization::Cholesky;

TEST(GroupElimination, HasTheBitsOfRowsAloneOnEveryShape) {
  for (const auto& shape : reference::elimination_shapes())
    for (int level = 0; level <= shape.max_fill; ++level)
      for (const auto factorization : {lu, cholesky}) {
        if (factorization == cholesky && !reference::is_symmetric(shape.matrix)) continue;
        SCOPED_TRACE(std::string(shape.name) + ", " + to_string(factorization) + ", level " + std::to_string(level));
        Factors<double>(reference::with_numbers<double>(shape.matrix, false),
                        {.factorization = factorization, .fill_level = level})
            .expect_the_same_bits();
      }
}

/// Points of `unknowns` rows; from five on a point is more than one group.
reference::RealMatrix points(int unknowns) {
  return reference::mesh(reference::dominant(reference::poisson<double>(7, 6)), [=](int) { return unknowns; });
}

TEST(GroupElimination, TakesPointsOfAnyNumberOfRows) {
  for (const int unknowns : {1, 2, 3, 4, 5, 6, 9})
    for (const int level : {0, 1, 2})
      for (const auto factorization : {lu, cholesky}) {
        SCOPED_TRACE(std::to_string(unknowns) + " unknowns, " + to_string(factorization) + ", level " +
                     std::to_string(level));
        Factors<double>(points(unknowns), {.factorization = factorization, .fill_level = level}).expect_the_same_bits();
      }
}

TEST(GroupElimination, TakesScaledMatrices) {
  for (const auto factorization : {lu, cholesky})
    Factors<double>(points(3), {.factorization = factorization, .fill_level = 1}, {.scaling = Scaling::Diagonal})
        .expect_the_same_bits();
}

TEST(GroupElimination, ReportsBadNumbersAsRowsAloneDo) {
  const auto matrix = points(3);
  for (const int row : {0, 1, 2, 61, 62, 125})
    for (const double bad : {0.0, -1.0, HUGE_VAL, std::nan("")})
      for (const auto policy : {PivotPolicy::Report, PivotPolicy::Replace})
        for (const auto factorization : {lu, cholesky}) {
          SCOPED_TRACE("row " + std::to_string(row) + ", " + std::to_string(bad) + ", " + to_string(factorization));
          auto broken = matrix;
          broken.rows[row][row] = bad;
          Factors<double>(broken, {.factorization = factorization}, {.pivots = {.policy = policy}})
              .expect_the_same_bits();
        }
}

TEST(GroupElimination, FindsGroupsWhereTheyPay) {
  const auto widths = [](const reference::RealMatrix& matrix) {
    const DeviceArrays<Combination<double, int, Space>> arrays(reference::compress(matrix));
    std::vector<unsigned char> found(static_cast<std::size_t>(matrix.size()));
    const sparse::TriangleView<int, int> pattern{matrix.size(), arrays.row_map.data(), arrays.entries.data()};
    const bool pays = incomplete::GroupElimination<double, int, int, Space>::find_widths(pattern, found.data());
    return std::pair(pays, found);
  };
  const auto of_three = widths(points(3)), of_five = widths(points(5)), of_one = widths(points(1));
  EXPECT_TRUE(of_three.first);
  EXPECT_FALSE(of_one.first);
  for (int row = 0; row < 9; ++row) EXPECT_EQ(of_three.second[row], row % 3 == 0 ? 3 : 0) << row;
  for (int row = 0; row < 5; ++row) EXPECT_EQ(of_five.second[row], row == 0 ? 4 : row == 4 ? 1 : 0) << row;
}

/// Rows of U that are far longer than the rows that need them are searched.
TEST(LongRowsOfU, GiveTheFactorsOfTheTextbook) {
  for (const auto& matrix : {reference::hubs(700), reference::hub_before_a_chain(200)})
    for (const double relaxation : {0.0, 0.5})
      for (const auto factorization : {lu, cholesky}) {
        const auto numbers = reference::with_numbers<double>(matrix, false);
        const Factors<double> factors(numbers, {.factorization = factorization}, {.relaxation = relaxation});
        const auto textbook = reference::factorize_incompletely(numbers.rows, relaxation);
        for (const auto* factor : {&factors.together, &factors.alone}) {
          const auto found = to_host(factor->values());
          reference::LargestError error;
          std::size_t k = 0;
          for (int row = 0; row < matrix.size(); ++row)
            for (const auto& [column, value] : textbook.rows[row]) {
              const double pivot = textbook.pivot(row);
              ASSERT_TRUE(factorization == lu || pivot > 0) << "row " << row;
              const double expected = factorization == lu || column < row ? value : value / std::sqrt(pivot);
              const bool is_mirror_image = factorization == cholesky && column < row;  // another number than l_ik
              if (!is_mirror_image) error.add(std::abs(found[k] - expected), 1 + std::abs(expected));
              ++k;
            }
          EXPECT_EQ(k, found.size());
          EXPECT_LE(error.value(), 1e-12)
              << matrix.size() << " rows, relaxation " << relaxation << ", " << to_string(factorization);
        }
      }
}

}  // namespace
}  // namespace terrace::test
