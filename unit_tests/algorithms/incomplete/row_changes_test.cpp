// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which patterns are factorized by their pivots alone, and that this gives the same bits.
#include "algorithms/incomplete/row_changes.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <terrace/ilu.hpp>
#include <utility>
#include <vector>

#include "algorithms/incomplete/merged_pattern.hpp"
#include "reference/elimination_shapes.hpp"
#include "reference/general_matrix.hpp"
#include "support/device_triangle.hpp"
#include "support/expect_same_factor.hpp"
#include "support/not_a_number.hpp"

namespace terrace::test {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using Tested = Combination<double, int, Space>;
using Matrix = reference::GeneralMatrix<double>;

auto merged_pattern(const Matrix& matrix) {
  const DeviceArrays<Tested> arrays(reference::compress(matrix));
  return incomplete::merged_rows(Space(), sparse::CrsGraph<int, int, Space>{arrays.row_map, arrays.entries, {}});
}

bool only_pivots_change(const Matrix& matrix) {
  return incomplete::only_pivots_change(Space(), merged_pattern(matrix));
}

/// The rows of which `may_be_off_diagonal` and `are_off_diagonal` say that they change.
std::pair<int, int> changes_expected_and_found(const Matrix& matrix) {
  const auto merged = merged_pattern(matrix);
  const incomplete::RowChanges<int, int> changes{merged.view()};
  std::pair<int, int> counts{0, 0};
  for (int row = 0; row < matrix.size(); ++row) {
    counts.first += changes.may_be_off_diagonal(row) ? 1 : 0;
    counts.second += changes.are_off_diagonal(row) ? 1 : 0;
    EXPECT_TRUE(changes.may_be_off_diagonal(row) || !changes.are_off_diagonal(row)) << row;
    for (const int threads : {1, 3, 32}) {
      bool is_found = false;
      for (int thread = 0; thread < threads; ++thread)
        is_found = changes.are_off_diagonal(row, thread, threads) || is_found;
      EXPECT_EQ(is_found, changes.are_off_diagonal(row)) << row << ", shared by " << threads;
    }
  }
  return counts;
}

void link(Matrix& matrix, int row, int column) { matrix.rows[row][column] = matrix.rows[column][row] = -0.125; }

TEST(RowChanges, AreNoneOnGridsOfFiveAndSevenPoints) {
  EXPECT_TRUE(only_pivots_change(Matrix(0)));
  EXPECT_TRUE(only_pivots_change(Matrix(7)));
  EXPECT_TRUE(only_pivots_change(reference::poisson<double>(60, 50)));
  EXPECT_TRUE(only_pivots_change(reference::poisson<double>(14, 13, 12)));
}

TEST(RowChanges, AreExpectedWhereverTheyAre) {
  EXPECT_EQ(changes_expected_and_found(reference::saddle_point(50, 9)), std::pair(0, 0));
  EXPECT_GT(changes_expected_and_found(reference::with_link(reference::saddle_point(50, 9), 5, 6)).first, 0);
  EXPECT_EQ(changes_expected_and_found(Matrix(7)), std::pair(0, 0));
  for (const unsigned seed : {1u, 2u, 3u}) changes_expected_and_found(reference::random_matrix<double>(200, 4, seed));
  changes_expected_and_found(reference::poisson<double>(20, 20));
}

TEST(RowChanges, AreFoundWhereverTheyAre) {
  const Matrix grid = reference::poisson<double>(60, 50);
  for (const int row : {61, 1530, 2999}) {
    Matrix linked = grid;
    link(linked, row, row - 61);  // a diagonal: both have the point between them
    EXPECT_FALSE(only_pivots_change(linked)) << row;
  }
}

TEST(RowChanges, AreNoneWhereOnlyTheMirrorImageIsMissing) {
  Matrix matrix = reference::poisson<double>(20, 20);
  matrix.rows[5].erase(25);  // row 25 needs row 5, which does not know of it
  EXPECT_TRUE(only_pivots_change(matrix));
}

/// So little of what is dropped that it changes no bit makes all products be searched for.
TEST(RowChanges, PivotsAloneGiveTheBitsOfWholeRows) {
  for (Matrix matrix : {reference::poisson<double>(60, 50), reference::poisson<double>(14, 13, 12)}) {
    for (const auto factorization : {Factorization::Cholesky, Factorization::Lu}) {
      if (factorization == Factorization::Lu)
        for (int row = 40; row < matrix.size(); row += 7) matrix.rows[row - 1].erase(row);
      const DeviceArrays<Tested> arrays(reference::compress(matrix));
      const IluSymbolic<int, int, Space> symbolic(Space(), arrays.row_map, arrays.entries,
                                                  {.factorization = factorization});
      const IluFactor<double, int, int, Space> pivots(Space(), symbolic, arrays.values);
      const IluFactor<double, int, int, Space> rows(Space(), symbolic, arrays.values, {.relaxation = 1e-300});
      EXPECT_TRUE(pivots.info().succeeded());
      EXPECT_EQ(to_host(pivots.values()), to_host(rows.values()));
    }
  }
}

template <class Anywhere>
IluFactor<double, int, int, Anywhere> factor_of(const Matrix& matrix, const IluSymbolicOptions& pattern,
                                                const IluFactorOptions& options) {
  const DeviceArrays<Combination<double, int, Anywhere>> arrays(reference::compress(matrix));
  return {Anywhere(), {Anywhere(), arrays.row_map, arrays.entries, pattern}, arrays.values, options};
}

/// One thread alone does not look whether only pivots change, and takes whole rows.
void expect_what_one_thread_finds(const Matrix& matrix, IluSymbolicOptions pattern, const IluFactorOptions& options) {
  const auto rows = factor_of<Kokkos::Serial>(matrix, pattern, options);
  pattern.algorithm = Algorithm::LevelScheduled;
  expect_same_factor(factor_of<Space>(matrix, pattern, options), rows);
}

TEST(RowChanges, PivotsAloneFindWhatIsWrongWhereverItStands) {
  const Matrix symmetric = reference::poisson<double>(4, 3);
  Matrix one_sided = symmetric;  // some entries of L change no pivot
  for (int row = 1; row < one_sided.size(); row += 3) one_sided.rows[row].erase(row + 1);
  const std::vector<NotANumber<double>> bad{{"NaN", std::numeric_limits<double>::quiet_NaN()},
                                            {"infinity", std::numeric_limits<double>::infinity()},
                                            {"zero", 0.0}};
  for (const auto factorization : {Factorization::Lu, Factorization::Cholesky}) {
    const Matrix& grid = factorization == Factorization::Lu ? one_sided : symmetric;
    for (int row = 0; row < grid.size(); ++row)
      for (const auto& [column, stored] : grid.rows[row])
        for (const auto& [name, value] : bad) {
          if (factorization == Factorization::Cholesky && column > row) continue;  // one triangle is read
          Matrix matrix = grid;
          matrix.rows[row][column] = value;
          if (factorization == Factorization::Cholesky) matrix.rows[column][row] = value;
          const auto policy = value == 0 ? PivotPolicy::Replace : PivotPolicy::Report;
          SCOPED_TRACE(name + " in row " + std::to_string(row) + ", column " + std::to_string(column));
          expect_what_one_thread_finds(matrix, {.factorization = factorization}, {.pivots = {.policy = policy}});
        }
  }
}

}  // namespace
}  // namespace terrace::test
