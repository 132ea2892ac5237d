// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LdltFactor::refine and refinement_steps: what they reach, what they return, and what they say of it.
#pragma once

#include <terrace/names.hpp>

#include "support/ldlt_case.hpp"

namespace terrace::test {

template <class T>
class LdltRefinementTest : public LdltFixture<T> {
 public:
  using Fixture = LdltFixture<T>;
  using typename Fixture::Case;
  using typename Fixture::Factor;
  using typename Fixture::Matrix;
  using typename Fixture::Numbers;
  using typename Fixture::Real;
  using typename Fixture::Scalar;

  struct Refined {
    std::vector<Numbers> x;
    RefinementResult result;
  };

  static Refined refine(const Factor& factor, const std::vector<Numbers>& B, const RefinementOptions& options = {}) {
    const auto rows = static_cast<std::size_t>(factor.symbolic().info().rows);
    const auto from = to_device_columns<T, Kokkos::LayoutLeft>(B, rows);
    const auto X = to_device_columns<T, Kokkos::LayoutRight>(B, rows);
    Kokkos::deep_copy(X, Fixture::nan());
    Refined refined;
    refined.result = factor.refine(typename T::Space(), from, X, options);
    for (std::size_t k = 0; k < B.size(); ++k) refined.x.push_back(column_to_host(X, k));
    return refined;
  }

  /// The error that is reported is that of what was returned, and the smallest that was seen.
  static void expect_honest(const Case& at, const Numbers& b, const Numbers& x, const RefinedColumn& column) {
    const double measured = reference::backward_error(at.matrix, b, x);
    EXPECT_NEAR(column.backward_error, measured, 4 * Fixture::unit + 1e-9 * measured);
    ASSERT_FALSE(column.backward_errors.empty());
    EXPECT_EQ(column.backward_error, *std::min_element(column.backward_errors.begin(), column.backward_errors.end()));
    EXPECT_LE(static_cast<int>(column.backward_errors.size()) - 1, column.steps);
  }

