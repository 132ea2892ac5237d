// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers of LdltSymbolicInfo and LdltInfo against their definitions.
#include <terrace/names.hpp>

#include "support/ldlt_case.hpp"

namespace terrace::test {
namespace {

template <class Space>
class LdltNumbers : public LdltFixture<Combination<double, int, Space>> {
 public:
  using Fixture = LdltFixture<Combination<double, int, Space>>;
  using typename Fixture::Case;

  /// Sparse enough to fall apart, with rows that have no entry and diagonals that are not stored.
  static reference::RealMatrix holey(int n, unsigned seed) {
    std::mt19937 generator(seed);
    reference::RealMatrix matrix(n);
    for (int row = 0; row < n; ++row) {
      for (int k = 0; k < 2; ++k) {
        const int column = static_cast<int>(generator() % static_cast<unsigned>(n));
        if (generator() % 3 > 0) matrix.rows[row][column] = matrix.rows[column][row] = 1;
      }
      if (generator() % 4 > 0) matrix.rows[row][row] = 8;
    }
    return matrix;
  }
  static LdltSymbolicInfo natural(const reference::RealMatrix& matrix) {
    return Case(matrix).symbolic({.ordering = Ordering::Natural, .amalgamation = 0}).info();
  }
};

using TestedSpaces = ::testing::Types<Kokkos::DefaultHostExecutionSpace, Kokkos::DefaultExecutionSpace>;
TYPED_TEST_SUITE(LdltNumbers, TestedSpaces);

TYPED_TEST(LdltNumbers, OfEntriesAndOperationsAreThoseOfAnUpLookingFactorization) {
  using F = TestFixture;
  const auto orderings = every_ordering();
  for (unsigned seed = 0; seed < 120; ++seed) {
    const int n = 1 + static_cast<int>(seed % 60);
    const auto ordering = orderings[seed % orderings.size()];
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + to_string(ordering));
    const typename F::Case at(F::holey(n, seed), {.uplo = seed % 2 == 0 ? Uplo::Lower : Uplo::Upper});
    const double amalgamation = seed % 3;
    const auto symbolic = at.symbolic(
        {.uplo = seed % 2 == 0 ? Uplo::Lower : Uplo::Upper, .ordering = ordering, .amalgamation = amalgamation});
    const auto info = symbolic.info();
    const auto order = to_host(symbolic.permutation());
    auto dominant = reference::dominant(at.matrix);
    std::int64_t entries = 0, stored = 0;
    double operations = 0;
    for (const auto count : reference::UpLookingLdlt(dominant, order).counts()) {
      entries += count;
      operations += static_cast<double>(count * count);
    }
    for (int row = 0; row < n; ++row)
      for (const auto& entry : at.matrix.rows[row]) stored += entry.first <= row ? 1 : 0;
    EXPECT_EQ(info.rows, n);
    EXPECT_EQ(info.matrix_entries, stored);
    EXPECT_EQ(info.factor_entries, entries);
    EXPECT_EQ(info.operations, operations);
    EXPECT_GE(info.stored_entries, entries);
    EXPECT_GE(info.stored_operations, operations);
    if (amalgamation == 0) {
      EXPECT_EQ(info.stored_entries, entries);
      EXPECT_EQ(info.stored_operations, operations);
    }
    EXPECT_LE(info.levels, info.fronts);
    EXPECT_LE(info.fronts, n);
    EXPECT_LE(info.largest_front, n);
    EXPECT_LE(info.longest_path, n);
    EXPECT_GE(info.longest_path, info.levels);
  }
}

TYPED_TEST(LdltNumbers, OfEmptyRowsAndMissingDiagonalsAreThoseThatOneCounts) {
  using F = TestFixture;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const auto matrix = F::holey(20, seed);
    const auto info = typename F::Case(matrix).symbolic().info();
    std::int64_t empty = 0, missing = 0;
    std::optional<std::int64_t> first_empty, first_missing;
    for (int row = 19; row >= 0; --row) {
      if (matrix.rows[row].empty()) ++empty, first_empty = row;
      if (!matrix.has(row, row)) ++missing, first_missing = row;
    }
    EXPECT_EQ(info.empty_rows, empty);
    EXPECT_EQ(info.first_empty_row, first_empty);
    EXPECT_EQ(info.missing_diagonals, missing);
    EXPECT_EQ(info.first_missing_diagonal, first_missing);
  }
}

