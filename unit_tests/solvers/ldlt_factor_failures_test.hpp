// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NaN, Inf and overflow in LdltFactor: reported with a row, and never a number that looks like an answer.
#pragma once

#include <terrace/names.hpp>

#include "support/ldlt_case.hpp"
#include "support/not_a_number.hpp"

namespace terrace::test {

template <class T>
class LdltFailuresTest : public LdltFixture<T> {
 public:
  using Fixture = LdltFixture<T>;
  using typename Fixture::Case;
  using typename Fixture::Factor;
  using typename Fixture::Matrix;
  using typename Fixture::Real;
  using typename Fixture::Scalar;

  /// Every NaN, and infinities in every part.
  static std::vector<NotANumber<Scalar>> every_bad_number() {
    auto all = every_nan<Scalar>();
    const Real infinity = std::numeric_limits<Real>::infinity();
    for (const Real bad : {infinity, -infinity}) {
      all.push_back({"an infinite number", Scalar(bad)});
      if constexpr (Fixture::is_complex) all.push_back({"an infinite imaginary part", Scalar(Real(1), bad)});
    }
    return all;
  }

  static void expect_failed(const Case& at, const Factor& factor, int row) {
    const auto info = factor.info();
    EXPECT_FALSE(info.succeeded());
    EXPECT_EQ(info.first_nonfinite_row, row);
    const auto x = Fixture::solve(factor, at.right_hand_side());
    EXPECT_TRUE(Fixture::is_nan(x[row])) << "row " << row;
  }
  /// Without a word about the row: who overflows first depends on the engine.
  static void expect_failed_somewhere(const Case& at, const Factor& factor) {
    const auto info = factor.info();
    EXPECT_FALSE(info.succeeded());
    ASSERT_TRUE(info.first_nonfinite_row);
    const auto x = Fixture::solve(factor, at.right_hand_side());
    EXPECT_TRUE(std::any_of(x.begin(), x.end(), Fixture::is_nan));
  }
};

TYPED_TEST_SUITE_P(LdltFailuresTest);

TYPED_TEST_P(LdltFailuresTest, AreReportedWhereverABadNumberStands) {
  using F = TestFixture;
  constexpr int n = 7;
  const auto good = reference::indefinite<typename F::Scalar>(reference::random_links(n, 3));
  auto orderings = every_ordering();
  for (std::size_t k = 0; k < orderings.size(); ++k)
    for (const auto& bad : F::every_bad_number())
      for (int row = 0; row < n; ++row)
        for (auto entry = good.rows[row].begin(); entry != good.rows[row].end() && entry->first <= row; ++entry) {
          const auto scaling = enumerators<Scaling>()[k % 3];
          const auto precision = enumerators<FactorPrecision>()[k % 2];
          const auto algorithm = enumerators<LdltAlgorithm>()[k % 3];
          SCOPED_TRACE(bad.name + " in row " + std::to_string(row) + ", column " + std::to_string(entry->first) + ", " +
                       to_string(orderings[k]) + ", " + to_string(scaling) + ", " + to_string(precision) + ", " +
                       to_string(algorithm));
          auto matrix = good;
          matrix.rows[row][entry->first] = matrix.rows[entry->first][row] = bad.value;
          const typename F::Case at(matrix);
          const auto factor = at.factor({.ordering = orderings[k], .algorithm = algorithm},
                                        {.scaling = scaling, .precision = precision});
          F::expect_failed(at, factor, F::first_of(factor.symbolic(), {row, entry->first}));
        }
}

TYPED_TEST_P(LdltFailuresTest, AreNoneWhereTheBadNumberIsNotRead) {
  using F = TestFixture;
  const auto good = reference::indefinite<typename F::Scalar>(reference::all_linked(7));
  for (const auto uplo : {Uplo::Lower, Uplo::Upper}) {
    const typename F::Case at(good, {.uplo = uplo, .full = true});
    EXPECT_TRUE(at.factor({.uplo = uplo}).info().succeeded());
    const auto opposite = uplo == Uplo::Lower ? Uplo::Upper : Uplo::Lower;
    const auto factor = at.factor({.uplo = opposite});
    F::expect_failed(at, factor, to_host(factor.symbolic().permutation()).front());
  }
}

TYPED_TEST_P(LdltFailuresTest, AreForgottenWithTheNextValues) {
  using F = TestFixture;
  const typename F::Case good(reference::indefinite<typename F::Scalar>(reference::band(30, 3)));
  auto matrix = good.matrix;
  matrix.rows[11][11] = F::nan();
  const typename F::Case bad(matrix);
  for (const auto scaling : enumerators<Scaling>()) {
    auto factor = bad.factor({}, {.scaling = scaling});
    EXPECT_EQ(factor.info().first_nonfinite_row, 11);
    factor.refactorize(typename F::Space(), good.arrays.values);
    EXPECT_TRUE(factor.info().succeeded());
    EXPECT_LE(F::error_of(good, factor), F::allowed);
    factor.refactorize(typename F::Space(), bad.arrays.values);
    F::expect_failed(bad, factor, 11);
  }
}

TYPED_TEST_P(LdltFailuresTest, ReachWhatDependsOnABadRightHandSideAndNothingElse) {
  using F = TestFixture;
  const auto matrix = reference::forest({reference::band(20, 2), reference::band(20, 2)});
  const typename F::Case at(reference::indefinite<typename F::Scalar>(matrix));
  const auto factor = at.factor();
  for (const auto& bad : F::every_bad_number()) {
    auto b = at.right_hand_side();
    b[27] = bad.value;
    const auto finite = reference::is_not_finite(F::solve(factor, b));
    for (int row = 0; row < 40; ++row) EXPECT_EQ(finite[row], row >= 20) << bad.name << ", row " << row;
  }
  EXPECT_LE(F::error_of(at, factor), F::allowed);
}

TYPED_TEST_P(LdltFailuresTest, AreReportedWhenTheFactorOverflows) {
  using F = TestFixture;
  using Number = typename F::Scalar;
  using Part = typename F::Real;
  const Part large = std::sqrt(std::numeric_limits<Part>::max()), small = 1 / large;
  const LdltFactorOptions report{.scaling = Scaling::None, .pivots = {.policy = PivotPolicy::Report}};
  typename F::Matrix matrix(3);
  matrix.rows[0] = {{0, Number(small)}, {1, Number(4 * large)}};
  matrix.rows[1] = {{0, Number(4 * large)}, {1, Number(1)}};
  matrix.rows[2] = {{2, Number(1)}};
  const typename F::Case at(matrix);
  F::expect_failed_somewhere(at, at.factor({.ordering = Ordering::Natural}, report));
  // L is finite, and L D L^T is not.
  matrix.rows[0] = {{0, Number(1)}, {1, Number(4 * large)}};
  const typename F::Case other(matrix);
  F::expect_failed_somewhere(other, other.factor({.ordering = Ordering::Natural}, report));
  EXPECT_TRUE(other.factor({}, {.scaling = Scaling::Equilibrate}).info().succeeded());
}

/// Also where a front is computed in double precision, which holds the pivot.
TYPED_TEST_P(LdltFailuresTest, AreReportedWhenAPivotOverflowsInSingle) {
  using F = TestFixture;
  using Number = typename F::Scalar;
  typename F::Matrix matrix(2);
  const Number small(static_cast<typename F::Real>(std::ldexp(1.0, -135)));
  matrix.rows[0] = {{0, small}, {1, Number(1)}};
  matrix.rows[1] = {{0, Number(1)}, {1, Number(1)}};
  const typename F::Case at(matrix);
  const auto factor = at.factor(
      {.ordering = Ordering::Natural},
      {.scaling = Scaling::None, .pivots = {.policy = PivotPolicy::Report}, .precision = FactorPrecision::Single});
  F::expect_failed_somewhere(at, factor);
}

TYPED_TEST_P(LdltFailuresTest, AreNoneInSingleOfNumbersThatOnlyADoubleHolds) {
  using F = TestFixture;
  if constexpr (F::is_double) {
    auto matrix = reference::indefinite<typename F::Scalar>(reference::mesh_of_three(reference::band(10, 2)));
    for (const int exponent : {900, -900}) {
      auto far = matrix;
      for (auto& row : far.rows)
        for (auto& entry : row) entry.second = F::times_power_of_two(entry.second, exponent);
      const typename F::Case at(far);
      for (const auto scaling : enumerators<Scaling>()) {
        const auto factor = at.factor({}, {.scaling = scaling, .precision = FactorPrecision::Single});
        EXPECT_TRUE(factor.info().succeeded());
        for (const int of_b : {0, exponent}) {
          const auto b = F::scaled(at.right_hand_side(), of_b);
          EXPECT_LE(reference::backward_error(far, b, F::solve(factor, b)), 1e-5) << exponent << ", " << of_b;
        }
      }
    }
  }
}

REGISTER_TYPED_TEST_SUITE_P(LdltFailuresTest, AreReportedWhereverABadNumberStands, AreNoneWhereTheBadNumberIsNotRead,
                            AreForgottenWithTheNextValues, ReachWhatDependsOnABadRightHandSideAndNothingElse,
                            AreReportedWhenTheFactorOverflows, AreReportedWhenAPivotOverflowsInSingle,
                            AreNoneInSingleOfNumbersThatOnlyADoubleHolds);

}  // namespace terrace::test