  /// A chain of the second differences, whose square has a condition of n^4; the square is a band of two.
  static Matrix square_of_differences(int n) {
    Matrix matrix(n);
    for (int row = 0; row < n; ++row) {
      matrix.rows[row][row] = Scalar(Real(row == 0 || row == n - 1 ? 5 : 6));
      if (row >= 1) matrix.rows[row][row - 1] = matrix.rows[row - 1][row] = Scalar(Real(-4));
      if (row >= 2) matrix.rows[row][row - 2] = matrix.rows[row - 2][row] = Scalar(Real(1));
    }
    return matrix;
  }
};

TYPED_TEST_SUITE_P(LdltRefinementTest);

TYPED_TEST_P(LdltRefinementTest, ReachesTheAccuracyOfTheTypeForEveryShapeAndPrecision) {
  using F = TestFixture;
  for (const auto& shape : reference::symmetric_shapes())
    for (const auto precision : enumerators<FactorPrecision>()) {
      SCOPED_TRACE(std::string(shape.name) + ", " + to_string(precision));
      const typename F::Case at(reference::indefinite<typename F::Scalar>(shape.matrix));
      const auto factor = at.factor({}, {.scaling = Scaling::Equilibrate, .precision = precision});
      const auto b = at.right_hand_side();
      const auto refined = F::refine(factor, {b});
      EXPECT_TRUE(refined.result.converged());
      EXPECT_LE(refined.result.backward_error(), 4 * F::unit);
      const auto& column = refined.result.columns.front();
      F::expect_honest(at, b, refined.x.front(), column);
      EXPECT_EQ(column.reason, StopReason::Converged);
      EXPECT_LE(column.steps, 4);
      EXPECT_FALSE(column.used_gmres);
      if (F::is_double && precision == FactorPrecision::Single) {
        EXPECT_GT(column.backward_errors.front(), 1e-10);
        EXPECT_GE(column.steps, 1);
      }
    }
}

/// Plain sums of residuals in double precision stop at 5.7e-16 here.
TYPED_TEST_P(LdltRefinementTest, ReachesTheAccuracyOfTheTypeWhereRowsAreLong) {
  using F = TestFixture;
  constexpr int n = 3000, width = 300;
  typename F::Matrix matrix(n);
  for (int row = 0; row < n; ++row) {
    matrix.rows[row][row] =
        typename F::Scalar(typename F::Real(1 + std::min(row, width) + std::min(n - 1 - row, width)));
    for (int column = std::max(0, row - width); column < row; ++column)
      matrix.rows[row][column] = matrix.rows[column][row] = typename F::Scalar(-1);
  }
  const typename F::Case at(std::move(matrix));
  const auto refined = F::refine(at.factor({}, {}), {at.right_hand_side()}, {.tolerance = 2 * F::unit});
  EXPECT_TRUE(refined.result.converged()) << refined.result.backward_error();
}

/// Rows that reach everywhere, beside short ones; more columns than a device takes at once of such rows.
TYPED_TEST_P(LdltRefinementTest, ReachesTheAccuracyOfTheTypeBehindHubs) {
  using F = TestFixture;
  constexpr int n = 2000, hubs = 3;
  typename F::Matrix matrix(n);
  for (int row = 0; row < n; ++row) {
    matrix.rows[row][row] = typename F::Scalar(typename F::Real(row < hubs ? n + 1 : hubs + 3));
    if (row > hubs) matrix.rows[row][row - 1] = matrix.rows[row - 1][row] = typename F::Scalar(-1);
    for (int hub = 0; hub < std::min(row, hubs); ++hub)
      matrix.rows[row][hub] = matrix.rows[hub][row] = typename F::Scalar(typename F::Real(row % 2 == 0 ? 1 : -1) / 2);
  }
  const typename F::Case at(std::move(matrix));
  std::vector<typename F::Numbers> B;
  for (unsigned k = 0; k < 11; ++k) B.push_back(at.right_hand_side(k));
  for (const int steps : {0, 2}) {
    const auto factor =
        at.factor({.right_hand_sides = 11}, {.precision = FactorPrecision::Single, .refinement_steps = steps});
    const auto refined = F::refine(factor, B, {.tolerance = 2 * F::unit});
    EXPECT_TRUE(refined.result.converged()) << refined.result.backward_error();
    for (std::size_t k = 0; k < B.size(); ++k) F::expect_honest(at, B[k], refined.x[k], refined.result.columns[k]);
    if (steps == 0) continue;
    const auto columns = to_device_columns<TypeParam, Kokkos::LayoutRight>(B, B.front().size());
    factor.solve(typename F::Space(), columns, columns);
    for (std::size_t k = 0; k < B.size(); ++k)
      EXPECT_LE(reference::backward_error(at.matrix, B[k], column_to_host(columns, k)), 8 * F::unit);
  }
}

TYPED_TEST_P(LdltRefinementTest, TreatsEachColumnOnItsOwn) {
  using F = TestFixture;
  const typename F::Case at(
      reference::indefinite<typename F::Scalar>(reference::mesh_of_three(reference::band(25, 4))));
  std::vector<typename F::Numbers> B;
  for (unsigned k = 0; k < 7; ++k) B.push_back(at.right_hand_side(k));
  B[2].assign(B[2].size(), typename F::Scalar(0));
  B[4][5] = F::nan();
  for (const int prepared : {1, 3, 8}) {
    const auto factor = at.factor({.right_hand_sides = prepared}, {.precision = FactorPrecision::Single});
    const auto refined = F::refine(factor, B);
    ASSERT_EQ(refined.result.columns.size(), B.size());
    EXPECT_FALSE(refined.result.converged());
    EXPECT_TRUE(std::isnan(refined.result.backward_error()));
    for (std::size_t k = 0; k < B.size(); ++k) {
      SCOPED_TRACE(k);
      const auto& column = refined.result.columns[k];
      EXPECT_EQ(column.reason, k == 4 ? StopReason::NotFinite : StopReason::Converged);
      if (k == 4) EXPECT_TRUE(std::isnan(column.backward_error));
      else F::expect_honest(at, B[k], refined.x[k], column);
    }
    EXPECT_EQ(refined.x[2], B[2]);
    EXPECT_EQ(refined.result.columns[2].steps, 0);
    EXPECT_EQ(F::refine(factor, {}).result.columns.size(), 0u);
  }
}

TYPED_TEST_P(LdltRefinementTest, StopsAtTheToleranceOrTheLimit) {
  using F = TestFixture;
  if constexpr (!F::is_double) GTEST_SKIP() << "a factor has the precision of the matrix";
  const typename F::Case at(
      reference::indefinite<typename F::Scalar>(reference::mesh_of_three(reference::band(25, 4))));
  const auto factor = at.factor({}, {.precision = FactorPrecision::Single});
  const auto b = at.right_hand_side();
  const auto none = F::refine(factor, {b}, {.max_steps = 0});
  EXPECT_EQ(none.result.columns[0].reason, StopReason::IterationLimit);
  EXPECT_EQ(none.result.columns[0].steps, 0);
  EXPECT_EQ(none.x[0], F::solve(factor, b));
  F::expect_honest(at, b, none.x[0], none.result.columns[0]);
  EXPECT_EQ(F::refine(factor, {b}, {.max_steps = 1, .tolerance = 1e-30}).result.columns[0].reason,
            StopReason::IterationLimit);
  const auto loose = F::refine(factor, {b}, {.tolerance = 1e-4});
  EXPECT_TRUE(loose.result.converged());
  EXPECT_EQ(loose.result.columns[0].steps, 0);
  const auto one = F::refine(factor, {b}, {.tolerance = 1e-10});
  EXPECT_TRUE(one.result.converged());
  EXPECT_EQ(one.result.columns[0].steps, 1);
}

/// Condition numbers of 1e9 and more: where exactly plain steps stagnate depends on how the backend rounds.
TYPED_TEST_P(LdltRefinementTest, StagnatesWithoutGmresAndConvergesWithIt) {
  using F = TestFixture;
  if constexpr (!F::is_double) GTEST_SKIP() << "a factor has the precision of the matrix";
  int stagnated = 0;
  for (const int size : {250, 300, 350, 400, 450}) {
    const typename F::Case at(F::square_of_differences(size));
    const auto factor = at.factor({}, {.precision = FactorPrecision::Single});
    const auto b = at.right_hand_side();
    const auto plain = F::refine(factor, {b}, {.max_steps = 200, .use_gmres = false});
    const bool stagnates = plain.result.columns[0].reason == StopReason::Stagnation;
    stagnated += stagnates;
    EXPECT_EQ(plain.result.converged(), !stagnates);
    EXPECT_FALSE(plain.result.columns[0].used_gmres);
    EXPECT_LT(plain.result.columns[0].steps, 200);
    F::expect_honest(at, b, plain.x[0], plain.result.columns[0]);
    const auto gmres = F::refine(factor, {b}, {.max_steps = 100});
    EXPECT_EQ(gmres.result.columns[0].used_gmres, stagnates);
    EXPECT_EQ(gmres.result.columns[0].reason, StopReason::Converged) << size;
    EXPECT_LE(gmres.result.columns[0].steps, 100);
    F::expect_honest(at, b, gmres.x[0], gmres.result.columns[0]);
    for (const int most : {1, 2, 10, 30, gmres.result.columns[0].steps - 1}) {
      const auto fewer = F::refine(factor, {b}, {.max_steps = most, .tolerance = 1e-30});
      EXPECT_LE(fewer.result.columns[0].steps, most);
      F::expect_honest(at, b, fewer.x[0], fewer.result.columns[0]);
    }
  }
  EXPECT_GE(stagnated, 1);
}

TYPED_TEST_P(LdltRefinementTest, SaysThatASingularMatrixWasNotSolved) {
  using F = TestFixture;
  using Number = typename F::Scalar;
  using Part = typename F::Real;
  typename F::Matrix matrix(4);  // differences without a boundary: the sum of b must be zero
  for (int row = 0; row < 4; ++row) matrix.rows[row][row] = Number(Part(row == 0 || row == 3 ? 1 : 2));
  for (int row = 0; row < 3; ++row) matrix.rows[row][row + 1] = matrix.rows[row + 1][row] = Number(-1);
  matrix.rows.emplace_back();  // and an empty row
  const typename F::Case at(matrix);
  const typename F::Numbers b(5, Number(1));
  for (const auto policy : {PivotPolicy::Replace, PivotPolicy::Report}) {
    const auto factor = at.factor({}, {.pivots = {.policy = policy}});
    EXPECT_EQ(factor.info().succeeded(), policy == PivotPolicy::Replace);
    const auto column = F::refine(factor, {b}).result.columns[0];
    EXPECT_NE(column.reason, StopReason::Converged) << to_string(policy);
    EXPECT_FALSE(column.backward_error < 1e-3) << to_string(policy);
  }
}

/// The row is empty and so is b there: without a look at x nothing would be wrong.
TYPED_TEST_P(LdltRefinementTest, SeesANanInAnUnknownThatNoRowNames) {
  using F = TestFixture;
  using Number = typename F::Scalar;
  typename F::Matrix matrix(2);
  matrix.rows[0][0] = Number(1);
  const auto factor = typename F::Case(matrix).factor({}, {.pivots = {.policy = PivotPolicy::Report}});
  const auto refined = F::refine(factor, {{Number(1), Number(0)}});
  EXPECT_TRUE(F::is_nan(refined.x[0][1]));
  EXPECT_EQ(refined.result.columns[0].reason, StopReason::NotFinite);
  EXPECT_TRUE(std::isnan(refined.result.backward_error()));
}

TYPED_TEST_P(LdltRefinementTest, EndsWithANanInTheMatrix) {
  using F = TestFixture;
  auto matrix = reference::indefinite<typename F::Scalar>(reference::band(12, 3));
  matrix.rows[5][4] = matrix.rows[4][5] = F::nan();
  const typename F::Case at(matrix);
  for (const auto precision : enumerators<FactorPrecision>()) {
    const auto column = F::refine(at.factor({}, {.precision = precision}), {at.right_hand_side()}).result.columns[0];
    EXPECT_EQ(column.reason, StopReason::NotFinite);
    EXPECT_TRUE(std::isnan(column.backward_error));
    EXPECT_FALSE(column.used_gmres);
  }
}

TYPED_TEST_P(LdltRefinementTest, StepsInEverySolveReachTheAccuracyOfTheTypeInPlaceToo) {
  using F = TestFixture;
  const typename F::Case at(
      reference::indefinite<typename F::Scalar>(reference::mesh_of_three(reference::band(25, 4))));
  const auto b = at.right_hand_side();
  for (const int prepared : {1, 3}) {
    const auto factor =
        at.factor({.right_hand_sides = prepared}, {.precision = FactorPrecision::Single, .refinement_steps = 3});
    const auto x = F::solve(factor, b);
    EXPECT_LE(reference::backward_error(at.matrix, b, x), 8 * F::unit);
    const std::vector<typename F::Numbers> B(5, b);
    const auto columns = to_device_columns<TypeParam, Kokkos::LayoutRight>(B, b.size());
    factor.solve(typename F::Space(), columns, columns);
    Kokkos::fence();
    for (std::size_t k = 0; k < B.size(); ++k)
      EXPECT_LE(reference::backward_error(at.matrix, b, column_to_host(columns, k)), 8 * F::unit);
  }
}

TYPED_TEST_P(LdltRefinementTest, UsesTheValuesOfTheLastRefactorization) {
  using F = TestFixture;
  const typename F::Case at(reference::indefinite<typename F::Scalar>(reference::band(60, 4)));
  auto matrix = at.matrix;
  for (int row = 0; row < 60; ++row) matrix.rows[row][row] *= typename F::Real(2.5);
  const typename F::Case other(matrix);
  auto factor = at.factor({}, {.precision = FactorPrecision::Single});
  const auto b = at.right_hand_side();
  EXPECT_TRUE(F::refine(factor, {b}).result.converged());
  factor.refactorize(typename F::Space(), other.arrays.values);
  const auto refined = F::refine(factor, {b});
  EXPECT_TRUE(refined.result.converged());
  F::expect_honest(other, b, refined.x[0], refined.result.columns[0]);
}

/// A factor of a matrix nearby, as after pivots that were replaced.
TYPED_TEST_P(LdltRefinementTest, RepairsWhatReplacedPivotsLeave) {
  using F = TestFixture;
  using Number = typename F::Scalar;
  // [0 1; 1 0] in the middle of a diagonal: no order of the diagonal avoids the zero.
  typename F::Matrix matrix(8);
  for (int row = 0; row < 8; ++row) matrix.rows[row][row] = Number(row == 3 || row == 4 ? 0 : 2);
  matrix.rows[3][4] = matrix.rows[4][3] = Number(1);
  const typename F::Case at(matrix);
  const auto factor = at.factor();
  EXPECT_EQ(factor.info().replaced_pivots, 1);
  const auto b = at.right_hand_side();
  const auto refined = F::refine(factor, {b});
  EXPECT_TRUE(refined.result.converged());
  F::expect_honest(at, b, refined.x[0], refined.result.columns[0]);
}

/// Saddle points: half of the diagonal is zero, and pivots are replaced that a factorization with interchanges would
/// have avoided. Whatever comes out, what is said of it is true.
TYPED_TEST_P(LdltRefinementTest, IsHonestWhereStaticPivotsAreNotEnough) {
  using F = TestFixture;
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    auto matrix = reference::random_symmetric<typename F::Scalar>(60, 2, false, seed);
    for (int row = 0; row < 60; ++row)
      if (row % 2 == 0) matrix.rows[row][row] = typename F::Scalar(0);
    const typename F::Case at(matrix);
    const auto b = at.right_hand_side(seed);
    for (const auto precision : enumerators<FactorPrecision>()) {
      const auto factor = at.factor({.ordering = Ordering::Natural}, {.precision = precision});
      EXPECT_GT(factor.info().replaced_pivots, 0);
      const auto refined = F::refine(factor, {b});
      const auto& column = refined.result.columns[0];
      if (column.reason == StopReason::NotFinite) continue;
      F::expect_honest(at, b, refined.x[0], column);
      EXPECT_EQ(column.reason == StopReason::Converged, column.backward_error <= 2 * F::unit);
    }
  }
}

