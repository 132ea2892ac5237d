// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LdltFactor with every order, shape, size, amalgamation and algorithm, and as one of several that share an analysis.
#pragma once

#include <terrace/crs_operator.hpp>
#include <terrace/krylov_solver.hpp>
#include <terrace/names.hpp>

#include "support/ldlt_case.hpp"

namespace terrace::test {

template <class T>
class LdltOrdersTest : public LdltFixture<T> {
 public:
  using Fixture = LdltFixture<T>;
  using typename Fixture::Case;
  using typename Fixture::Scalar;

  static Case indefinite(const reference::RealMatrix& matrix, Uplo uplo = Uplo::Lower) {
    return Case(reference::indefinite<Scalar>(matrix), {.uplo = uplo});
  }
  static void expect_solved(const Case& at, const LdltSymbolicOptions& options,
                            const LdltFactorOptions& factor_options = {}) {
    const auto factor = at.factor(options, factor_options);
    EXPECT_TRUE(factor.info().succeeded());
    EXPECT_EQ(factor.info().replaced_pivots, 0);
    EXPECT_LE(Fixture::error_of(at, factor), Fixture::allowed);
  }
};

TYPED_TEST_SUITE_P(LdltOrdersTest);

TYPED_TEST_P(LdltOrdersTest, SolvesEveryShapeInEveryOrderByEveryAlgorithm) {
  using F = TestFixture;
  for (const auto& shape : reference::symmetric_shapes()) {
    auto orderings = every_ordering();
    orderings.push_back(Ordering::Given);
    for (const auto ordering : orderings)
      for (const auto algorithm : enumerators<LdltAlgorithm>()) {
        SCOPED_TRACE(std::string(shape.name) + ", " + to_string(ordering) + ", " + to_string(algorithm));
        const auto uplo = ordering == Ordering::Natural ? Uplo::Upper : Uplo::Lower;
        LdltSymbolicOptions options{.uplo = uplo, .ordering = ordering, .algorithm = algorithm};
        if (ordering == Ordering::Given) options.permutation = shuffled_rows(shape.matrix.size(), 7);
        F::expect_solved(F::indefinite(shape.matrix, uplo), options);
      }
  }
}

TYPED_TEST_P(LdltOrdersTest, EliminatesInTheOrderThatItNames) {
  using F = TestFixture;
  for (const auto& shape : reference::symmetric_shapes()) {
    SCOPED_TRACE(shape.name);
    const int n = shape.matrix.size();
    const auto at = F::indefinite(shape.matrix);
    const auto given = shuffled_rows(n, 3);
    for (const double amalgamation : {0.0, 1.0}) {
      const auto symbolic =
          at.symbolic({.ordering = Ordering::Given, .permutation = given, .amalgamation = amalgamation});
      // Equivalent orders have the same L: columns without a path between them may change places, and do so only.
      const reference::UpLookingLdlt asked(at.matrix, given), named(at.matrix, to_host(symbolic.permutation()));
      auto counts = asked.counts(), others = named.counts();
      std::sort(counts.begin(), counts.end());
      std::sort(others.begin(), others.end());
      EXPECT_EQ(counts, others);
      EXPECT_EQ(symbolic.info().ordering, Ordering::Given);
    }
  }
}

TYPED_TEST_P(LdltOrdersTest, SolvesWithEveryAmalgamationAndScaling) {
  using F = TestFixture;
  for (const auto& shape : reference::symmetric_shapes())
    for (const double amalgamation : {0.0, 1.0, 5.0})
      for (const auto scaling : enumerators<Scaling>()) {
        SCOPED_TRACE(std::string(shape.name) + ", amalgamation " + std::to_string(amalgamation) + ", " +
                     to_string(scaling));
        F::expect_solved(F::indefinite(shape.matrix), {.amalgamation = amalgamation}, {.scaling = scaling});
      }
}

TYPED_TEST_P(LdltOrdersTest, SolvesMatricesOfEverySizeAroundThoseOfTilesAndPanels) {
  using F = TestFixture;
  for (const int n : {0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 159, 160, 161, 255, 256, 257}) {
    SCOPED_TRACE(n);
    F::expect_solved(F::indefinite(reference::all_linked(n)), {});
    F::expect_solved(F::indefinite(reference::band(n, 4)), {.amalgamation = 0});
    F::expect_solved(F::indefinite(reference::band(n, n / 3)), {.ordering = Ordering::Natural});
    F::expect_solved(F::indefinite(reference::dominant(reference::RealMatrix(n))), {.ordering = Ordering::Natural});
  }
}

/// Fronts with few own columns and many rows, and with many and few; a root of 512.
TYPED_TEST_P(LdltOrdersTest, SolvesWithFrontsOfEveryProportion) {
  using F = TestFixture;
  for (const auto& [own, below] : {std::pair(1, 300), std::pair(20, 200), std::pair(33, 64), std::pair(128, 129)}) {
    SCOPED_TRACE(std::to_string(own) + " own columns, " + std::to_string(below) + " below");
    // Two dense leaves beside each other, and a separator that both are linked to.
    const auto matrix = reference::symmetric_links(2 * own + below, 43, [=, own = own](int row, std::mt19937&) {
      std::vector<int> columns;
      for (int column = row < own ? 0 : row < 2 * own ? own : 0; column < row; ++column) columns.push_back(column);
      return columns;
    });
    F::expect_solved(F::indefinite(matrix), {.ordering = Ordering::Natural, .amalgamation = 0});
  }
}

TYPED_TEST_P(LdltOrdersTest, FourFactorsOfOneAnalysisWorkAtTheSameTime) {
  using F = TestFixture;
  using On = typename TypeParam::Space;
  constexpr int factors = 4;
  const auto at = F::indefinite(reference::mesh_of_three(reference::dominant(reference::poisson<double>(14, 13))));
  const auto symbolic = at.symbolic();
  const auto b = at.right_hand_side();
  const auto from = to_device<typename F::Scalar, typename F::Device>(b);
  std::vector<On> instances;
  std::vector<typename F::Factor> all;
  std::vector<DeviceArrays<TypeParam>> values;
  std::vector<typename F::Vector> x;
  for (int k = 0; k < factors; ++k) {
    auto matrix = at.matrix;
    for (int row = 0; row < matrix.size(); ++row) matrix.rows[row][row] *= typename F::Real(k + 1);
    values.emplace_back(write_symmetric(matrix));
    instances.push_back(Kokkos::Experimental::partition_space(On(), 1)[0]);
    all.emplace_back(instances.back(), symbolic, values.back().values);
    x.emplace_back("x", b.size());
  }
  std::vector<typename F::Numbers> expected;
  for (const auto& factor : all) expected.push_back(F::solve(factor, b));
  EXPECT_NE(expected[0], expected[1]);
  for (int repetition = 0; repetition < 10; ++repetition) {
    for (int k = 0; k < factors; ++k) all[k].refactorize(instances[k], values[k].values);
    for (int k = 0; k < factors; ++k) all[k].solve(instances[k], from, x[k]);
    Kokkos::fence();
    for (int k = 0; k < factors; ++k) ASSERT_EQ(to_host(x[k]), expected[k]) << repetition;
  }
}

TYPED_TEST_P(LdltOrdersTest, PreconditionsKrylovMethods) {
  using F = TestFixture;
  using On = typename TypeParam::Space;
  const auto matrix =
      reference::with_numbers<typename F::Scalar>(reference::dominant(reference::poisson<double>(20, 21)), false);
  const typename F::Case at(matrix);
  const DeviceArrays<TypeParam> whole(reference::compress(matrix));
  const KokkosSparse::CrsMatrix<typename F::Scalar, int, typename F::Device, void, typename TypeParam::Offset> A(
      "A", 420, 420, static_cast<typename TypeParam::Offset>(whole.values.extent(0)), whole.values, whole.row_map,
      whole.entries);
  const CrsOperator product(A);
  const auto b = to_device<typename F::Scalar, typename F::Device>(at.right_hand_side());
  for (const auto method : {KrylovMethod::Gmres, KrylovMethod::BiCGStab}) {
    const typename F::Vector x("x", 420);
    const KrylovOptions options{.method = method, .tolerance = 100 * F::unit};
    const auto result =
        KrylovSolver<typename F::Scalar, On>(On(), 420, options).solve(On(), product, b, x, at.factor());
    EXPECT_TRUE(result.converged()) << to_string(method);
    EXPECT_LE(result.iterations, 2) << to_string(method);
  }
}

REGISTER_TYPED_TEST_SUITE_P(LdltOrdersTest, SolvesEveryShapeInEveryOrderByEveryAlgorithm,
                            EliminatesInTheOrderThatItNames, SolvesWithEveryAmalgamationAndScaling,
                            SolvesMatricesOfEverySizeAroundThoseOfTilesAndPanels, SolvesWithFrontsOfEveryProportion,
                            FourFactorsOfOneAnalysisWorkAtTheSameTime, PreconditionsKrylovMethods);

}  // namespace terrace::test
