// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What LdltFactor makes of the units of a matrix, and of pivots that are zero or tiny.
#pragma once

#include <terrace/names.hpp>

#include "support/ldlt_case.hpp"

namespace terrace::test {

template <class T>
class LdltScalesTest : public LdltFixture<T> {
 public:
  using Fixture = LdltFixture<T>;
  using typename Fixture::Case;
  using typename Fixture::Matrix;
  using typename Fixture::Real;
  using typename Fixture::Scalar;

  static constexpr int far = Fixture::is_double ? 300 : 40;

  static Scalar complex_or(double re, double im, double real) {
    if constexpr (Fixture::is_complex) return {static_cast<Real>(re), static_cast<Real>(im)};
    else return static_cast<Real>(real);
  }
  /// As the library measures: |re| + |im|.
  static double size_of(const Scalar& value) {
    const auto wide = reference::widen(value);
    return std::abs(wide.real()) + std::abs(wide.imag());
  }
  static Case diagonal(const std::vector<Scalar>& numbers) {
    Matrix matrix(static_cast<int>(numbers.size()));
    for (int row = 0; row < matrix.size(); ++row) matrix.rows[row][row] = numbers[row];
    return Case(matrix);
  }
  static Matrix scaled(Matrix matrix, int exponent) {
    for (auto& row : matrix.rows)
      for (auto& entry : row) entry.second = Fixture::times_power_of_two(entry.second, exponent);
    return matrix;
  }