TYPED_TEST(LdltNumbers, OfTreesAreThoseOfTheirShapes) {
  using F = TestFixture;
  const auto dense = F::natural(reference::all_linked(50));
  EXPECT_EQ(dense.fronts, 1);
  EXPECT_EQ(dense.levels, 1);
  EXPECT_EQ(dense.largest_front, 50);
  EXPECT_EQ(dense.longest_path, 50);
  const auto chain = F::natural(reference::band(50, 1));  // the last two columns have the same rows
  EXPECT_EQ(chain.fronts, 49);
  EXPECT_EQ(chain.levels, 49);
  EXPECT_EQ(chain.largest_front, 2);
  EXPECT_EQ(chain.longest_path, 50);
  const auto leaves = F::natural(reference::star(50, 49));
  EXPECT_EQ(leaves.levels, 2);
  EXPECT_EQ(leaves.fronts, 49);
  EXPECT_EQ(leaves.longest_path, 3);  // one leaf shares the front of the hub
  EXPECT_EQ(leaves.factor_entries, 99);
  const auto hub_first = F::natural(reference::star(50, 0));  // fills the whole matrix
  EXPECT_EQ(hub_first.factor_entries, 50 * 51 / 2);
  EXPECT_EQ(hub_first.fronts, 1);
  const auto diagonal = F::natural(reference::dominant(reference::RealMatrix(50)));
  EXPECT_EQ(diagonal.levels, 1);
  EXPECT_EQ(diagonal.fronts, 50);
  EXPECT_EQ(diagonal.longest_path, 1);
  const auto forest = F::natural(reference::forest({reference::all_linked(7), reference::band(9, 1)}));
  EXPECT_EQ(forest.fronts, 1 + 8);
  EXPECT_EQ(forest.levels, 8);
  EXPECT_EQ(forest.longest_path, 9);
}

TYPED_TEST(LdltNumbers, OfPivotsAreThoseOfAnUpLookingFactorization) {
  using F = TestFixture;
  for (const auto& shape : reference::symmetric_shapes()) {
    SCOPED_TRACE(shape.name);
    const typename F::Case at(reference::indefinite<double>(shape.matrix));
    const auto factor = at.factor({}, {.scaling = Scaling::None});
    const auto info = factor.info();
    const reference::UpLookingLdlt oracle(at.matrix, to_host(factor.symbolic().permutation()));
    double smallest = HUGE_VAL, largest = 0, entry = 0;
    for (const auto& pivot : oracle.pivots()) {
      smallest = std::min(smallest, std::abs(pivot));
      largest = std::max(largest, std::abs(pivot));
    }
    for (const auto& row : at.matrix.rows)
      for (const auto& [column, value] : row) entry = std::max(entry, std::abs(value));
    EXPECT_NEAR(info.smallest_pivot, smallest, 1e-12 * smallest);
    EXPECT_NEAR(info.largest_pivot, largest, 1e-12 * largest);
    EXPECT_NEAR(info.growth, oracle.growth(), 1e-12 * oracle.growth());
    EXPECT_EQ(info.largest_entry, entry);
    EXPECT_EQ(info.first_zero_pivot, std::nullopt);
    EXPECT_EQ(info.first_tiny_pivot, std::nullopt);
    EXPECT_EQ(info.first_nonfinite_row, std::nullopt);
    EXPECT_EQ(info.policy, PivotPolicy::Replace);
  }
}

TYPED_TEST(LdltNumbers, SayWhatWasChosenAndWhy) {
  using F = TestFixture;
  const typename F::Case at(reference::dominant(reference::poisson<double>(12, 9)));
  const auto info = at.symbolic().info();
  EXPECT_NE(info.ordering, Ordering::Automatic);
  EXPECT_FALSE(info.ordering_reason.empty());
  EXPECT_NE(info.algorithm, LdltAlgorithm::Automatic);
  EXPECT_FALSE(info.algorithm_reason.empty());
  EXPECT_EQ(info.algorithm_reason.find("size 0"), std::string::npos);
  EXPECT_GE(info.seconds, info.ordering_seconds);
  for (const auto ordering : every_ordering()) {
    if (ordering == Ordering::Automatic) continue;
    EXPECT_EQ(at.symbolic({.ordering = ordering}).info().ordering, ordering);
  }
  for (const auto algorithm : {LdltAlgorithm::Multifrontal, LdltAlgorithm::Columns})
    EXPECT_EQ(at.symbolic({.algorithm = algorithm}).info().algorithm, algorithm);
}

TYPED_TEST(LdltNumbers, OfARefinementAreThoseOfItsWorstColumn) {
  RefinementResult result;
  EXPECT_TRUE(result.converged());
  EXPECT_EQ(result.backward_error(), 0);
  result.columns.resize(3);
  result.columns[1].backward_error = 2e-3;
  EXPECT_TRUE(result.converged());
  EXPECT_EQ(result.backward_error(), 2e-3);
  result.columns[0].backward_error = double(NAN);
  result.columns[2].reason = StopReason::Stagnation;
  EXPECT_FALSE(result.converged());
  EXPECT_TRUE(std::isnan(result.backward_error()));
}

}  // namespace
}  // namespace terrace::test