/// Along a chain the unknowns decay by 3.7 from row to row, below the smallest number of every type: rows that are all
/// rounding do not count, rows that merely are small do.
TYPED_TEST_P(LdltRefinementTest, ConvergesWhereUnknownsDecayOutOfRange) {
  using F = TestFixture;
  using Number = typename F::Scalar;
  using Part = typename F::Real;
  typename F::Matrix matrix(1000);
  for (int row = 0; row < 1000; ++row) {
    matrix.rows[row][row] = Number(4);
    if (row > 0) matrix.rows[row][row - 1] = matrix.rows[row - 1][row] = Number(-1);
  }
  const typename F::Case at(matrix);
  for (const auto precision : enumerators<FactorPrecision>()) {
    const auto factor = at.factor({}, {.precision = precision});
    for (const int exponent : {0, F::is_double ? -200 : -40, F::is_double ? 200 : 40}) {
      SCOPED_TRACE(std::string(to_string(precision)) + ", 2^" + std::to_string(exponent));
      typename F::Numbers b(1000, Number(0));
      b[0] = Number(static_cast<Part>(std::ldexp(1.0, exponent)));
      const auto refined = F::refine(factor, {b});
      EXPECT_TRUE(refined.result.converged());
      EXPECT_LE(refined.result.columns[0].steps, 4);
      EXPECT_LE(refined.result.backward_error(), 2 * F::unit);
      const double x0 = std::abs(reference::widen(refined.x[0][0])), decay = 2 + std::sqrt(3.0);
      EXPECT_NEAR(x0, std::ldexp(1 / decay, exponent), 8 * F::unit * x0);
      EXPECT_NEAR(std::abs(reference::widen(refined.x[0][15])), x0 * std::pow(decay, -15),
                  32 * F::unit * x0 * std::pow(decay, -15));
    }
    typename F::Numbers b(1000, Number(0));
    b[0] = Number(1);
    b[999] = Number(static_cast<Part>(F::unit / 16));
    const auto refined = F::refine(factor, {b});
    EXPECT_TRUE(refined.result.converged());
    const double last = std::abs(reference::widen(b[999])) / (2 + std::sqrt(3.0));
    EXPECT_NEAR(std::abs(reference::widen(refined.x[0][999])), last, 8 * F::unit * last);
  }
}

REGISTER_TYPED_TEST_SUITE_P(LdltRefinementTest, ReachesTheAccuracyOfTheTypeForEveryShapeAndPrecision,
                            ReachesTheAccuracyOfTheTypeWhereRowsAreLong, ReachesTheAccuracyOfTheTypeBehindHubs,
                            TreatsEachColumnOnItsOwn, StopsAtTheToleranceOrTheLimit,
                            StagnatesWithoutGmresAndConvergesWithIt, SaysThatASingularMatrixWasNotSolved,
                            ConvergesWhereUnknownsDecayOutOfRange, SeesANanInAnUnknownThatNoRowNames,
                            EndsWithANanInTheMatrix, StepsInEverySolveReachTheAccuracyOfTheTypeInPlaceToo,
                            UsesTheValuesOfTheLastRefactorization, RepairsWhatReplacedPivotsLeave,
                            IsHonestWhereStaticPivotsAreNotEnough);

}  // namespace terrace::test