  /// A mesh, an unknown whose diagonal is zero but whose row is not, a tiny pivot, and an empty row.
  static Matrix with_bad_pivots() {
    auto matrix = reference::indefinite<Scalar>(reference::forest(
        {reference::mesh_of_three(reference::band(12, 3)), reference::dominant(reference::RealMatrix(4))}));
    const int n = matrix.size();
    matrix.rows[n - 4][n - 4] = Scalar(0);
    matrix.rows[n - 4][n - 3] = matrix.rows[n - 3][n - 4] = Scalar(Real(0.75));
    matrix.rows[n - 2][n - 2] = complex_or(0, 1e-20, -1e-20);
    matrix.rows[n - 1].clear();
    return matrix;
  }
};

TYPED_TEST_SUITE_P(LdltScalesTest);

TYPED_TEST_P(LdltScalesTest, HaveNoInfluenceOnTheBits) {
  using F = TestFixture;
  for (const bool bad : {false, true}) {
    const auto matrix =
        bad ? F::with_bad_pivots()
            : reference::indefinite<typename F::Scalar>(reference::mesh_of_three(reference::band(12, 3)));
    const typename F::Case at(matrix);
    const auto b = at.right_hand_side();
    for (const auto precision : enumerators<FactorPrecision>())
      for (const auto scaling : enumerators<Scaling>())
        for (const int steps : {0, 1}) {
          const LdltFactorOptions options{.scaling = scaling, .precision = precision, .refinement_steps = steps};
          const auto factor = at.factor({}, options);
          const auto x = F::solve(factor, b);
          for (const int exponent : {F::far, -F::far}) {
            SCOPED_TRACE(std::string(bad ? "bad pivots, " : "") + to_string(precision) + ", " + to_string(scaling) +
                         ", 2^" + std::to_string(exponent));
            const typename F::Case other(F::scaled(matrix, exponent));
            const auto far_away = other.factor({}, options);
            EXPECT_EQ(far_away.info().replaced_pivots, factor.info().replaced_pivots);
            EXPECT_EQ(far_away.info().first_zero_pivot, factor.info().first_zero_pivot);
            EXPECT_EQ(far_away.info().first_tiny_pivot, factor.info().first_tiny_pivot);
            EXPECT_TRUE(F::LdltFixture::scaled(F::solve(far_away, b), exponent) == x);
          }
        }
  }
}

TYPED_TEST_P(LdltScalesTest, ReplacesZeroAndTinyPivotsAndKeepsTheirSign) {
  using F = TestFixture;
  using Number = typename F::Scalar;
  const Number tiny = F::complex_or(-F::unit / 8, F::unit / 16, -F::unit / 4);
  const Number largest = F::complex_or(0, 4, 4);
  for (const double threshold : {0.0, 0.125}) {
    const auto at = F::diagonal({Number(1), tiny, largest, Number(0), -Number(1)});
    const auto factor =
        at.factor({}, {.scaling = Scaling::None, .pivots = {.policy = PivotPolicy::Replace, .threshold = threshold}});
    const auto info = factor.info();
    const double relative = threshold > 0 ? threshold : std::sqrt(F::unit / 2);
    EXPECT_TRUE(info.succeeded());
    EXPECT_EQ(info.first_zero_pivot, 3);
    EXPECT_EQ(info.first_tiny_pivot, 1);
    EXPECT_EQ(info.replaced_pivots, 2);
    EXPECT_EQ(info.largest_entry, 4);
    EXPECT_EQ(info.largest_pivot, 4);
    EXPECT_NEAR(info.smallest_pivot, 4 * relative, 4 * F::unit);
    const auto x = F::solve(factor, std::vector<Number>(5, Number(1)));
    const auto replaced = reference::widen(tiny) * (4 * relative / F::size_of(tiny));
    EXPECT_LE(std::abs(reference::widen(x[1]) * replaced - 1.0), 8 * F::unit);
    EXPECT_LE(std::abs(reference::widen(x[3]) * 4.0 * relative - 1.0), 8 * F::unit);
    EXPECT_EQ(x[0], Number(1));
    EXPECT_EQ(x[4], -Number(1));
  }
}

TYPED_TEST_P(LdltScalesTest, CallsAPivotTinyThatIsAsLargeAsTheThresholdAndNotOneAbove) {
  using F = TestFixture;
  using Number = typename F::Scalar;
  using Part = typename F::Real;
  const Number above(Part(0.125) * (1 + std::numeric_limits<Part>::epsilon()));
  const LdltFactorOptions options{.scaling = Scaling::None,
                                  .pivots = {.policy = PivotPolicy::Replace, .threshold = 0.125}};
  EXPECT_EQ(F::diagonal({Number(1), above}).factor({}, options).info().replaced_pivots, 0);
  const auto info = F::diagonal({Number(1), Number(Part(0.125))}).factor({}, options).info();
  EXPECT_EQ(info.replaced_pivots, 1);
  EXPECT_EQ(info.first_tiny_pivot, 1);
  EXPECT_EQ(info.first_zero_pivot, std::nullopt);
}

/// The quotient of what it should be and what it is overflows.
TYPED_TEST_P(LdltScalesTest, ReplacesTheSmallestNumberThereIs) {
  using F = TestFixture;
  using Number = typename F::Scalar;
  const auto smallest = std::numeric_limits<typename F::Real>::denorm_min();
  const auto factor = F::diagonal({Number(1), Number(-smallest), F::complex_or(0, smallest, smallest)})
                          .factor({}, {.scaling = Scaling::None});
  EXPECT_TRUE(factor.info().succeeded());
  EXPECT_EQ(factor.info().replaced_pivots, 2);
  const auto x = F::solve(factor, std::vector<Number>(3, Number(1)));
  const double size = 1 / std::sqrt(F::unit / 2);
  EXPECT_LE(std::abs(reference::widen(x[1]) + size), 8 * F::unit * size);
  EXPECT_LE(std::abs(reference::widen(x[2]) - reference::widen(F::complex_or(0, -1, 1)) * size), 8 * F::unit * size);
}

TYPED_TEST_P(LdltScalesTest, ReportsPivotsAndLeavesThemAsTheyAre) {
  using F = TestFixture;
  using Number = typename F::Scalar;
  const LdltFactorOptions report{.scaling = Scaling::None, .pivots = {.policy = PivotPolicy::Report}};
  const Number tiny(static_cast<typename F::Real>(std::ldexp(1.0, -60)));
  const auto at = F::diagonal({Number(1), tiny, -tiny});
  const auto factor = at.factor({}, report);
  EXPECT_TRUE(factor.info().succeeded());
  EXPECT_EQ(factor.info().first_tiny_pivot, F::first_of(factor.symbolic(), {1, 2}));
  EXPECT_EQ(factor.info().replaced_pivots, 0);
  EXPECT_EQ(F::solve(factor, {Number(1), tiny, tiny}), (std::vector<Number>{Number(1), Number(1), Number(-1)}));
  const auto zeros = F::diagonal({Number(1), Number(0), Number(0)}).factor({}, report);
  EXPECT_FALSE(zeros.info().succeeded());
  EXPECT_EQ(zeros.info().first_zero_pivot, F::first_of(zeros.symbolic(), {1, 2}));
  EXPECT_EQ(zeros.info().replaced_pivots, 0);
}

TYPED_TEST_P(LdltScalesTest, NamesTheBadPivotThatIsEliminatedFirstInEveryOrder) {
  using F = TestFixture;
  using Number = typename F::Scalar;
  // Rows 0 and 3 make the second of their pivots zero, rows 1 and 5 too; 2 and 4 stand alone.
  typename F::Matrix matrix(6);
  for (int row = 0; row < 6; ++row) matrix.rows[row][row] = Number(1);
  for (const auto& [a, b] : {std::pair(0, 3), std::pair(1, 5)}) matrix.rows[a][b] = matrix.rows[b][a] = Number(-1);
  auto orderings = every_ordering();
  orderings.push_back(Ordering::Given);
  for (const auto ordering : orderings) {
    SCOPED_TRACE(to_string(ordering));
    LdltSymbolicOptions options{.ordering = ordering};
    if (ordering == Ordering::Given) options.permutation = {3, 5, 2, 1, 0, 4};
    const auto factor = typename F::Case(matrix).factor(options);
    const auto order = to_host(factor.symbolic().permutation());
    std::vector<int> seen;
    const auto expected = std::find_if(order.begin(), order.end(), [&](int row) {
      seen.push_back(row);
      const int partner = row == 0 ? 3 : row == 3 ? 0 : row == 1 ? 5 : row == 5 ? 1 : -1;
      return std::find(seen.begin(), seen.end(), partner) != seen.end();
    });
    ASSERT_NE(expected, order.end());
    EXPECT_EQ(factor.info().first_zero_pivot, *expected);
    EXPECT_EQ(factor.info().replaced_pivots, 2);
    EXPECT_EQ(factor.info().growth, 1);
  }
}

TYPED_TEST_P(LdltScalesTest, TakesMatricesOfZerosAndWithoutEntries) {
  using F = TestFixture;
  using Number = typename F::Scalar;
  const auto b = random_vector<Number>(3, 2);
  for (const auto scaling : enumerators<Scaling>())
    for (const auto precision : enumerators<FactorPrecision>())
      for (const bool stored : {true, false}) {
        const typename F::Case at =
            stored ? F::diagonal({Number(0), Number(0), Number(0)}) : typename F::Case(typename F::Matrix(3));
        const auto factor = at.factor({}, {.scaling = scaling, .precision = precision});
        EXPECT_EQ(factor.info().replaced_pivots, 3);
        EXPECT_EQ(factor.info().first_zero_pivot, F::first_of(factor.symbolic(), {0, 1, 2}));
        EXPECT_EQ(factor.symbolic().info().missing_diagonals, stored ? 0 : 3);
        EXPECT_LE(reference::relative_difference(F::solve(factor, b), b), 1e-6);
      }
}

REGISTER_TYPED_TEST_SUITE_P(LdltScalesTest, HaveNoInfluenceOnTheBits, ReplacesZeroAndTinyPivotsAndKeepsTheirSign,
                            CallsAPivotTinyThatIsAsLargeAsTheThresholdAndNotOneAbove, ReplacesTheSmallestNumberThereIs,
                            ReportsPivotsAndLeavesThemAsTheyAre, NamesTheBadPivotThatIsEliminatedFirstInEveryOrder,
                            TakesMatricesOfZerosAndWithoutEntries);

}  // namespace terrace::test
